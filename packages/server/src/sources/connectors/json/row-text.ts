/** Matches a cell with sentences. Such a cell gets a separate line. */
const PROSE = /[.!?]\s|\n/

/** Pairs of column and cell, or of path and value. */
export type Cells = readonly (readonly [string, unknown])[]

/** Returns a row as readable lines, each with the row's name and some of its cells. Returns '' without cells. */
export function rowText(name: string | undefined, cells: Cells): string {
  const shown = cells.map(([column, value]) => `${column.replaceAll('_', ' ')}: ${String(value)}`)
  const [short, long] = [shown.filter((cell) => !PROSE.test(cell)), shown.filter((cell) => PROSE.test(cell))]
  const lines = [...(short.length > 0 ? [short.join('; ')] : []), ...long]
  return lines.map((line) => (name === undefined ? `- ${line}` : `- ${name}: ${line}`)).join('\n')
}
