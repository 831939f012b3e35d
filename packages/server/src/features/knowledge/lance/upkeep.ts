import { Index, type Table } from '@lancedb/lancedb'
import { systemClock } from '../../../base/clock.ts'
import * as decode from './decode.ts'
import { syncTree } from './durable.ts'
import { type Log, readLog } from './log.ts'
import { sweep } from './purge.ts'
import { placeOf, type StoreParts } from './reader.ts'
import type { Head } from './rows.ts'
import { datasetKey, localDatasetPath } from './sandbox-folder.ts'
import { KINDS, type Kind, SHAPES } from './shapes.ts'
import { packPlace } from './versions.ts'
import { Interference, type Writer, type Writers } from './writers.ts'

/** What upkeep keeps. */
export interface UpkeepOptions {
  /** Versions younger than this stay readable: longer than the longest request. */
  readonly retainMs?: number
  /** The head's own version and those this much older stay too, see `prune`. */
  readonly clockSlackMs?: number
  /** Tombstones of the last commits stay, so that an index so far behind catches up without a rebuild. */
  readonly keepTombstonesOfCommits?: number
}

/** Longer than any request but an export, which ends with HeadGone when the head that it reads is removed. */
const RETAIN_MS = 120_000
/** How long Lance may take, on a busy machine, from the call of `optimize` to its look at the time. */
const CLOCK_SLACK_MS = 5_000
const KEPT_TOMBSTONES_COMMITS = 1_000
/** Row numbers in one delete: some 40 KB of text. */
const ROWS_PER_DELETE = 5_000
/** A fragment is merged with all newer ones when it has at most this many times their rows: so each row is rewritten
 * a few times in its life, and the number of fragments grows with the logarithm of the rows. */
const MERGE_RATIO = 2
/** Old versions go only with a rewrite of the whole dataset (Lance prunes in `optimize`), so it waits until there are
 * one for so many rows, but at least and at most so many: a version leaves some 8 KB of manifest and small files. */
const ROWS_PER_OLD_VERSION = 32
const OLD_VERSIONS_MIN = 64
const OLD_VERSIONS_MAX = 1_024
/** Below this a scan is as fast as an index. */
const INDEXED_ROWS_MIN = 2_000

/**
 * Tidies what commits left behind: deletes superseded rows and old tombstones, merges small fragments, and now and
 * then rewrites, prunes and indexes. Row numbers stay. Runs under the sandbox's lease; the caller moves the head to
 * the one that is returned. Throws Fenced.
 */
export async function upkeep(parts: StoreParts, head: Head, options: UpkeepOptions = {}): Promise<Head> {
  const tombstoneFloor = Math.max(0, head.seq - (options.keepTombstonesOfCommits ?? KEPT_TOMBSTONES_COMMITS))
  let next = head
  for (const kind of KINDS) {
    const { place, version } = placeOf(parts.folder, head, kind)
    if (version === 0) continue
    let dropped = 0
    const path = localDatasetPath(place)
    const left = await parts.writers.change(place, version, async (writer) => {
      dropped = await tidy(parts.writers, writer, { kind, tombstoneFloor, headVersion: version, options })
      if (path) await syncTree(path, writer.durableFiles, [])
    })
    const from = head[`${kind}Version`]
    const to = packPlace({ generation: place.generation, version: left })
    parts.tails.stepped(datasetKey(place), { from, to, rows: 0 })
    next = { ...next, [`${kind}Version`]: to, floorSeq: Math.max(next.floorSeq, dropped) }
  }
  await sweep(parts, head)
  return next
}

interface Task {
  readonly kind: Kind
  readonly tombstoneFloor: number
  readonly headVersion: number
  readonly options: UpkeepOptions
}

/** Tidies one dataset; returns the seq of the newest tombstone that it dropped. */
async function tidy(writers: Writers, writer: Writer, task: Task): Promise<number> {
  const { table } = writer
  const before = writer.version
  const log = await readLog(table, 0, { fragments: true })
  const { drop, keep, floorSeq } = droppable(log, task.tombstoneFloor)
  for (let start = 0; start < drop.length; start += ROWS_PER_DELETE) {
    const rows = drop.slice(start, start + ROWS_PER_DELETE).map((i) => log.rows[i])
    await writers.commit(writer, async () => (await table.delete(`_rowid IN (${rows.join(',')})`)).version)
  }
  const merge = planMerge(listFragments(log, keep))
  // Every commit since the last upkeep left a fragment, so their number bounds that of the new versions.
  const isDue = passesMultiple(rewriteStep(keep.length), before - new Set(log.fragments).size, before)
  if (merge === 'all' || isDue) {
    await rewrite(writers, writer, task.kind, { count: keep.length, seqSum: sum(keep.map((i) => log.seqs[i]!)) })
    if (isDue) await prune(writer, task)
  } else if (merge) {
    // An update that changes nothing moves its rows into one new fragment, under the same row numbers.
    const where = `seq > ${merge.aboveSeq}`
    await writers.commit(writer, async () => (await table.update({ where, valuesSql: { live: 'live' } })).version)
  }
  return floorSeq
}

/** What tells one content of a dataset from another, whatever its layout. */
interface Fingerprint {
  readonly count: number
  readonly seqSum: number
}

