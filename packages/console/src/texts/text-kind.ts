import type { KnowledgeRecord } from '@cairnstore/client'

/** Ways to show the text of a record. */
export type TextKind = 'markdown' | 'mail' | 'transcript' | 'code' | 'plain'

/** The fields of a record that decide how its text is shown. */
type Shown = Pick<KnowledgeRecord, 'type' | 'text' | 'locators' | 'properties'>

/** Matches the times of a recording in captions. */
const OFFSET = /^\d{1,3}:\d\d:\d\d$/
/** Format of texts that are not Markdown. */
const CODE = 'code'
/** Number of characters at the beginning of a text that are searched for Markdown. */
const SEARCHED_CHARS = 20_000

/** Matches blocks of Markdown: a heading, a table's delimiter row, a fence, a list item, a quotation. */
const BLOCK = /^(?:#{1,6} \S|\|?[ \t]*:?-{3,}:?[ \t]*\||```|~~~|[-*+] \S|\d{1,3}\. \S|> \S)/m
/** Matches inline Markdown: strong text, inline code, a link. */
const INLINE = /\*\*[^\s*][^*\n]*\*\*|`[^`\n]+`|\[[^\]\n]+\]\([^)\s]+\)/

/** Returns the way in which the text of a record is shown. */
export function textKindOf({ type, text, locators = [], properties = {} }: Shown): TextKind {
  if (type === 'email') return 'mail'
  if (locators.length > 1 && locators.every(({ locator }) => OFFSET.test(locator))) return 'transcript'
  if (properties.format === CODE) return 'code'
  const head = (text ?? '').slice(0, SEARCHED_CHARS)
  return BLOCK.test(head) || INLINE.test(head) ? 'markdown' : 'plain'
}
