import { NUMBERS } from '../lexicon/languages.ts'
import type { BriefRecord } from './brief.ts'

/** Things that one sentence names, the others are counted. */
export const NAMED_MAX = 4
const SHOWN_IDS_MAX = 20

/** A number in words up to twelve, in digits above. */
export function numberWord(count: number): string {
  return count === 0 ? 'no' : (NUMBERS[count - 1] ?? String(count))
}

/** A count as a computation shows it: word, digits and the records counted. */
export function shownCount(what: string, records: readonly BriefRecord[]): string {
  const ids = records.slice(0, SHOWN_IDS_MAX).map((record) => record.id)
  return `${what}: ${numberWord(records.length)} (${records.length}; ${ids.join(', ')})`
}
