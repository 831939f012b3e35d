import type { Thing } from '../record-content.ts'

/** Types whose things their own system numbers: two with one title are two unless an identifier says otherwise. */
const NUMBERED = new Set([
  ...['issue', 'pull_request', 'commit', 'cycle', 'sprint', 'milestone', 'release', 'branch', 'channel', 'repository'],
  ...['message', 'comment', 'email', 'reply', 'review', 'note', 'reaction', 'conversation', 'thread', 'passage'],
])

/** The properties of a thing by which it can be compared with others: texts and numbers. */
export function comparableProperties(properties: Readonly<Record<string, unknown>>): Record<string, string | number> {
  const kept: Record<string, string | number> = {}
  for (const [key, value] of Object.entries(properties)) {
    if (typeof value === 'number') kept[key] = value
    else if (typeof value === 'string' && value.trim()) kept[key] = value.slice(0, VALUE_CHARS_MAX)
  }
  return kept
}

/** Of a longer text the rest tells two things apart no better. */
const VALUE_CHARS_MAX = 2_000

/** Whether a thing is compared with others of its type, when they have properties: a record's own thing. */
export function mayBeCompared(thing: Thing): boolean {
  return thing.role === 'own' && !NUMBERED.has(thing.type)
}

/** Whether a thing can be told from another of its name: it is compared, and has properties that say what it is. */
export function isComparable(thing: Thing): boolean {
  if (!mayBeCompared(thing)) return false
  return Object.values(thing.given.properties).some(
    (value) => typeof value === 'number' || (typeof value === 'string' && value.trim() !== ''),
  )
}
