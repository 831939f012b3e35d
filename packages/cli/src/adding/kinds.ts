/** How a file of this machine is brought in. */
export type Way = 'documents' | 'mailboxes' | 'archive' | 'export' | 'lines'

/** What is read, as people call it, with its endings. */
export const READ: readonly { way: Way; called: string; endings: readonly string[] }[] = [
  { way: 'documents', called: 'Markdown', endings: ['.md', '.markdown', '.mdx'] },
  { way: 'documents', called: 'text', endings: ['.txt'] },
  { way: 'documents', called: 'mail', endings: ['.eml'] },
  { way: 'mailboxes', called: 'mailboxes', endings: ['.mbox'] },
  { way: 'archive', called: 'archives of these', endings: ['.zip', '.tar', '.tgz', '.gz'] },
  { way: 'export', called: 'exports', endings: ['.json'] },
  { way: 'lines', called: 'exports in lines', endings: ['.ndjson', '.jsonl'] },
]

/** What is read, in one line. */
export const WHAT_IS_READ = READ.map(({ called, endings }) => `${called} (${endings.join(' ')})`).join(', ')

/** How a file of this name is brought in; undefined for one of a kind that nothing reads. */
export function wayOf(name: string): Way | undefined {
  const ending = endingOf(name)
  return READ.find(({ endings }) => endings.includes(ending))?.way
}

/** The ending of a file's name in small letters, with its dot; empty where there is none. */
export function endingOf(name: string): string {
  const at = name.lastIndexOf('.')
  return at > 0 ? name.slice(at).toLowerCase() : ''
}
