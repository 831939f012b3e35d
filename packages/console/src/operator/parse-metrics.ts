/** Values by metric name. */
type Totals = ReadonlyMap<string, number>

const LINE = /^(\w+)(?:\{[^}]*\})? (\S+)/

/** Parses metrics in the Prometheus text format. Values are summed over all labels. */
export function parseMetrics(text: string): Totals {
  const totals = new Map<string, number>()
  for (const line of text.split('\n')) {
    const [, name, value] = LINE.exec(line) ?? []
    const number = Number(value)
    if (name !== undefined && Number.isFinite(number)) totals.set(name, (totals.get(name) ?? 0) + number)
  }
  return totals
}
