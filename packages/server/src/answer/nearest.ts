import type { Id, NearestRecord } from '@cairn/contract'
import { type BriefRecord, shorten } from '@cairn/engine/compose'
import { plainLine } from '@cairn/engine/text'

/** Records that a refusal names. */
const NEAREST_MAX = 3
/** Of a record without a title so much of its text, in tokens, is shown for one. */
const TITLE_TOKENS_MAX = 20

/** The records that came nearest to a question which none answers, best first. */
export function nearestOf(records: readonly BriefRecord[]): NearestRecord[] {
  const byScore = [...records].sort((one, other) => other.score - one.score || (one.id < other.id ? -1 : 1))
  return byScore.slice(0, NEAREST_MAX).map(({ id, title, text, type, url }) => ({
    record_id: id as Id<'record'>,
    title: shorten(plainLine(title ?? text ?? ''), TITLE_TOKENS_MAX) || type,
    ...(url && { url }),
  }))
}
