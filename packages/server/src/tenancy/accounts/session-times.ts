import { MS_PER_MINUTE } from '../../base/clock.ts'
import type { Row } from '../../db/tables.ts'

const MINUTES_PER_HOUR = 60

/** Maximum lifetime of a session, in milliseconds. */
export const SESSION_MS = 12 * MINUTES_PER_HOUR * MS_PER_MINUTE
/** Idle timeout of a session, in milliseconds. */
export const IDLE_MS = 2 * MINUTES_PER_HOUR * MS_PER_MINUTE
/** Minimum milliseconds between recorded uses of a session. Most requests therefore cost no write. */
export const USE_INTERVAL_MS = MS_PER_MINUTE

export function idleEnd({ last_used_at: usedAt }: Pick<Row<'session'>, 'last_used_at'>): Date {
  return new Date(usedAt.getTime() + IDLE_MS)
}

/** Returns the end of a session: its absolute expiry or its idle expiry, whichever comes first. */
export function endOfSession(row: Pick<Row<'session'>, 'last_used_at' | 'expires_at'>): Date {
  const idle = idleEnd(row)
  return idle < row.expires_at ? idle : row.expires_at
}
