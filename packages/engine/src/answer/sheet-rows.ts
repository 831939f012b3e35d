import { plainLine } from '../text/clean-text.ts'
import type { BriefRecord } from './brief.ts'
import type { SegmentedRecord } from './statement.ts'

/** A row of a sheet: the names of the columns that have a value, in order, and these values as the sheet shows them. */
export interface SheetRow {
  readonly columns: readonly string[]
  readonly cells: readonly string[]
  /** The file that the sheet is from. */
  readonly path: string
}

/** Properties of a row that are not cells. */
const OTHER_PROPERTIES: ReadonlySet<string> = new Set(['path', 'cell_units'])

/**
 * Returns the cells of a record that is a row of an imported sheet. The text of such a record is one item: `- title:
 * column: value; …`. Returns undefined for any other record.
 */
export function sheetRowOf({ record, text, statements }: SegmentedRecord): SheetRow | undefined {
  const { path, type, names } = sheetOf(record)
  const title = plainLine(record.title ?? '')
  if (path === undefined || type === 'document' || statements.length !== 1 || title === '') return undefined
  const start = text.indexOf(': ')
  if (start < 0 || plainLine(text.slice(0, start).replace(/^- /, '')) !== title) return undefined
  const key = names.find((name) => record.properties?.[name] === record.title)
  const cells: [string, string][] = [[key ?? '', title]]
  let rest = text.slice(start + ': '.length)
  const others = names.filter((name) => name !== key)
  for (const [at, name] of others.entries()) {
    if (!rest.startsWith(`${name}: `)) return undefined
    rest = rest.slice(`${name}: `.length)
    const next = others[at + 1]
    const end = next === undefined ? rest.length : rest.indexOf(`; ${next}: `)
    if (end < 0) return undefined
    cells.push([name, plainLine(rest.slice(0, end))])
    rest = rest.slice(end + '; '.length)
  }
  return { columns: cells.map(([name]) => name), cells: cells.map(([, cell]) => cell), path }
}

function sheetOf({ type, properties = {} }: BriefRecord) {
  const path = typeof properties.path === 'string' ? properties.path : undefined
  return { path, type, names: Object.keys(properties).filter((name) => !OTHER_PROPERTIES.has(name)) }
}

/** Renders rows with the same columns as a Markdown table, with the file that they are from. */
export function renderSheetRows(rows: readonly SheetRow[]): string {
  const [first] = rows as [SheetRow]
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  const lines = [line(first.columns), line(first.columns.map(() => '---')), ...rows.map(({ cells }) => line(cells))]
  return `${lines.join('\n')}\n\n— ${[...new Set(rows.map(({ path }) => path))].join(', ')}`
}
