import type { TierLimits } from '../../config/limits.ts'
import type { Reach } from '../reach/reach.ts'
import type { RateSubject } from './rates.ts'

/** What the limits of each kind are called. */
const NAMES = {
  queries: { own: 'queries_per_minute', ofAccount: 'account_queries_per_minute' },
  reads: { own: 'reads_per_minute', ofAccount: 'account_reads_per_minute' },
  records: { own: 'ingest_records_per_minute', ofAccount: 'account_ingest_records_per_minute' },
} as const

/** The limits a minute of a sandbox's tier, for the sandbox and its whole account: questions, reads, or records. */
export function sandboxRate(
  kind: 'queries' | 'reads' | 'records',
  { holderId, sandboxId, tier }: Pick<Reach, 'holderId' | 'sandboxId' | 'tier'>,
  limits: TierLimits,
): RateSubject {
  const { own, ofAccount } = NAMES[kind]
  const shared = { tier, limit: limits[tier][ofAccount] }
  return { userId: holderId, sandboxId, subjectId: sandboxId, kind, limit: limits[tier][own], shared }
}
