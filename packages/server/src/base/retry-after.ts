import { MS_PER_SECOND } from './clock.ts'

/**
 * How long a `Retry-After` asks to wait, in milliseconds: its seconds, or the time from the answer's own `Date` until
 * the date that it names. Undefined for anything else.
 */
export function retryAfterMs(headers: Headers): number | undefined {
  const given = headers.get('retry-after')?.trim() ?? ''
  if (/^\d{1,9}$/.test(given)) return Number(given) * MS_PER_SECOND
  const waitMs = Date.parse(given) - Date.parse(headers.get('date') ?? '')
  return /^[A-Z]/.test(given) && waitMs > 0 ? waitMs : undefined
}
