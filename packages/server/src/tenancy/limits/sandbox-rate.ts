import type { TierLimits } from '../../config/limits.ts'
import type { Reach } from '../reach/reach.ts'
import type { RateSubject } from './rates.ts'

/** What a sandbox's tier allows by the minute: questions, reads, or records taken in. */
export function sandboxRate(
  kind: 'queries' | 'reads' | 'records',
  { holderId, sandboxId, tier }: Pick<Reach, 'holderId' | 'sandboxId' | 'tier'>,
  limits: TierLimits,
): RateSubject {
  const { queries_per_minute: queries, reads_per_minute: reads, ingest_records_per_minute: records } = limits[tier]
  return { userId: holderId, sandboxId, subjectId: sandboxId, kind, limit: { queries, reads, records }[kind] }
}
