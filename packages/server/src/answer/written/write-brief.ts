import { randomBytes } from 'node:crypto'
import { type Answer, asClosest, type BriefInput, citeEntities, shorten, tokensOf } from '@cairnstore/engine/answer'
import { ModelFailure, type ModelFailureKind } from '../models/model.ts'
import type { Embedder, Writer } from '../models/open-models.ts'
import { readProse, readStatement } from './read-statements.ts'
import { ABSTAINS, type AcceptedStatement, statementCheck, WrittenStatement, writingPrompt } from './writing-prompt.ts'

interface WriteOptions {
  /** The answer without a model. Its passages are shown if the model says that the records do not answer. */
  composed: Answer
  writer: Writer
  /** Judges a statement by its evidence, if a pair model is available. */
  supports?: Embedder['supports']
  /** Account to charge. */
  accountId: string
  /** Texts of earlier turns, oldest first. */
  earlierTurns: readonly string[]
  isStreamed: boolean
  signal: AbortSignal
}

const MARK_BYTES = 12
/** Model tokens allowed per token of the brief, for JSON, labels and reasoning, and a constant in addition. */
const TOKENS_PER_TOKEN = 4
const TOKENS_OVERHEAD = 1_000
/** Minimum share of supported statements. If it is not reached, the whole brief is rejected. */
const ACCEPTED_SHARE_MIN = 0.5

/**
 * Writes a brief from the records with a model. Yields each statement once it is complete and supported by its records.
 * If the model first says that the records do not answer, the result is the closest passages. If the model fails after
 * some statements, the brief ends with them, and `failure` gives the reason. Throws a ModelFailure if the model fails
 * before that, or if too few statements are supported.
 */
export async function* writeBrief(
  input: BriefInput,
  { composed, writer, supports, accountId, earlierTurns, isStreamed, signal }: WriteOptions,
): AsyncGenerator<string, Answer & { failure?: ModelFailureKind }> {
  const mark = randomBytes(MARK_BYTES).toString('hex')
  const { system, prompt, labelled } = writingPrompt(input, earlierTurns, mark)
  const accept = statementCheck(input, labelled, mark)
  const tokensMax = input.maxTokens * TOKENS_PER_TOKEN + TOKENS_OVERHEAD
  const statements: AcceptedStatement[] = []
  let brief = ''
  let refused = 0
  let isFull = false
  let failure: ModelFailureKind | undefined
  const elements = writer.ask(accountId, {
    system,
    prompt,
    element: WrittenStatement,
    read: readStatement,
    readText: readProse,
    tokensMax,
    isStreamed,
    signal,
  })
  try {
    for await (const written of elements) {
      if (written.paragraph === ABSTAINS && written.text === '' && statements.length === 0) {
        const closest = asClosest(input, composed)
        yield closest.brief
        return closest
      }
      const checked = accept(written)
      const accepted = checked && (await isSupported(checked, supports, signal)) ? checked : undefined
      if (!accepted) refused += 1
      if (!accepted || isFull || brief.includes(accepted.text)) continue
      const joint = brief === '' ? '' : accepted.isContext && !statements.at(-1)?.isContext ? '\n\n' : ' '
      const delta = fittingPart(brief, `${joint}${accepted.text}`, input.maxTokens)
      isFull = delta === ''
      if (isFull) continue
      brief += delta
      statements.push({
        ...accepted,
        text: delta.trim(),
        isContext: accepted.isContext || (statements.at(-1)?.isContext ?? false),
      })
      yield delta
    }
  } catch (error) {
    if (!(error instanceof ModelFailure) || statements.length === 0) throw error
    failure = error.kind
  }
  if (statements.length === 0 || statements.length < (statements.length + refused) * ACCEPTED_SHARE_MIN)
    throw new ModelFailure('unreadable')
  return {
    outcome: 'answered',
    brief,
    citations: citeEntities(statements, input.records, input),
    statements: statements.map(({ text, recordIds }) => ({ text, recordIds, spans: [] })),
    considered: [],
    ...(failure && { failure }),
  }
}

/** Returns false if the model finds that the evidence does not support a statement. A model that fails is ignored. */
async function isSupported(
  { text, evidence }: AcceptedStatement,
  supports: Embedder['supports'],
  signal: AbortSignal,
): Promise<boolean> {
  if (!supports || evidence === undefined) return true
  try {
    return await supports(text, evidence, signal)
  } catch (error) {
    if (error instanceof ModelFailure) return true
    throw error
  }
}

/** Returns the next statement if it fits, otherwise nothing. The first statement is shortened if it does not fit. */
function fittingPart(brief: string, next: string, tokensMax: number): string {
  if (tokensOf(brief + next) <= tokensMax) return next
  return brief === '' ? shorten(next, tokensMax) : ''
}
