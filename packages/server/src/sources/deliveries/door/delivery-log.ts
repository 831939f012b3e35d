import { sql as sqlText } from 'kysely'
import type { Clock } from '../../../base/clock.ts'
import { Fault } from '../../../base/fault.ts'
import { newId } from '../../../base/id.ts'
import type { Sql } from '../../../db/open.ts'
import type { DeliverySource } from './delivery-source.ts'

/** A delivery that is to be kept: what it is known by, and the chunk of records that it came to, if any. */
export interface KeptDelivery {
  source: Pick<DeliverySource, 'userId' | 'sandboxId' | 'sourceId' | 'kind'>
  eventHash: string
  bodyHash: string
  /** What goes into the inbox; null for a delivery that carries no knowledge. */
  payload: string | null
  /** Why it is ignored, or kept as it came; a code. */
  reason: string | null
  records: number
}

/** What became of a delivery: kept, or known already, with the same body or with another one. */
export type KeepOutcome = 'stored' | 'duplicate' | 'conflict'

/** Keeps deliveries: each is on disk, once, when its promise resolves. */
export interface DeliveryLog {
  /** Rejects with `unavailable` when it cannot be kept, `gone` when its source has just been archived or deleted. */
  keep(delivery: KeptDelivery): Promise<KeepOutcome>
}

interface PendingDelivery {
  delivery: KeptDelivery
  promise: Promise<KeepOutcome>
  resolve: (kept: KeepOutcome) => void
  reject: (cause: unknown) => void
}

/** How long a delivery is known: longer than providers repeat one. */
export const KNOWN_MS = 7 * 24 * 60 * 60_000
/** The most deliveries, and characters of their payloads, in one transaction. */
const TOGETHER_MAX = 500
const TOGETHER_CHARS_MAX = 4 * 2 ** 20
/** Deliveries, and characters, that may wait; more are refused, to be sent again. */
const WAITING_MAX = 10_000
const WAITING_CHARS_MAX = 64 * 2 ** 20
/** While one transaction is synced to disk the next is written. */
const WRITERS = 2
/** Under load, transactions start at least so far apart: many small ones cost more than what they hold. */
const GATHER_MS = 12
const RETRY_SECONDS = 1

/**
 * Opens the log. Deliveries that come while others are being written share the next transaction, whoever's they are, so
 * that one sync of the disk serves all of them.
 */
export function openDeliveryLog({ sql, clock }: { sql: Sql; clock: Clock }): DeliveryLog {
  const waiting = new Map<string, PendingDelivery>()
  const underway = new Map<string, PendingDelivery>()
  let chars = 0
  let writers = 0
  let begunAtMs = Number.NEGATIVE_INFINITY
  let isScheduled = false

  const write = async (): Promise<void> => {
    begunAtMs = performance.now()
    writers += 1
    await settle(sql, clock, takeBatch(), underway).finally(() => {
      writers -= 1
      schedule()
    })
  }

  /** Begins the next transaction when a writer is free, and not sooner than a gathering time after the last began. */
  const schedule = (): void => {
    if (isScheduled || writers >= WRITERS || waiting.size === 0) return
    isScheduled = true
    const begin = () => {
      isScheduled = false
      void write()
    }
    const delayMs = begunAtMs + GATHER_MS - performance.now()
    // Those that come in one turn of the event loop go together.
    if (delayMs <= 0) setImmediate(begin)
    else setTimeout(begin, delayMs)
  }

  const takeBatch = (): PendingDelivery[] => {
    const batch: PendingDelivery[] = []
    let taken = 0
    for (const [key, entry] of waiting) {
      const size = entry.delivery.payload?.length ?? 0
      if (batch.length > 0 && (batch.length >= TOGETHER_MAX || taken + size > TOGETHER_CHARS_MAX)) break
      waiting.delete(key)
      underway.set(key, entry)
      batch.push(entry)
      taken += size
    }
    chars -= taken
    return batch
  }

  return {
    keep: (delivery) => {
      const key = keyOf(delivery)
      const first = waiting.get(key) ?? underway.get(key)
      if (first) return first.promise.then(() => sameBody(first.delivery, delivery))
      const size = delivery.payload?.length ?? 0
      if (waiting.size >= WAITING_MAX || chars + size > WAITING_CHARS_MAX) {
        throw new Fault('unavailable', { note: 'too many deliveries wait', retryAfterSeconds: RETRY_SECONDS })
      }
      const entry = newEntry(delivery)
      waiting.set(key, entry)
      chars += size
      schedule()
      return entry.promise
    },
  }
}

function keyOf({ source, eventHash }: KeptDelivery): string {
  return `${source.sourceId} ${eventHash}`
}

function sameBody(first: KeptDelivery, second: KeptDelivery): KeepOutcome {
  return first.bodyHash === second.bodyHash ? 'duplicate' : 'conflict'
}

function newEntry(delivery: KeptDelivery): PendingDelivery {
  let resolve: PendingDelivery['resolve'] = () => undefined
  let reject: PendingDelivery['reject'] = () => undefined
  const promise = new Promise<KeepOutcome>((onKept, onFailure) => {
    resolve = onKept
    reject = onFailure
  })
  return { delivery, promise, resolve, reject }
}

