import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { recordKey } from '@cairnstore/engine/resolve'
import { plainKeyHash } from '@cairnstore/engine/text'
import { sql } from 'kysely'
import { ConfigError } from '../../config/config-error.ts'
import type { Head } from '../../db/head.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import { deleteMarksOfSource } from '../../ingest/deleted-records.ts'
import { deleteFiles } from '../../ingest/files/store-files.ts'
import { chunkOf } from '../../ingest/inbox.ts'
import { removeSource } from '../../sources/registry/delete-source.ts'
import type { Planes } from '../../store/planes.ts'
import type { SandboxStore } from '../../store/port.ts'
import type { SandboxRef } from '../../tenancy/sandboxes/assert-writable.ts'
import { BATCH_RECORDS, compactForPurge, emptyInbox, type Purge, removeRecords } from '../erasure/purge-records.ts'
import { deleteStoredReplies, type Erased, NO_COUNTS, parseErased, toErased } from '../erasure/store.ts'

/** Returns the ids of records that were erased, individually or with their source, but are in the head again. */
export async function findErased(
  store: Pick<SandboxStore, 'recordIdsOf' | 'recordsById'>,
  head: Head,
  erased: readonly KnownErased[],
): Promise<string[]> {
  const ids = new Set<string>()
  for (const { source_id: sourceId, record_id: recordId, up_to_seq: upTo, isKnown } of erased) {
    // Erasures that have not begun are left to the janitor.
    if (upTo === null && isKnown) continue
    const seq = upTo ?? head.seq
    if (sourceId !== null) for (const id of await store.recordIdsOf(head, sourceId, seq)) ids.add(id)
    if (recordId === null) continue
    for (const row of (await store.recordsById(head, [recordId])).values()) if (row.seq <= seq) ids.add(row.id)
  }
  return [...ids]
}

/**
 * Repeats erasures that were undone by restoring a backup: of records, of the inbox of purged sources, and of deleted
 * sources. Adds erasures that the database did not know to its list. Returns false if another process holds the lease.
 */
export async function eraseAgain(
  planes: Planes,
  sandbox: SandboxRef,
  ids: readonly string[],
  { erased, seq }: { erased: readonly KnownErased[]; seq: number },
): Promise<boolean> {
  for (let from = 0; from < ids.length; from += BATCH_RECORDS) {
    const batch = ids.slice(from, from + BATCH_RECORDS)
    if (!(await removeRecords(planes, purgeOf(sandbox, ''), batch, Number.POSITIVE_INFINITY))) return false
  }
  if (ids.length > 0 && (await compactForPurge(planes, sandbox)) === undefined) return false
  for (const entry of erased) if (!entry.isKnown) await eraseRows(planes, sandbox, entry, seq)
  return true
}

async function eraseRows(planes: Planes, sandbox: SandboxRef, entry: KnownErased, seq: number): Promise<void> {
  const { source_id: sourceId, record_id: recordId } = entry
  await planes.sql.transact(sandbox.userId, async (tx) => {
    if (sourceId !== null) {
      await emptyInbox(planes, tx, purgeOf(sandbox, sourceId))
      await deleteMarksOfSource(tx, sandbox, sourceId)
      await deleteFiles(tx, sandbox, { source_id: sourceId })
      const source = tx
        .selectFrom('source')
        .selectAll()
        .where(ofSandbox(sandbox, { id: sourceId }))
      const row = entry.is_source_gone ? await source.forUpdate().executeTakeFirst() : undefined
      if (row) await removeSource(planes, tx, row)
    }
    if (entry.mark !== null) {
      await sql`insert into deleted_record
        select * from jsonb_populate_record(null::deleted_record, ${JSON.stringify(entry.mark)}::jsonb)
        on conflict do nothing`.execute(tx)
    }
    await insertErasure(tx, { ...entry, up_to_seq: Math.min(entry.up_to_seq ?? seq, seq) })
  })
  await deleteStoredReplies(planes, sandbox.userId, recordId ?? sourceId ?? sandbox.sandboxId)
}

/** Adds an erasure to the database's list. */
export async function insertErasure(tx: Tx, { isKnown: _, erased_at: at, ...entry }: KnownErased): Promise<void> {
  await tx
    .insertInto('erased')
    .values({ ...entry, mark: entry.mark as never, erased_at: new Date(at) })
    .onConflict((is) => is.doNothing())
    .execute()
}

function purgeOf({ userId, sandboxId }: SandboxRef, sourceId: string): Purge {
  const never = { erased_at: null, scrubbed_at: null }
  const purgeDefaults = { id: '', record_id: null, up_to_seq: null, storage: null, counts: NO_COUNTS, ...never }
  const now = new Date(0)
  return {
    user_id: userId,
    sandbox_id: sandboxId,
    source_id: sourceId,
    ...purgeDefaults,
    requested_at: now,
    not_before: now,
  }
}

