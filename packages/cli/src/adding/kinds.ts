/** How a file of this machine is brought in. */
export type Way = 'documents' | 'mailboxes' | 'archive' | 'export' | 'lines'

/** Files that are known by their names to hold others, or to be exports; any other is sent to be read as a document. */
const BY_THEMSELVES: readonly { way: Way; endings: readonly string[] }[] = [
  { way: 'mailboxes', endings: ['.mbox'] },
  { way: 'archive', endings: ['.zip', '.tar', '.tgz', '.gz'] },
  { way: 'export', endings: ['.json'] },
  { way: 'lines', endings: ['.ndjson', '.jsonl'] },
]

/** What is read, in one line. */
export const WHAT_IS_READ =
  'PDF, Word, PowerPoint, Excel, OpenDocument, EPUB, RTF, web pages, CSV, Markdown and other text, calendars, ' +
  'address books, JSON, YAML, notebooks, code, mails and mailboxes, and archives of these'

/** How a file of this name is brought in. */
export function wayOf(name: string): Way {
  const ending = endingOf(name)
  return BY_THEMSELVES.find(({ endings }) => endings.includes(ending))?.way ?? 'documents'
}

/** The ending of a file's name in small letters, with its dot; empty where there is none. */
export function endingOf(name: string): string {
  const at = name.lastIndexOf('.')
  return at > 0 ? name.slice(at).toLowerCase() : ''
}
