import { anyOf } from '../lexicon/entries.ts'
import { BREAKDOWNS } from '../lexicon/languages.ts'
import { pattern } from '../text/pattern.ts'

/** A thing that a question calls by its kind alone: "the ledger outage". */
export interface KindAsked {
  /** The kind as it stands there, and its place in the text. */
  kind: string
  from: number
  /** The words between article and kind, which say of which it is; empty when there are none. */
  told: string
  /** Article, words and kind as they stand in the question. */
  said: string
}

// A name between article and kind says itself of which it is.
const CALLED = pattern(
  'u',
  '(?<![\\p{L}\\p{N}-])(?:[Tt]he|[Oo]ur|[Tt]hat|[Tt]his) ((?:[\\p{Ll}\\p{N}]{1,30} ){0,3}?)',
  `(${anyOf(BREAKDOWNS)})(?![\\p{L}\\p{N}-])`,
)
/** A key or a number says of which thing a question is. */
const KEYED = /(?:\p{L}-|#)\d/u

/** Words of one idea name things of one kind: an outage may be kept as an incident. */
export const KINDS_OF_ONE: ReadonlySet<string> = new Set(BREAKDOWNS)

/** What a question calls by its kind alone, if it does and names no thing by a key. */
export function kindAsked(text: string): KindAsked | undefined {
  const found = KEYED.test(text) ? null : CALLED.exec(text)
  if (!found) return undefined
  const [said, told = '', kind = ''] = found
  return { kind, from: found.index + said.length - kind.length, told: told.trim(), said }
}
