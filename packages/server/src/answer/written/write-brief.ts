import { randomBytes } from 'node:crypto'
import { type Answer, asClosest, type BriefInput, citeEntities, shorten, tokensOf } from '@cairnstore/engine/answer'
import { ModelFailure, type ModelFailureKind } from '../models/model.ts'
import type { Writer } from '../models/open-models.ts'
import { readProse, readStatement } from './read-statements.ts'
import { type AcceptedStatement, REFUSES, statementCheck, WrittenStatement, writingPrompt } from './writing-prompt.ts'

/** How a model is asked for a brief. */
interface Writing {
  /** The answer without a model, whose passages are shown if the model finds no answer. */
  composed: Answer
  writer: Writer
  /** The account that is charged. */
  accountId: string
  /** What earlier turns said, oldest first. */
  earlierTurns: readonly string[]
  isStreamed: boolean
  signal: AbortSignal
}

const MARK_BYTES = 12
/** Tokens that a model may take for a token of the brief: JSON around it, labels, thinking aloud. */
const TOKENS_PER_TOKEN = 4
const TOKENS_BESIDE = 1_000
/** The share of a model's statements that records must bear out; below it the whole brief is rejected. */
const ACCEPTED_SHARE_MIN = 0.5

/**
 * Writes a brief from the records with a model, piece by piece: each statement is given on when it is complete and its
 * records support it. If the model says before anything else that the records do not answer, the answer is the closest
 * passages. If the model fails after some statements, the brief ends with them, and `failure` says why. Throws a
 * ModelFailure if the model fails before, or if its records support too few of its statements.
 */
export async function* writeBrief(
  input: BriefInput,
  { composed, writer, accountId, earlierTurns, isStreamed, signal }: Writing,
): AsyncGenerator<string, Answer & { failure?: ModelFailureKind }> {
  const mark = randomBytes(MARK_BYTES).toString('hex')
  const { system, prompt, labelled } = writingPrompt(input, earlierTurns, mark)
  const accept = statementCheck(input, labelled, mark)
  const tokensMax = input.maxTokens * TOKENS_PER_TOKEN + TOKENS_BESIDE
  const told: AcceptedStatement[] = []
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
      if (written.paragraph === REFUSES && written.text === '' && told.length === 0) {
        const closest = asClosest(input, composed)
        yield closest.brief
        return closest
      }
      const accepted = accept(written)
      if (!accepted) refused += 1
      if (!accepted || isFull || brief.includes(accepted.text)) continue
      const joint = brief === '' ? '' : accepted.isContext && !told.at(-1)?.isContext ? '\n\n' : ' '
      const delta = fitting(brief, `${joint}${accepted.text}`, input.maxTokens)
      isFull = delta === ''
      if (isFull) continue
      brief += delta
      told.push({ ...accepted, text: delta.trim(), isContext: accepted.isContext || (told.at(-1)?.isContext ?? false) })
      yield delta
    }
  } catch (error) {
    if (!(error instanceof ModelFailure) || told.length === 0) throw error
    failure = error.kind
  }
  if (told.length === 0 || told.length < (told.length + refused) * ACCEPTED_SHARE_MIN)
    throw new ModelFailure('unreadable')
  return {
    outcome: 'answered',
    brief,
    citations: citeEntities(told, input.records, input),
    statements: told.map(({ text, recordIds }) => ({ text, recordIds, spans: [] })),
    considered: [],
    ...(failure && { failure }),
  }
}

/** What of the next statement there is room for: all of it, or of the first one its beginning. */
function fitting(brief: string, next: string, tokensMax: number): string {
  if (tokensOf(brief + next) <= tokensMax) return next
  return brief === '' ? shorten(next, tokensMax) : ''
}
