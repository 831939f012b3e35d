import { MS_PER_MINUTE } from '../../base/clock.ts'
import { repeatedly } from '../../base/one-at-a-time.ts'
import type { Planes } from '../../tenancy/planes.ts'
import { takeFlow } from './consent-rows.ts'
import type { OAuth } from './oauth-port.ts'
import { discardTokens } from './redeem-code.ts'

type SweepPlanes = Pick<Planes, 'clock' | 'log' | 'secrets' | 'sql'> & { readonly oauth: OAuth }

const SWEEP_MS = MS_PER_MINUTE
const ROWS_MAX = 100

/** Starts the periodic removal of expired consents. */
export function startFlowSweeper(planes: SweepPlanes) {
  const failed = (error: unknown) => planes.log.warn('expired consents not removed', { error })
  return repeatedly(SWEEP_MS, () => sweepFlows(planes), failed)
}

/** Removes expired consents, and revokes the tokens of those that were never confirmed. */
export async function sweepFlows(planes: SweepPlanes): Promise<void> {
  const { clock, secrets, sql } = planes
  const now = clock.now()
  const expired = await sql.transact({ worker: true }, (tx) =>
    tx
      .selectFrom('oauth_flow')
      .select(['user_id', 'sandbox_id', 'source_id'])
      .where('expires_at', '<=', now)
      .limit(ROWS_MAX)
      .execute(),
  )
  for (const { user_id: userId, sandbox_id: sandboxId, source_id: sourceId } of expired) {
    const place = { userId, sandboxId, sourceId }
    const taken = await sql.transact(userId, (tx) => takeFlow(secrets, tx, place, { expiredBefore: now }))
    const { sealed } = taken ?? {}
    if (sealed?.tokens) await discardTokens(planes, place, sealed, sealed.tokens)
  }
}