/** An erasure. `isKnown` is true if the database lists it. */
export interface KnownErased extends Erased {
  isKnown: boolean
}

type ErasedBySandbox = ReadonlyMap<string, readonly KnownErased[]>

const ROWS_PER_READ = 1_000

/** Returns the map key of a sandbox's erasures. */
export function sandboxKey({ user_id: userId, sandbox_id: sandboxId }: Pick<Erased, 'user_id' | 'sandbox_id'>): string {
  return `${userId}\n${sandboxId}`
}

/**
 * Collects all known erasures: from the database, from the storage, and from an external list. This list is a file with
 * one entry per line, or a folder of such files. Throws ConfigError for an invalid list.
 */
export async function gatherErased(planes: Planes, listPath: string | undefined): Promise<ErasedBySandbox> {
  const all = new Map<string, KnownErased>()
  const add = (entry: Erased, isKnown: boolean) => {
    const key = `${entry.user_id}\n${entry.id}`
    if (!all.has(key)) all.set(key, { ...entry, isKnown })
  }
  for await (const entry of readErasures(planes)) add(entry, true)
  for await (const note of planes.knowledge.stores.readNotes()) {
    const entry = parseErased(Buffer.from(note).toString('utf8'))
    if (entry) add(entry, false)
    else planes.log.warn('an entry in the list of erasures is invalid', {})
  }
  if (listPath !== undefined) for (const entry of await readList(listPath)) add(entry, false)
  const bySandbox = new Map<string, KnownErased[]>()
  for (const entry of all.values()) {
    const key = sandboxKey(entry)
    const others = bySandbox.get(key)
    if (others) others.push(entry)
    else bySandbox.set(key, [entry])
  }
  return bySandbox
}

async function* readErasures({ sql: control }: Planes): AsyncGenerator<Erased> {
  let after = { user: '', id: '' }
  for (;;) {
    const rows = await control.transact({ worker: true }, (tx) =>
      tx
        .selectFrom('erased')
        .selectAll()
        .where((is) => is(is.refTuple('user_id', 'id'), '>', is.tuple(after.user, after.id)))
        .orderBy('user_id')
        .orderBy('id')
        .limit(ROWS_PER_READ)
        .execute(),
    )
    for (const row of rows) yield toErased(row)
    const last = rows.at(-1)
    if (!last || rows.length < ROWS_PER_READ) return
    after = { user: last.user_id, id: last.id }
  }
}

async function readList(path: string): Promise<Erased[]> {
  const found = await stat(path).catch(() => undefined)
  if (!found) throw new ConfigError(`There is no list of erasures at ${path}.`)
  const files = found.isDirectory() ? (await readdir(path)).filter((name) => name.endsWith('.json')) : ['']
  const entries: Erased[] = []
  for (const file of files) {
    const text = await readFile(join(path, file), 'utf8').catch((cause) => {
      throw new ConfigError(
        `${join(path, file)} cannot be read (${cause.code}). Remove it from the list, or repair it.`,
      )
    })
    const lines = text.split('\n').filter((line) => line.trim() !== '')
    for (const line of lines) {
      const entry = parseErased(line)
      if (!entry) throw new ConfigError(`${join(path, file)} contains a line that is not an erasure. Remove the line.`)
      entries.push(entry)
    }
  }
  return entries
}

/**
 * Removes records from the inbox that the storage already contained after the commit of the restored database. Applying
 * them again would replace newer versions. Encrypted rows are left unchanged. Returns the number of removed records.
 */
export async function dropAppliedInbox(
  { sql: control }: Planes,
  sandbox: SandboxRef,
  store: Pick<SandboxStore, 'readSince'>,
  { head, since }: { head: Head; since: number },
): Promise<number> {
  const rows = await control.transact(sandbox.userId, (tx) =>
    tx.selectFrom('inbox').select(['id', 'source_id', 'payload']).where(ofSandbox(sandbox)).execute(),
  )
  if (rows.length === 0) return 0
  const later = new Set<number>()
  for await (const columns of store.readSince(head, since)) {
    if (columns.kind !== 'records') continue
    for (let at = 0; at < columns.count; at++) {
      if (columns.seqs[at]! > since) later.add(columns.externalKeys[at]!)
    }
  }
  let skipped = 0
  for (const row of rows) {
    if (!row.payload.startsWith('{')) continue
    const chunk = chunkOf(row, undefined)
    const isLater = (externalId: string) => later.has(plainKeyHash(recordKey(row.source_id, externalId)))
    const records = chunk.records.filter(({ content }) => !isLater(content.external_id))
    if (records.length === chunk.records.length) continue
    skipped += chunk.records.length - records.length
    await control.transact(sandbox.userId, (tx) =>
      tx
        .updateTable('inbox')
        .set({ payload: JSON.stringify({ ...chunk, records }) })
        .where(ofSandbox(sandbox))
        .where('id', '=', row.id)
        .execute(),
    )
  }
  return skipped
}
