import { FIELD_ROLES } from '../lexicon/work.ts'
import { dateToken, dayOf, writeDay } from '../text/civil-date.ts'
import { plainLine } from '../text/clean-text.ts'
import type { BriefRecord, Draft } from './brief.ts'
import type { Material } from './candidates.ts'
import type { Contradiction } from './contradiction.ts'
import { sourceName } from './frame.ts'
import { joinAnd, readProperties, recordLabel } from './states.ts'

const CHANGES_MAX = 3
const WATCHED: ReadonlySet<string> = new Set(FIELD_ROLES.watched)

/** What changed by the fields of records about one thing, old value to new, the latest change first. */
export function changeDrafts({ records }: Material, weight: number): Draft[] {
  const dated = records
    .filter((record) => record.occurredAtMs !== undefined)
    .sort((a, b) => a.occurredAtMs! - b.occurredAtMs!)
  const found = fieldChanges(dated)
  found.sort((a, b) => b.atMs - a.atMs)
  return found
    .slice(0, CHANGES_MAX)
    .map(({ text, recordIds, computed }) => ({ role: 'change', text, recordIds, computed, weight }))
}

interface Change {
  atMs: number
  text: string
  recordIds: string[]
  computed: string
}

function fieldChanges(dated: readonly BriefRecord[]): Change[] {
  const bySubject = new Map<string, BriefRecord[]>()
  for (const record of dated) {
    const label = recordLabel(record)
    // An issue and the pull request that closes it may bear one name, and each has a state of its own.
    const subject = `${record.type}\n${label}`
    if (label !== undefined) bySubject.set(subject, [...(bySubject.get(subject) ?? []), record])
  }
  const changes: Change[] = []
  for (const versions of bySubject.values()) {
    const label = recordLabel(versions[0]!)!
    const last = new Map<string, { value: string; record: BriefRecord }>()
    const latest = new Map<string, Change>()
    for (const record of versions) {
      for (const [key, value] of readProperties(record)) {
        const before = last.get(key)
        if (before && before.value !== value && WATCHED.has(key))
          latest.set(key, fieldChange(label, key, before, value, record))
        last.set(key, { value, record })
      }
    }
    changes.push(...latest.values())
  }
  return changes
}

function fieldChange(
  label: string,
  key: string,
  before: { value: string; record: BriefRecord },
  value: string,
  record: BriefRecord,
): Change {
  const [from, to] = [dayOf(before.record.occurredAtMs!), dayOf(record.occurredAtMs!)]
  const words = key.replace(/_/g, ' ')
  return {
    atMs: record.occurredAtMs!,
    text: `The ${words} of ${label} went from ${before.value} (${dateToken(from)}) to ${value} (${dateToken(to)}).`,
    recordIds: [before.record.id, record.id],
    computed: `${words} of ${label}: ${before.value} on ${writeDay(from)}, ${value} on ${writeDay(to)}`,
  }
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
