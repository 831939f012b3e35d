import { MS_PER_MINUTE } from '../../base/clock.ts'
import type { Row } from '../../db/tables.ts'

const MINUTES_PER_HOUR = 60

/** A session ends this long after it began. */
export const SESSION_MS = 12 * MINUTES_PER_HOUR * MS_PER_MINUTE
/** A session ends this long after it was last used. */
export const IDLE_MS = 2 * MINUTES_PER_HOUR * MS_PER_MINUTE
/** Uses are noted at most this often, so that a request usually costs no write. */
export const NOTED_EVERY_MS = MS_PER_MINUTE

/** Returns when a session ends unless it is used again. */
export function idleEnd({ last_used_at: usedAt }: Pick<Row<'session'>, 'last_used_at'>): Date {
  return new Date(usedAt.getTime() + IDLE_MS)
}

/** Returns when a session ends: at its absolute end or its idle end, whichever comes first. */
export function endOfSession(row: Pick<Row<'session'>, 'last_used_at' | 'expires_at'>): Date {
  const idle = idleEnd(row)
  return idle < row.expires_at ? idle : row.expires_at
}
