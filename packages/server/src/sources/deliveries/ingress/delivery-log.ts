import { sql as sqlText } from 'kysely'
import type { Clock } from '../../../base/clock.ts'
import { Fault } from '../../../base/fault.ts'
import { newId } from '../../../base/id.ts'
import { sandboxColumns } from '../../../db/of-sandbox.ts'
import type { Sql } from '../../../db/open.ts'
import type { DeliverySource } from './delivery-source.ts'

/** A delivery to store: its keys, and its chunk of records if it has any. */
export interface DeliveryEntry {
  source: Pick<DeliverySource, 'userId' | 'sandboxId' | 'sourceId' | 'kind'>
  eventHash: string
  bodyHash: string
  /** Payload of the inbox row; null for a delivery without records. */
  payload: string | null
  /** Code of the reason why it was ignored or stored as received. */
  reason: string | null
  records: number
}

/** `duplicate` and `conflict`: the event is already known, with the same or another body. */
export type StoreOutcome = 'stored' | 'duplicate' | 'conflict'

/** Stores deliveries. Each is durable on disk, exactly once, when its promise resolves. */
export type DeliveryLog = ReturnType<typeof openDeliveryLog>

interface PendingDelivery {
  delivery: DeliveryEntry
  promise: Promise<StoreOutcome>
  resolve: (outcome: StoreOutcome) => void
  reject: (cause: unknown) => void
}

/** Milliseconds for which a delivery is stored to detect duplicates. Providers retry for a shorter time. */
export const DEDUP_MS = 7 * 24 * 60 * 60_000
/** Maximum number of deliveries, and of characters of their payloads, per transaction. */
const BATCH_MAX = 500
const BATCH_CHARS_MAX = 4 * 2 ** 20
/** Maximum numbers of queued deliveries and of their characters. Over these limits, the provider has to retry. */
const WAITING_MAX = 10_000
const WAITING_CHARS_MAX = 64 * 2 ** 20
/** Number of concurrent transactions: while one is synced to disk, the next is written. */
const WRITERS = 2
/** Minimum milliseconds between the starts of two transactions under load. */
const BATCH_DELAY_MS = 12
const RETRY_SECONDS = 1

/** Opens the log. Deliveries of all accounts that arrive during a write share the next transaction. */
export function openDeliveryLog({ sql, clock }: { sql: Sql; clock: Clock }) {
  const waiting = new Map<string, PendingDelivery>()
  const inFlight = new Map<string, PendingDelivery>()
  let chars = 0
  let writers = 0
  let startedAtMs = Number.NEGATIVE_INFINITY
  let isScheduled = false

  const write = async (): Promise<void> => {
    startedAtMs = performance.now()
    writers += 1
    await settle(sql, clock, takeBatch(), inFlight).finally(() => {
      writers -= 1
      schedule()
    })
  }

  /** Starts the next transaction when a writer is free, at least BATCH_DELAY_MS after the start of the last one. */
  const schedule = (): void => {
    if (isScheduled || writers >= WRITERS || waiting.size === 0) return
    isScheduled = true
    const begin = () => {
      isScheduled = false
      void write()
    }
    const delayMs = startedAtMs + BATCH_DELAY_MS - performance.now()
    // Deliveries of the same event loop iteration share a batch.
    if (delayMs <= 0) setImmediate(begin)
    else setTimeout(begin, delayMs)
  }

  const takeBatch = (): PendingDelivery[] => {
    const batch: PendingDelivery[] = []
    let taken = 0
    for (const [key, entry] of waiting) {
      const size = entry.delivery.payload?.length ?? 0
      if (batch.length > 0 && (batch.length >= BATCH_MAX || taken + size > BATCH_CHARS_MAX)) break
      waiting.delete(key)
      inFlight.set(key, entry)
      batch.push(entry)
      taken += size
    }
    chars -= taken
    return batch
  }

  return {
    /** Stores a delivery. Rejects with `unavailable`, or with `gone` if its source was just archived or deleted. */
    append: (delivery: DeliveryEntry) => {
      const key = keyOf(delivery)
      const first = waiting.get(key) ?? inFlight.get(key)
      if (first) return first.promise.then(() => sameBody(first.delivery, delivery))
      const size = delivery.payload?.length ?? 0
      if (waiting.size >= WAITING_MAX || chars + size > WAITING_CHARS_MAX) {
        throw new Fault('unavailable', { note: 'too many deliveries are queued', retryAfterSeconds: RETRY_SECONDS })
      }
      const entry = newEntry(delivery)
      waiting.set(key, entry)
      chars += size
      schedule()
      return entry.promise
    },
  }
}

function keyOf({ source, eventHash }: DeliveryEntry): string {
  return `${source.sourceId} ${eventHash}`
}

function sameBody(first: DeliveryEntry, second: DeliveryEntry): StoreOutcome {
  return first.bodyHash === second.bodyHash ? 'duplicate' : 'conflict'
}

function newEntry(delivery: DeliveryEntry): PendingDelivery {
  let resolve: PendingDelivery['resolve'] = () => undefined
  let reject: PendingDelivery['reject'] = () => undefined
  const promise = new Promise<StoreOutcome>((onStored, onFailure) => {
    resolve = onStored
    reject = onFailure
  })
  return { delivery, promise, resolve, reject }
}

/** Writes a batch. If one of its sources was deleted, each delivery is written separately. */
async function settle(
  sql: Sql,
  clock: Clock,
  batch: PendingDelivery[],
  inFlight: Map<string, PendingDelivery>,
): Promise<void> {
  const deliveries = batch.map(({ delivery }) => delivery)
  try {
    const outcomes = await insert(sql, deliveries, clock)
    for (const [at, { resolve, reject }] of batch.entries()) {
      const outcome = outcomes[at] ?? 'gone'
      if (outcome === 'gone') reject(new Fault('gone', { detail: 'The source is archived.' }))
      else resolve(outcome)
    }
  } catch (cause) {
    if (batch.length > 1 && !(cause instanceof Fault && cause.code === 'unavailable')) {
      for (const entry of batch) await settle(sql, clock, [entry], inFlight)
    } else for (const { reject } of batch) reject(cause)
  } finally {
    for (const { delivery } of batch) inFlight.delete(keyOf(delivery))
  }
}

interface FoundSource {
  source_id: string
  /** Null if the source is ephemeral and was just archived. */
  event_hash: string | null
}

/** Inserts the new deliveries and their inbox rows. Returns the outcome of each delivery. */
async function insert(sql: Sql, deliveries: DeliveryEntry[], clock: Clock): Promise<(StoreOutcome | 'gone')[]> {
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
  const dedupCutoff = new Date(now.getTime() - DEDUP_MS).toISOString()
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
        where delivery.received_at <= ${dedupCutoff}::text::timestamptz
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

function keyColumns(source: DeliveryEntry['source'], eventHash: string) {
  return { ...sandboxColumns(source), source_id: source.sourceId, event_hash: eventHash }
}

async function knownBodies(sql: Sql, deliveries: DeliveryEntry[]): Promise<Map<string, string>> {
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

/** Removes deliveries that are older than `DEDUP_MS`. */
export async function removeOldDeliveries(sql: Sql): Promise<void> {
  await sql.transact({ worker: true }, (tx) =>
    tx.deleteFrom('delivery').where('received_at', '<', sqlText<Date>`now() - interval '7 days'`).execute(),
  )
}
