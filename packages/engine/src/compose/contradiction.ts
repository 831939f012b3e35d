import { dateToken, dayOf, writeDay } from '../text/civil-date.ts'
import { plainLine } from '../text/clean-text.ts'
import type { BriefRecord } from './brief.ts'
import type { Candidate } from './candidates.ts'
import { sourceName } from './frame.ts'
import { joinAnd } from './states.ts'

/** Two records that say different things about one matter. */
export interface Contradiction {
  /** What the newer record says; when neither is newer, the more relevant one. */
  stands: Candidate
  /** What it contradicts. */
  fallen: Candidate
  /** The differing values, where there are such. */
  values?: { stands: string; fallen: string }
  /** Whether one record is known to be newer than the other. */
  dated: boolean
  /** Whether what stands tells by itself what it replaces. */
  told?: boolean
}

/** One sentence that says what a told statement replaces or which record disagrees with it. */
export function contradictionNote(
  contradiction: Contradiction,
  records: readonly BriefRecord[],
): { text: string; computed: string; recordIds: string[] } {
  const [stands, fallen] = [records[contradiction.stands.record]!, records[contradiction.fallen.record]!]
  const source = (record: BriefRecord): string => {
    const name = record.author ? plainLine(record.author.name) : sourceName(record)
    return record.occurredAtMs === undefined ? name : `${name}, ${dateToken(dayOf(record.occurredAtMs))}`
  }
  const old = contradiction.values?.fallen ?? contradiction.fallen.text.replace(/[.。]$/, '')
  const quoted = `“${old.replace(/[“”]/g, "'")}”`
  const recordIds = [stands.id, fallen.id]
  const grounds = [stands, fallen].map((record) =>
    record.occurredAtMs === undefined
      ? `${record.id} undated`
      : `${record.id} of ${writeDay(dayOf(record.occurredAtMs))}`,
  )
  if (contradiction.dated) {
    const text = `This replaces the earlier ${quoted} (${source(fallen)}).`
    return {
      text,
      recordIds,
      computed: `newer and older statement: ${joinAnd(grounds)}; older: ${contradiction.fallen.text}`,
    }
  }
  const other = `${quoted} stands against it (${source(fallen)})`
  const text = `The records disagree here: ${other}, and which is newer is not recorded.`
  return {
    text,
    recordIds,
    computed: `disagreeing statements: ${joinAnd(grounds)}; other: ${contradiction.fallen.text}`,
  }
}
