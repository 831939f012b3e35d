import { committedColumns, EMPTY_HEAD, type Head, headOf } from '../../db/head.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import { fileOfPart } from '../../sources/encrypted-parts.ts'
import type { MaintenanceStore } from '../../store/knowledge.ts'
import { takeLease } from '../../store/lease.ts'
import type { Planes } from '../../store/planes.ts'
import type { NewestStored } from '../../store/port.ts'
import { isEncryptedContent } from '../../tenancy/caller-keys/content-cipher.ts'
import type { SandboxRef } from '../../tenancy/sandboxes/assert-writable.ts'
import { eraseSandbox } from '../erasure/erase-sandbox.ts'
import {
  dropAppliedInbox,
  eraseAgain,
  findErased,
  gatherErased,
  insertErasure,
  type KnownErased,
  sandboxKey,
} from './erase-again.ts'

export interface RepairOptions {
  /** True to repair what is found; false for a dry run. */
  apply: boolean
  /** Path of an additional list of erasures; undefined if there is none. */
  erasedList: string | undefined
  report: (line: string) => void
}

/** Number of sandboxes by outcome. */
export interface RepairCounts {
  sound: number
  adopted: number
  erased: number
  broken: number
}

/**
 * Makes the heads in the database agree with the stored datasets, after one of the two was restored from a backup.
 * Moves each head to the newest complete state and repeats erasures. Sandboxes without a complete state are left
 * unchanged. Reports everything. Changes data only with `apply`.
 */
export async function repair(planes: Planes, options: RepairOptions): Promise<RepairCounts> {
  const erased = await gatherErased(planes, options.erasedList)
  const counts: RepairCounts = { sound: 0, adopted: 0, erased: 0, broken: 0 }
  const count = async (
    { user_id: userId, sandbox_id: sandboxId }: Pick<Row<'sandbox_head'>, 'user_id' | 'sandbox_id'>,
    repairOne: (options: RepairOptions) => Promise<Outcome | undefined>,
  ) => {
    const report = (what: string) => options.report(`${sandboxId} of ${userId}: ${what}`)
    try {
      const outcome = await repairOne({ ...options, report })
      if (outcome) counts[outcome] += 1
    } catch (error) {
      counts.broken += 1
      report(`could not be checked (${error instanceof Error ? error.message : error}); unchanged`)
      planes.log.error('a sandbox could not be repaired', { sandboxId, error })
    }
  }
  for await (const row of eachHead(planes)) {
    await count(row, (repairOptions) => repairSandbox(planes, row, erased.get(sandboxKey(row)) ?? [], repairOptions))
  }
  for (const entries of erased.values()) {
    const sandboxErasure = entries.find(isWholeSandbox)
    if (sandboxErasure)
      await count(sandboxErasure, (repairOptions) => eraseLeftover(planes, sandboxErasure, repairOptions))
  }
  return counts
}

type Outcome = keyof RepairCounts

async function repairSandbox(
  planes: Planes,
  row: Row<'sandbox_head'>,
  erased: readonly KnownErased[],
  options: RepairOptions,
): Promise<Outcome> {
  const { apply, report } = options
  const sandbox = { userId: row.user_id, sandboxId: row.sandbox_id }
  const sandboxErasure = erased.find(isWholeSandbox)
  if (sandboxErasure) {
    report(`was erased on ${sandboxErasure.erased_at}, but is in this database again${apply ? '; it is erased' : ''}`)
    if (apply) {
      await eraseSandbox(planes, sandbox, (tx) => insertErasure(tx, sandboxErasure))
    }
    return 'erased'
  }
  const store = await planes.knowledge.store(sandbox)
  if (apply) await sweepUploads(planes, sandbox, store)
  const isContent = (bytes: Uint8Array) => bytes.length === 0 || isEncryptedContent(bytes) === (row.key_epoch !== null)
  const head = headOf(row)
  const found = await store.findNewest(head, isContent)
  for (const note of found.notes) report(note)
  let outcome: Outcome = 'broken'
  try {
    outcome = await repairState(planes, row, { store, head, found, erased }, options)
    return outcome
  } finally {
    // If the state is unchanged, manifests that could not be opened get their names back.
    if (!apply || outcome === 'broken') await found.restoreNames()
  }
}

/** A sandbox's stored state and its erasures. */
interface StoredState {
  store: MaintenanceStore
  head: Head
  found: NewestStored
  erased: readonly KnownErased[]
}

/** Moves a sandbox's head to the stored state and repeats erasures. */
async function repairState(
  planes: Planes,
  row: Row<'sandbox_head'>,
  { store, head, found, erased }: StoredState,
  { apply, report }: RepairOptions,
): Promise<Outcome> {
  const sandbox = { userId: row.user_id, sandboxId: row.sandbox_id }
  if (!found.head) {
    const state = found.isEmpty
      ? 'no stored data: it was erased, or its datasets are lost'
      : 'no complete state is stored'
    report(`${state}; unchanged at commit ${head.seq}`)
    return 'broken'
  }
  const ids = await findErased(store, found.head, erased)
  const isUnknown = erased.some((each) => !each.isKnown)
  if (found.head === head && ids.length === 0 && !isUnknown) return 'sound'
  if (ids.length > 0 && row.key_epoch !== null) {
    report(
      `${ids.length} erased records are stored again, encrypted with a customer-managed key that is not ` +
        'available; unchanged',
    )
    return 'broken'
  }
  if (found.head !== head) report(describeDifference(row, found))
  if (ids.length > 0) report(`${ids.length} erased records are stored again${apply ? '; they are erased' : ''}`)
  else if (isUnknown) report(`erasures missing in this database${apply ? ' were added' : ''}`)
  if (!apply) return found.head === head ? 'erased' : 'adopted'
  if (found.head !== head && !(await adopt(planes, sandbox, found.head))) {
    report('another process holds its lease; unchanged')
    return 'broken'
  }
  const isForward = (found.storedSeq ?? head.seq) > head.seq
  const skipped = isForward ? await dropAppliedInbox(planes, sandbox, store, { head: found.head, since: head.seq }) : 0
  if (skipped > 0) report(`${skipped} waiting records had already been applied and are skipped`)
  if (!(await eraseAgain(planes, sandbox, ids, { erased, seq: found.head.seq }))) {
    report('another process holds its lease; repeat the command')
    return 'broken'
  }
  return found.head === head ? 'erased' : 'adopted'
}

