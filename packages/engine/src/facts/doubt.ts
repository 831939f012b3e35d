import { anyOf } from '../lexicon/entries.ts'
import { FICTION, LATER, NEVER, NOT_YET, QUESTION_OPENINGS } from '../lexicon/facts.ts'
import { FUTURE_CLITICS } from '../lexicon/writing.ts'
import type { Token } from '../mentions/tokens.ts'
import { STATEMENT_END } from '../text/sentences.ts'

/**
 * Reasons why a statement is not a fact, as bit flags. `later`: about the future. `negated`: negated or planned.
 * `asked`: in a question. `hearsay`: conditional or reported. `others`: in the words of another person.
 */
export const DOUBT = { none: 0, later: 1, negated: 2, asked: 4, hearsay: 8, fiction: 16, others: 32 } as const

/** Matches a straight or low quotation mark at the end of the text, if it opens a quotation. */
const SINGLE_QUOTE = /(?:^|\s)['‘‚]$/
/** Matches a contraction for the future or the conditional: "'ll", "'d". */
const CLITIC = new RegExp(`^['’]${anyOf(FUTURE_CLITICS)}\\b`, 'i')

interface SentenceState {
  start: number
  /** True after a negation or a plan, until the sentence ends. */
  isNegated: boolean
  /** True after a colon, a quote mark (`>`) or a single quotation mark, until the sentence ends. */
  isCited: boolean
  /** True between quotation marks, at most until the end of the line. */
  isQuoted: boolean
  /** True after a line such as "Bob:", until the next empty line. */
  isOthers: boolean
}

/**
 * Returns for each token the reasons why it is not part of a fact (`DOUBT`): questions, negations, conditions, plans,
 * hearsay, quotations and fiction. Runs in linear time.
 */
export function doubtsOf(text: string, tokens: readonly Token[]): Uint8Array {
  const doubts = new Uint8Array(tokens.length)
  const state: SentenceState = { start: 0, isNegated: false, isCited: false, isQuoted: false, isOthers: false }
  for (let index = 0; index <= tokens.length; index += 1) {
    const token = tokens[index]
    const gap = text.slice(tokens[index - 1]?.to ?? 0, token?.from ?? text.length)
    if (!token || index === 0 || (token.gap === 'end' && STATEMENT_END.test(gap))) {
      if (index > 0) closeSentence(doubts, tokens, { ...state, end: index, gap })
      Object.assign(state, { start: index, isNegated: false, isCited: false })
      if (gap.includes('\n')) state.isQuoted = false
      if (/\n\s*\n/.test(gap)) state.isOthers = false
    }
    if (!token) break
    readGap(gap, state)
    const isClitic = CLITIC.test(text.slice(token.to, token.to + 4))
    if (NOT_YET.has(token.lower) || isClitic) state.isNegated = true
    if (state.isCited || state.isQuoted || state.isOthers) doubts[index] = DOUBT.others
    else if (state.isNegated) doubts[index] = DOUBT.negated
  }
  return doubts
}

/** Updates the state with the punctuation between two tokens. */
function readGap(gap: string, state: SentenceState): void {
  for (const mark of gap) {
    if (mark === '"') state.isQuoted = !state.isQuoted
    else if ('“«„'.includes(mark)) state.isQuoted = true
    else if ('”»'.includes(mark)) state.isQuoted = false
  }
  if (gap.includes('>') || gap.includes(':') || SINGLE_QUOTE.test(gap)) state.isCited = true
  if (gap.includes(':') && gap.includes('\n')) state.isOthers = true
}

/** Adds the flags that apply to a whole sentence to each of its tokens. */
function closeSentence(
  doubts: Uint8Array,
  tokens: readonly Token[],
  { start, end, gap }: { start: number; end: number; gap: string },
): void {
  let doubt: number = DOUBT.none
  if (gap.includes('?')) {
    for (let index = askedFrom(tokens, start, end); index < end; index += 1) doubts[index]! |= DOUBT.asked
  }
  for (let index = start; index < end; index += 1) {
    const { lower } = tokens[index]!
    if (NEVER.has(lower)) doubt |= DOUBT.hearsay
    else if (FICTION.has(lower)) doubt |= DOUBT.fiction
    else if (LATER.has(lower)) doubt |= DOUBT.later
  }
  if (doubt === DOUBT.none) return
  for (let index = start; index < end; index += 1) doubts[index]! |= doubt
}

/** Returns the index of the token at which the question in a sentence begins: "I live in Lyon, what can I do?" */
function askedFrom(tokens: readonly Token[], start: number, end: number): number {
  const isOpening = (at: number) => QUESTION_OPENINGS.has(tokens[at]!.lower)
  if (isOpening(start)) return start
  let from = end - 1
  while (from > start && !(tokens[from]!.gap === 'comma' && isOpening(from))) from -= 1
  return from
}
