import { t } from '../language/language.ts'
import { day } from './format.ts'
import { plainLine } from './plain.ts'
import { labelOf } from './words.ts'

/** Fields of a record that determine its title. A row of a list has only the beginning of the text. */
interface Named {
  title?: string | null
  text?: string | null
  snippet?: string
  type?: string | null
  author?: unknown
  occurred_at?: string | null
}

/** Returns the title of a record for places that do not show its text: its own title, its first words or its kind. */
export function recordTitle(record: Named): string {
  const { title, text, snippet } = record
  return plainLine(title?.trim() || text || snippet || '') || recordKind(record)
}

/**
 * Returns the title of a record for places that show its text: its own title or its kind. The first words would repeat
 * the text.
 */
export function recordHeading(record: Named): string {
  return plainLine(record.title ?? '') || recordKind(record)
}

/** Returns the kind of a record with author and date, such as `Message by Ada Berg, 10 Mar 2026`. */
function recordKind({ type, author, occurred_at: at }: Named): string {
  const who = nameOf(author)
  const name = labelOf(type || 'record')
  const kind = who ? t('{kind} by {author}', { kind: name, author: who }) : name
  return plainLine(at ? `${kind}, ${day(at)}` : kind)
}

/** Returns the name in a reference, which is a string or an object with a `name`. */
export function nameOf(author: unknown): string {
  if (typeof author === 'string') return author
  const name = (author as { name?: unknown } | null | undefined)?.name
  return typeof name === 'string' ? name : ''
}
