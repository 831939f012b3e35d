import { randomBytes } from 'node:crypto'
import { type Answer, type BriefInput, citeEntities, refuse, shorten, tokensOf } from '@cairnstore/engine/answer'
import { ModelFailure } from '../models/model.ts'
import type { Writer } from '../models/open-models.ts'
import { type AcceptedStatement, REFUSES, statementCheck, WrittenStatement, writingPrompt } from './writing-prompt.ts'

/** How a model is asked for a brief. */
interface Writing {
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
 * A brief that a model writes from the records, piece by piece: each statement is given on when it is whole and holds
 * against them. A model that says before anything else that the records do not answer is believed, and the refusal is
 * in this product's words. Throws a ModelFailure when the model fails, or when too little of what it says holds.
 */
export async function* writeBrief(
  input: BriefInput,
  { writer, accountId, earlierTurns, isStreamed, signal }: Writing,
): AsyncGenerator<string, Answer> {
  const mark = randomBytes(MARK_BYTES).toString('hex')
  const { system, prompt, labelled } = writingPrompt(input, earlierTurns, mark)
  const accept = statementCheck(input, labelled, mark)
  const tokensMax = input.maxTokens * TOKENS_PER_TOKEN + TOKENS_BESIDE
  const told: AcceptedStatement[] = []
  let brief = ''
  let refused = 0
  let isFull = false
  for await (const written of writer.ask(accountId, {
    system,
    prompt,
    element: WrittenStatement,
    tokensMax,
    isStreamed,
    signal,
  })) {
    if (written.paragraph === REFUSES && written.text === '' && told.length === 0) {
      const refusal = refuse(input)
      yield refusal.brief
      return refusal
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
  if (told.length === 0 || told.length < (told.length + refused) * ACCEPTED_SHARE_MIN)
    throw new ModelFailure('unreadable')
  return {
    outcome: 'answered',
    brief,
    citations: citeEntities(told, input.records, input),
    statements: told.map(({ text, recordIds }) => ({ text, recordIds, spans: [] })),
    considered: [],
  }
}

/** What of the next statement there is room for: all of it, or of the first one its beginning. */
function fitting(brief: string, next: string, tokensMax: number): string {
  if (tokensOf(brief + next) <= tokensMax) return next
  return brief === '' ? shorten(next, tokensMax) : ''
}