/** Writes a batch. When one of its sources was deleted meanwhile, each is written alone, so that it fails alone. */
async function settle(
  sql: Sql,
  clock: Clock,
  batch: PendingDelivery[],
  underway: Map<string, PendingDelivery>,
): Promise<void> {
  const deliveries = batch.map(({ delivery }) => delivery)
  try {
    const kept = await insert(sql, deliveries, clock)
    for (const [at, { resolve, reject }] of batch.entries()) {
      const what = kept[at] ?? 'gone'
      if (what === 'gone') reject(new Fault('gone', { detail: 'The source is archived.' }))
      else resolve(what)
    }
  } catch (cause) {
    if (batch.length > 1 && !(cause instanceof Fault && cause.code === 'unavailable')) {
      for (const entry of batch) await settle(sql, clock, [entry], underway)
    } else for (const { reject } of batch) reject(cause)
  } finally {
    for (const { delivery } of batch) underway.delete(keyOf(delivery))
  }
}

interface FoundSource {
  source_id: string
  /** Null: the source is ephemeral and has just been archived. */
  event_hash: string | null
}

/** Adds the deliveries that are not known, and the records of those; tells of each what it was. */
async function insert(sql: Sql, deliveries: KeptDelivery[], clock: Clock): Promise<(KeepOutcome | 'gone')[]> {
  const given = JSON.stringify(
    deliveries.map(({ source, eventHash, bodyHash, payload, reason, records }, place) => ({
      ...keyColumns(source, eventHash),
      place,
      id: newId('delivery', clock),
      body_hash: bodyHash,
      record_count: records,
      payload,
      reason,
      is_call: source.kind === 'ephemeral',
    })),
  )
  const now = clock.now()
  const at = now.toISOString()
  const forgotten = new Date(now.getTime() - KNOWN_MS).toISOString()
  const stored = await sql.write({ door: true }, (tx) => ({
    compile: () =>
      sqlText<FoundSource>`
    with given as materialized (
      select * from json_to_recordset(${given}::text::json) as given (
        place integer, user_id text, sandbox_id text, source_id text, event_hash text, body_hash text,
        record_count integer, payload text, is_call boolean, id text, reason text
      )
    ), called as (
      update source set last_seen_at = greatest(last_seen_at, ${at}::text::timestamptz)
      where status in ('active', 'error') and (user_id, sandbox_id, id) in (
        select user_id, sandbox_id, source_id from given where is_call
      )
      returning id
    ), alive as (
      select *, case when payload is null then 'ignored' end as fate,
        case when payload is not null then nextval('inbox_id_seq') end as inbox_id
      from given where not is_call or source_id in (select id from called)
    ), taken as (
      insert into delivery (
        user_id, sandbox_id, source_id, event_hash, body_hash, record_count, received_at, id, inbox_id, fate, reason
      )
      select user_id, sandbox_id, source_id, event_hash, body_hash, record_count, ${at}::text::timestamptz,
        id, inbox_id, fate, reason
      from alive
      on conflict (user_id, sandbox_id, source_id, event_hash) do update
        set body_hash = excluded.body_hash, record_count = excluded.record_count, received_at = excluded.received_at,
          id = excluded.id, inbox_id = excluded.inbox_id, fate = excluded.fate, reason = excluded.reason
        where delivery.received_at <= ${forgotten}::text::timestamptz
      returning source_id, event_hash
    ), waiting as (
      insert into inbox (id, user_id, sandbox_id, source_id, job_id, kind, payload, record_count, received_at)
      overriding system value
      select inbox_id, user_id, sandbox_id, source_id, null, 'records', payload, record_count,
        ${at}::text::timestamptz
      from alive join taken using (source_id, event_hash)
      where payload is not null
      order by place
    )
    select source_id, event_hash from taken
    union all
    select distinct source_id, null from given where is_call and source_id not in (select id from called)`.compile(tx),
  }))
  const gone = new Set(stored.filter((row) => row.event_hash === null).map((row) => row.source_id))
  const added = new Set(stored.map((row) => `${row.source_id} ${row.event_hash}`))
  const others = deliveries.filter((one) => !added.has(keyOf(one)) && !gone.has(one.source.sourceId))
  const bodies = others.length > 0 ? await knownBodies(sql, others) : new Map<string, string>()
  return deliveries.map((delivery) => {
    if (gone.has(delivery.source.sourceId)) return 'gone'
    if (added.has(keyOf(delivery))) return 'stored'
    return bodies.get(keyOf(delivery)) === delivery.bodyHash ? 'duplicate' : 'conflict'
  })
}

function keyColumns({ userId, sandboxId, sourceId }: KeptDelivery['source'], eventHash: string) {
  return { user_id: userId, sandbox_id: sandboxId, source_id: sourceId, event_hash: eventHash }
}

async function knownBodies(sql: Sql, deliveries: KeptDelivery[]): Promise<Map<string, string>> {
  const keys = JSON.stringify(deliveries.map(({ source, eventHash }) => keyColumns(source, eventHash)))
  const rows = await sql.look({ door: true }, (tx) => ({
    compile: () =>
      sqlText<FoundSource & { body_hash: string }>`
    select source_id, event_hash, body_hash from delivery
    join json_to_recordset(${keys}::text::json)
      as given (user_id text, sandbox_id text, source_id text, event_hash text)
      using (user_id, sandbox_id, source_id, event_hash)`.compile(tx),
  }))
  return new Map(rows.map((row) => [`${row.source_id} ${row.event_hash}`, row.body_hash]))
}

/** Removes deliveries that are no longer known. */
export async function forgetOldDeliveries(sql: Sql): Promise<void> {
  await sql.transact({ worker: true }, (tx) =>
    tx.deleteFrom('delivery').where('received_at', '<', sqlText<Date>`now() - interval '7 days'`).execute(),
  )
}
