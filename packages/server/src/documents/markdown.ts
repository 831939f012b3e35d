/** A row of a table as Markdown. */
export function markdownRow(cells: readonly string[]): string {
  return `| ${cells.map((cell) => oneLine(cell).replaceAll('|', '\\|')).join(' | ')} |`
}

/** A table as Markdown under its first row; of one column, or one row, its lines. */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const told = rows.filter((row) => row.some((cell) => cell.trim() !== ''))
  const width = Math.max(0, ...told.map((row) => row.length))
  if (width < 2 || told.length < 2)
    return told.map((row) => row.filter((cell) => cell.trim() !== '').join(' – ')).join('\n\n')
  const [head = [], ...others] = told.map((row) => [...row, ...Array<string>(width - row.length).fill('')])
  return [markdownRow(head), `|${' --- |'.repeat(width)}`, ...others.map(markdownRow)].join('\n')
}

/** A heading as Markdown; nothing for one without words. */
export function markdownHeading(level: number, text: string): string {
  const said = oneLine(text)
  return said === '' ? '' : `${'#'.repeat(Math.min(LEVELS, Math.max(1, level)))} ${said}`
}

const LEVELS = 6

/** A link as Markdown, where its address is one that a person could open. */
export function markdownLink(text: string, url: string | undefined): string {
  const said = oneLine(text)
  if (!url || !OPENED.test(url) || said === '' || said === url) return text
  return `[${said.replace(/[[\]]/g, '')}](${url.replace(/[\s()<>]/g, encodeURIComponent)})`
}

const OPENED = /^(?:https?:|mailto:)/i

/** Without breaks of lines, and single spaces alone. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
