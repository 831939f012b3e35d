/** What stands for a number that the service counts, by what it is called in its metrics. */
type Totals = ReadonlyMap<string, number>

const LINE = /^(\w+)(?:\{[^}]*\})? (\S+)/

/** The numbers of a text of metrics (Prometheus), each summed over its labels. */
export function numbersOf(text: string): Totals {
  const totals = new Map<string, number>()
  for (const line of text.split('\n')) {
    const [, name, value] = LINE.exec(line) ?? []
    const number = Number(value)
    if (name !== undefined && Number.isFinite(number)) totals.set(name, (totals.get(name) ?? 0) + number)
  }
  return totals
}
