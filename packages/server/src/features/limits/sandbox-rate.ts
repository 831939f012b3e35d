import type { TierLimits } from '../../config/limits.ts'
import type { Reach } from '../sharing/reach.ts'
import type { RateSubject } from './rates.ts'

/** What a sandbox's tier allows by the minute: questions, or records taken in. */
export function sandboxRate(
  kind: 'queries' | 'records',
  { holderId, sandboxId, tier }: Pick<Reach, 'holderId' | 'sandboxId' | 'tier'>,
  limits: TierLimits,
): RateSubject {
  const { queries_per_minute: queries, ingest_records_per_minute: records } = limits[tier]
  return { userId: holderId, sandboxId, subjectId: sandboxId, kind, limit: kind === 'queries' ? queries : records }
}
