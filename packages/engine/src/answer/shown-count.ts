import { NUMBERS } from '../lexicon/languages.ts'
import type { BriefRecord } from './brief.ts'

/** Maximum number of items that one sentence names. The others are counted. */
export const NAMED_MAX = 4
const SHOWN_IDS_MAX = 20

/** Returns a number in words up to twelve, and in digits above. */
export function numberWord(count: number): string {
  return count === 0 ? 'no' : (NUMBERS[count - 1] ?? String(count))
}

/** Renders a count with its derivation: the word, the digits and the counted records. */
export function shownCount(what: string, records: readonly BriefRecord[]): string {
  const ids = records.slice(0, SHOWN_IDS_MAX).map((record) => record.id)
  return `${what}: ${numberWord(records.length)} (${records.length}; ${ids.join(', ')})`
}
