/** A cell of a table. */
export type CsvCell = string | number | boolean | null | undefined

/** Matches a text that a spreadsheet program would treat as a formula. */
const FORMULA = /^[=+\-@\t\r]/

/** Returns rows as CSV (RFC 4180). A text that a spreadsheet would run as a formula gets a leading apostrophe. */
export function csvOf(rows: readonly (readonly CsvCell[])[]): string {
  return rows.map((cells) => `${cells.map(csvCell).join(',')}\r\n`).join('')
}

function csvCell(value: CsvCell): string {
  if (typeof value === 'number') return String(value)
  const text = String(value ?? '')
  const safe = FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Returns a text as a file name without characters that file systems reject. */
export function fileNameOf(text: string, ending: string): string {
  const name = text
    .replace(/[^\p{L}\p{N}._ -]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, NAME_CHARS_MAX)
  return `${name || 'download'}.${ending}`
}

const NAME_CHARS_MAX = 80

/** Lets the browser save a text as a file. */
export function saveFile(name: string, type: string, text: string): void {
  saveBlob(name, new Blob([text], { type }))
}

/** Lets the browser save bytes as a file. */
export function saveBlob(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The download has started before the next task runs.
  setTimeout(() => URL.revokeObjectURL(url))
}
