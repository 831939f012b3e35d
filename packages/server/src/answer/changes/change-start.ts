import type { Position } from '../../base/cursor.ts'
import { invalid } from '../../base/fault.ts'

/** How a moment or a day begins; no cursor does but by chance, and that one is as long as no moment. */
const DAY = /^\d{4}-\d{2}-\d{2}(?:[Tt ][0-9:.]+(?:[Zz]|[+-]\d{2}:\d{2})?)?$/

/** From where changes are read: a cursor's commit and place in it, a moment, or undefined: from the first one kept. */
export function startOf(
  since: string | undefined,
  unpack: (cursor: string) => Position,
): { seq: number; at: number } | Date | undefined {
  if (since === undefined) return undefined
  if (DAY.test(since)) {
    const at = new Date(since)
    const day = since.slice(0, 'YYYY-MM-DD'.length)
    // Date takes 31 February for a day in March.
    const isDay = !Number.isNaN(at.getTime()) && new Date(day).toISOString().startsWith(day)
    if (!isDay) throw invalid(['query', 'since'], 'is no moment or day that there is')
    return at
  }
  const [seq, at] = unpack(since)
  return { seq: Number(seq), at: Number(at) }
}
