import { anyOf } from '../lexicon/entries.ts'
import { FICTION, LATER, NEVER, NOT_YET, QUESTION_OPENINGS } from '../lexicon/facts.ts'
import { FUTURE_CLITICS } from '../lexicon/writing.ts'
import type { Token } from '../mentions/tokens.ts'
import { STATEMENT_END } from '../text/sentences.ts'

/** Reasons, as bits, why a statement is not a fact. */
export const DOUBT = { none: 0, later: 1, negated: 2, asked: 4, hearsay: 8, fiction: 16, others: 32 } as const

/** Matches an opening quotation mark without direction: after a space and before a word. */
const SINGLE_QUOTE = /(?:^|\s)['‘‚]$/
const CLITIC = new RegExp(`^['’]${anyOf(FUTURE_CLITICS)}\\b`, 'i')

interface SentenceState {
  start: number
  /** True after a negation or a plan, up to its end. */
  isUnsaid: boolean
  /** True after a mark that introduces somebody else's words, up to its end. */
  isCited: boolean
  isQuoted: boolean
  /** True after "Bob:" or "wrote:", up to an empty line. */
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

/** Applies the reasons that affect a whole sentence. */
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

/** Returns where the question in a sentence begins. "I live in Lyon, what can I do?" first states something. */
function askedFrom(tokens: readonly Token[], start: number, end: number): number {
  const isOpening = (at: number) => QUESTION_OPENINGS.has(tokens[at]!.lower)
  if (isOpening(start)) return start
  let from = end - 1
  while (from > start && !(tokens[from]!.gap === 'comma' && isOpening(from))) from -= 1
  return from
}
