import { anyOf } from '../lexicon/entries.ts'
import { FICTION, LATER, NEVER, NOT_YET, QUESTION_OPENINGS } from '../lexicon/facts.ts'
import { FUTURE_CLITICS } from '../lexicon/writing.ts'
import type { Token } from '../mentions/tokens.ts'
import { STATEMENT_END } from '../text/sentences.ts'

/**
 * Reasons why a statement is not a fact, as bit flags. `later`: about the future. `negated`: negated or only planned.
 * `hearsay`: conditional or reported. `others`: said by somebody else.
 */
export const DOUBT = { none: 0, later: 1, negated: 2, asked: 4, hearsay: 8, fiction: 16, others: 32 } as const

/** Matches a straight or low quotation mark at the end of the text, if it opens a quotation. */
const SINGLE_QUOTE = /(?:^|\s)['‘‚]$/
const CLITIC = new RegExp(`^['’]${anyOf(FUTURE_CLITICS)}\\b`, 'i')

interface SentenceState {
  start: number
  /** True from a negation or a plan until the negated or planned part ends. */
  isUnsaid: boolean
  /** True inside a quotation of somebody else's words. */
  isCited: boolean
  isQuoted: boolean
  /** True after "Bob:" or "wrote:", until the next empty line. */
  isOthers: boolean
}

/**
 * Returns for each token the reasons why it is not part of a fact (`DOUBT`): questions, negations, conditions, plans,
 * hearsay, quotations and fiction. Runs in linear time.
 */
export function doubtsOf(text: string, tokens: readonly Token[]): Uint8Array {
  const doubts = new Uint8Array(tokens.length)
  const at: SentenceState = { start: 0, isUnsaid: false, isCited: false, isQuoted: false, isOthers: false }
  for (let index = 0; index <= tokens.length; index += 1) {
    const token = tokens[index]
    const gap = text.slice(tokens[index - 1]?.to ?? 0, token?.from ?? text.length)
    if (!token || index === 0 || (token.gap === 'end' && STATEMENT_END.test(gap))) {
      if (index > 0) closeSentence(doubts, tokens, { ...at, end: index, gap })
      Object.assign(at, { start: index, isUnsaid: false, isCited: false })
      if (gap.includes('\n')) at.isQuoted = false
      if (/\n\s*\n/.test(gap)) at.isOthers = false
    }
    if (!token) break
    readGap(gap, at)
    const isClitic = CLITIC.test(text.slice(token.to, token.to + 4))
    if (NOT_YET.has(token.lower) || isClitic) at.isUnsaid = true
    if (at.isCited || at.isQuoted || at.isOthers) doubts[index] = DOUBT.others
    else if (at.isUnsaid) doubts[index] = DOUBT.negated
  }
  return doubts
}

function readGap(gap: string, at: SentenceState): void {
  for (const mark of gap) {
    if (mark === '"') at.isQuoted = !at.isQuoted
    else if ('“«„'.includes(mark)) at.isQuoted = true
    else if ('”»'.includes(mark)) at.isQuoted = false
  }
  if (gap.includes('>') || SINGLE_QUOTE.test(gap)) at.isCited = true
  if (gap.includes(':')) {
    at.isCited = true
    if (gap.includes('\n')) at.isOthers = true
  }
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

/**
 * Returns the index of the token at which the question in a sentence begins. "I live in Lyon, what can I do at night?"
 * begins with a statement.
 */
function askedFrom(tokens: readonly Token[], start: number, end: number): number {
  const isOpening = (at: number) => QUESTION_OPENINGS.has(tokens[at]!.lower)
  if (isOpening(start)) return start
  let from = end - 1
  while (from > start && !(tokens[from]!.gap === 'comma' && isOpening(from))) from -= 1
  return from
}
