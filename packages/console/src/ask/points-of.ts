/** A data point: a value at a time. */
export interface Point {
  name: string
  ms: number
  value: number
}

type TableCell = string | number | boolean | null

const POINTS_MIN = 3
const TIME = /^\d{4}(?:-\d\d(?:-\d\d)?)?(?:T.*)?$/

/**
 * Returns the rows as data points in order of time. Undefined unless there are several rows that each consist of a day,
 * month or year and one number.
 */
export function pointsOf(rows: readonly (readonly TableCell[])[]): Point[] | undefined {
  const points = rows.flatMap(([name, value, ...rest]) => {
    const ms = typeof name === 'string' && TIME.test(name) ? Date.parse(name) : Number.NaN
    return typeof value === 'number' && rest.length === 0 && !Number.isNaN(ms)
      ? [{ name: String(name), ms, value }]
      : []
  })
  if (points.length < POINTS_MIN || points.length < rows.length) return undefined
  return points.sort((one, other) => one.ms - other.ms)
}