/** Compacting what is indexed with what is not yet takes two rounds, and one sees that nothing is left to do. */
const COMPACTIONS_MAX = 3

/**
 * Compacts and indexes. Lance makes any number of versions here, so the content is compared afterwards: a row more or
 * less is another writer's.
 */
async function rewrite(writers: Writers, writer: Writer, kind: Kind, expected: Fingerprint): Promise<void> {
  const { table } = writer
  if (expected.count >= INDEXED_ROWS_MIN) await indexColumns(writers, writer, kind)
  for (let round = 0; round < COMPACTIONS_MAX; round++) {
    // Without a date Lance removes what is older than a week: the head's own version, when the sandbox was idle.
    const { compaction } = await table.optimize({ cleanupOlderThan: dateOf(0) })
    if (compaction.fragmentsRemoved === 0) break
  }
  const found = await fingerprint(table)
  if (found.count !== expected.count || found.seqSum !== expected.seqSum) throw new Interference('the rows differ')
  writer.version = await table.version()
}

/**
 * Removes versions out of every reader's reach. The version that the head names must outlive this call, however old it
 * is, since the head moves only afterwards, or never after a crash; so only what is older than it goes. Compaction
 * comes first in `optimize` and would delay its look at the time: there is none left to do when this is called.
 */
async function prune({ table }: Writer, { headVersion, options }: Task): Promise<void> {
  const head = (await table.listVersions()).find(({ version }) => version === headVersion)
  if (!head) return
  const slackMs = options.clockSlackMs ?? CLOCK_SLACK_MS
  const reachMs = systemClock.now().getTime() - (options.retainMs ?? RETAIN_MS)
  await table.optimize({ cleanupOlderThan: dateOf(Math.min(reachMs, head.timestamp.getTime() - slackMs)) })
}

function dateOf(ms: number): Date {
  const date = systemClock.now()
  date.setTime(ms)
  return date
}

async function indexColumns(writers: Writers, writer: Writer, kind: Kind): Promise<void> {
  const existing = new Set((await writer.table.listIndices()).flatMap((index) => index.columns))
  for (const column of SHAPES[kind].indexed) {
    if (existing.has(column)) continue
    await writers.commit(writer, async () => {
      await writer.table.createIndex(column, { config: Index.btree() })
      return writer.table.version()
    })
  }
}

async function fingerprint(table: Table): Promise<Fingerprint> {
  let count = 0
  let seqSum = 0
  for await (const batch of table.query().select(['seq'])) {
    count += batch.numRows
    seqSum += sum(decode.numbers(batch, 'seq'))
  }
  return { count, seqSum }
}

/** Splits the log into rows to drop and rows to keep, as positions in it. */
function droppable(log: Log, tombstoneFloor: number): { drop: number[]; keep: number[]; floorSeq: number } {
  const drop: number[] = []
  const keep: number[] = []
  let floorSeq = 0
  for (let i = 0; i < log.rows.length; i++) {
    const isOldTombstone = log.newest[i] && !log.live[i] && log.seqs[i]! <= tombstoneFloor
    if (isOldTombstone) floorSeq = Math.max(floorSeq, log.seqs[i]!)
    if (!log.newest[i] || isOldTombstone) drop.push(i)
    else keep.push(i)
  }
  return { drop, keep, floorSeq }
}

interface Fragment {
  readonly id: number
  rows: number
  seqMax: number
}

function listFragments(log: Log, keep: readonly number[]): Fragment[] {
  const fragments = new Map<number, Fragment>()
  for (const i of keep) {
    const id = log.fragments[i]!
    const fragment = fragments.get(id) ?? { id, rows: 0, seqMax: 0 }
    fragment.rows += 1
    fragment.seqMax = Math.max(fragment.seqMax, log.seqs[i]!)
    fragments.set(id, fragment)
  }
  return [...fragments.values()].sort((a, b) => a.id - b.id)
}

/** Which of the newest fragments to merge: all, those with rows above a seq, or none. Fragments lie in order of seq. */
function planMerge(fragments: readonly Fragment[]): 'all' | { aboveSeq: number } | undefined {
  let from = fragments.length - 1
  let newer = 0
  for (let i = fragments.length - 1; i >= 0; i--) {
    if (fragments[i]!.rows <= newer * MERGE_RATIO) from = i
    newer += fragments[i]!.rows
  }
  if (fragments.length - from < 2) return undefined
  if (from === 0) return 'all'
  return { aboveSeq: Math.max(...fragments.slice(0, from).map((fragment) => fragment.seqMax)) }
}

/** A power of two, so that steps of a growing dataset fall on the same versions. */
function rewriteStep(rows: number): number {
  const step = 2 ** Math.floor(Math.log2(Math.max(1, rows / ROWS_PER_OLD_VERSION)))
  return Math.min(OLD_VERSIONS_MAX, Math.max(OLD_VERSIONS_MIN, step))
}

function passesMultiple(step: number, from: number, to: number): boolean {
  return Math.floor(to / step) > Math.floor(from / step)
}

function sum(numbers: Iterable<number>): number {
  let total = 0
  for (const number of numbers) total += number
  return total
}