function isWholeSandbox({ source_id: sourceId, record_id: recordId }: KnownErased): boolean {
  return sourceId === null && recordId === null
}

function describeDifference(
  { seq, record_count: before }: Row<'sandbox_head'>,
  { storedSeq = 0, records }: NewestStored,
): string {
  const had = before === null ? '' : ` of ${before}`
  if (storedSeq === seq) return `commit ${seq} differs from the database: ${records}${had} records are stored`
  if (storedSeq > seq) return `the storage is ${storedSeq - seq} commits newer, at ${storedSeq}: ${records} records`
  return `the storage is ${seq - storedSeq} commits older, at ${storedSeq}: ${records}${had} records`
}

/**
 * Moves the head and invalidates all data that was derived from the old one. Returns false if another process holds the
 * lease.
 */
async function adopt(planes: Planes, sandbox: SandboxRef, head: Head): Promise<boolean> {
  const { sql: control, knowledge } = planes
  const isMoved = await control.transact(sandbox.userId, async (tx) => {
    if (!(await takeLease(tx, sandbox, planes))) return false
    await tx
      .updateTable('sandbox_head')
      .set({
        ...committedColumns(head),
        graph_image: null,
        commits_since_upkeep: 0,
        comparable_seq: head.seq,
        vectored_seq: 0,
        changes_from: head.seq,
        record_count: null,
        content_bytes: null,
      })
      .where(ofSandbox(sandbox))
      .execute()
    await tx.deleteFrom('change').where(ofSandbox(sandbox)).execute()
    return true
  })
  knowledge.forget(sandbox)
  return isMoved
}

/** Deletes the stored data of an erased sandbox that the database does not know. */
async function eraseLeftover(
  planes: Planes,
  whole: KnownErased,
  { apply, report }: RepairOptions,
): Promise<Outcome | undefined> {
  const sandbox = { userId: whole.user_id, sandboxId: whole.sandbox_id }
  if (await isKnown(planes, sandbox)) return undefined
  const store = await planes.knowledge.store(sandbox)
  const { isEmpty, restoreNames } = await store.findNewest(EMPTY_HEAD, () => true)
  await restoreNames()
  if (isEmpty) return undefined
  report(`was erased, but is stored again${apply ? '; it is erased' : ''}`)
  if (apply) await planes.knowledge.erase(sandbox)
  return 'erased'
}

const ROWS_PER_READ = 500

async function* eachHead({ sql: control }: Planes): AsyncGenerator<Row<'sandbox_head'>> {
  let after: SandboxRef = { userId: '', sandboxId: '' }
  for (;;) {
    const rows = await control.transact({ worker: true }, (tx) => headsAfter(tx, after))
    yield* rows
    const last = rows.at(-1)
    if (!last || rows.length < ROWS_PER_READ) return
    after = { userId: last.user_id, sandboxId: last.sandbox_id }
  }
}

function headsAfter(tx: Tx, { userId, sandboxId }: SandboxRef) {
  return tx
    .selectFrom('sandbox_head')
    .selectAll()
    .where((is) => is(is.refTuple('user_id', 'sandbox_id'), '>', is.tuple(userId, sandboxId)))
    .orderBy('user_id')
    .orderBy('sandbox_id')
    .limit(ROWS_PER_READ)
    .execute()
}

async function isKnown({ sql: control }: Planes, { userId, sandboxId }: SandboxRef): Promise<boolean> {
  const row = await control.transact(userId, (tx) =>
    tx.selectFrom('sandbox_head').select('seq').where(ofSandbox({ userId, sandboxId })).executeTakeFirst(),
  )
  return row !== undefined
}

/**
 * Deletes parts of uploads and of original files that the database does not know. If an import has missing parts, it
 * fails when it is resumed, and its error says what to do.
 */
async function sweepUploads({ sql }: Planes, sandbox: SandboxRef, store: MaintenanceStore): Promise<void> {
  const uploads = await sql.transact(sandbox.userId, (tx) =>
    tx.selectFrom('import_upload').select('job_id').where(ofSandbox(sandbox)).execute(),
  )
  const jobIds = new Set(uploads.map((upload) => upload.job_id))
  await store.removeSegments('imports', (name) => !jobIds.has(fileOfPart(name)))
  const originals = await sql.transact(sandbox.userId, (tx) =>
    tx.selectFrom('original').select('id').where(ofSandbox(sandbox)).execute(),
  )
  const originalIds = new Set(originals.map(({ id }) => id))
  await store.removeSegments('originals', (name) => !originalIds.has(fileOfPart(name)))
}
