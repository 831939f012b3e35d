import { sql as sqlText } from 'kysely'
import { MS_PER_SECOND } from '../../base/clock.ts'
import { ATTEMPTS_MAX } from '../../ingest/apply.ts'
import type { Planes } from '../../store/planes.ts'
import { PULLABLE } from '../connectors/connector-for.ts'
import { isDue } from './due.ts'

/** The work that waits in the whole service, for any of its processes. */
export interface Backlog {
  /** Records that are accepted and not applied, and for how long the eldest of them has waited. */
  records: number
  recordsSeconds: number
  /** Records whose batch failed so often that it is not tried again. They are kept. */
  givenUp: number
  /** Sources that are due and that nobody reads, and for how long the first of them has been. */
  sources: number
  sourcesSeconds: number
}

/** Counting goes over all that waits, so whoever asks more often gets the latest answer. */
const FRESH_MS = 5_000

/** Opens the counting of what waits; an answer is some seconds old at most. */
export function openBacklog(planes: Pick<Planes, 'sql' | 'clock'>): () => Promise<Backlog> {
  let latest: { atMs: number; backlog: Promise<Backlog> } | undefined
  return () => {
    const atMs = performance.now()
    if (latest === undefined || atMs - latest.atMs > FRESH_MS) latest = { atMs, backlog: readBacklog(planes) }
    return latest.backlog
  }
}

async function readBacklog({ sql, clock }: Pick<Planes, 'sql' | 'clock'>): Promise<Backlog> {
  const now = clock.now()
  const { records, sources } = await sql.transact({ worker: true }, async (tx) => ({
    records: await tx
      .selectFrom('inbox')
      .select([
        sqlText<number>`coalesce(sum(record_count) filter (where attempts < ${ATTEMPTS_MAX}), 0)::bigint`.as('count'),
        sqlText<Date | null>`min(received_at) filter (where attempts < ${ATTEMPTS_MAX})`.as('eldest'),
        sqlText<number>`coalesce(sum(record_count) filter (where attempts >= ${ATTEMPTS_MAX}), 0)::bigint`.as(
          'given_up',
        ),
      ])
      .executeTakeFirstOrThrow(),
    sources: await tx
      .selectFrom('source')
      .select([sqlText<number>`count(*)`.as('count'), sqlText<Date | null>`min(next_poll_at)`.as('eldest')])
      .where((is) => isDue(is, now))
      .where(sqlText<string>`translate(lower(provider), '-.', '__')`, 'in', PULLABLE)
      .executeTakeFirstOrThrow(),
  }))
  const secondsSince = (eldest: Date | null) =>
    eldest === null ? 0 : Math.max(0, (now.getTime() - eldest.getTime()) / MS_PER_SECOND)
  return {
    records: records.count,
    recordsSeconds: secondsSince(records.eldest),
    givenUp: records.given_up,
    sources: sources.count,
    sourcesSeconds: secondsSince(sources.eldest),
  }
}
