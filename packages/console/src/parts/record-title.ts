import { plainLine } from './plain.ts'
import { day } from './when.ts'
import { labelOf } from './words.ts'

/** What of a record its name is made of; a list has the beginning of its text, the record the whole of it. */
interface Named {
  title?: string | null
  text?: string | null
  snippet?: string
  type?: string | null
  author?: unknown
  occurred_at?: string | null
}

/** What a record is called where its text does not stand beside it: its title, its first words, or what it is. */
export function recordTitle(record: Named): string {
  const { title, text, snippet } = record
  return plainLine(title?.trim() || text || snippet || '') || recordKind(record)
}

/** What a record is called where its text stands beside it and would only be said twice: its title, else what it is. */
export function recordHeading(record: Named): string {
  return plainLine(record.title ?? '') || recordKind(record)
}

/** What a record is, by whom and of when: `Message by Ada Berg, 10 Mar 2026`. */
function recordKind({ type, author, occurred_at: at }: Named): string {
  const who = nameOf(author)
  const told = `${labelOf(type || 'record')}${who ? ` by ${who}` : ''}`
  return plainLine(at ? `${told}, ${day(at)}` : told)
}

/** The name of somebody or something that a record refers to, by a name alone or with more. */
export function nameOf(author: unknown): string {
  if (typeof author === 'string') return author
  const name = (author as { name?: unknown } | null | undefined)?.name
  return typeof name === 'string' ? name : ''
}
