/** A cell that holds sentences is told by itself. */
const PROSE = /[.!?]\s|\n/

/** Cells by their columns, or values by their paths. */
export type Cells = readonly (readonly [string, unknown])[]

/** Returns a row as people read one: what it is called, and its other cells behind it; empty without cells. */
export function rowText(name: string | undefined, cells: Cells): string {
  const shown = cells.map(([column, value]) => `${column.replaceAll('_', ' ')}: ${String(value)}`)
  const [short, long] = [shown.filter((cell) => !PROSE.test(cell)), shown.filter((cell) => PROSE.test(cell))]
  const lines = [...(short.length > 0 ? [short.join('; ')] : []), ...long]
  return lines.map((line) => (name === undefined ? `- ${line}` : `- ${name}: ${line}`)).join('\n')
}
