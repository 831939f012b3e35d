import { systemClock } from '../../base/clock.ts'
import type { Head } from '../../db/head.ts'
import { type CompactionOptions, KINDS, type Kind } from '../port.ts'
import { supersededRows } from './count-live.ts'
import { syncTree } from './durable.ts'
import { sweep } from './purge.ts'
import { datasetAt, type StoreParts } from './reader.ts'
import { indexUnindexed, planMerge, prune, rewrite, runMerge, WHOLE_DATASET } from './rewrite.ts'
import { type RowLog, readLog } from './row-log.ts'
import { datasetKey, localDatasetPath, packDatasetState } from './sandbox-folder.ts'
import { SHAPES } from './shapes.ts'
import type { Writer } from './writers.ts'

/** Milliseconds for which old versions are kept. Only exports may take longer, and end with HeadGone if pruned. */
const RETAIN_MS = 120_000
/** Milliseconds that Lance may take, on a busy machine, from the call of `optimize` until it reads the clock. */
const CLOCK_SLACK_MS = 5_000
const TOMBSTONE_RETENTION_COMMITS = 1_000
/** Row numbers per DELETE, about 40 kB of text. */
const ROWS_PER_DELETE = 5_000
/**
 * A rewrite is due after a number of versions in proportion to the rows, within these limits. Lance deletes old
 * versions only in `optimize`, which rewrites the whole dataset. An old version takes about 8 kB.
 */
const ROWS_PER_OLD_VERSION = 32
const OLD_VERSIONS_MIN = 64
const OLD_VERSIONS_MAX = 4_096
/** Idle datasets are rewritten if old versions have 1/GARBAGE_SHARE as many rows, or 1/DEAD_SHARE are deleted. */
const GARBAGE_SHARE = 4
const DEAD_SHARE = 2
/** Minimum number of such rows. For fewer, the about 20 requests of a rewrite do not pay off. */
const GARBAGE_ROWS_MIN = 128
/** Overhead of an old version, counted in rows of 1 kB. */
const ROWS_OF_VERSION = 8
/** Indexes of idle datasets are rebuilt if 1/UNINDEXED_SHARE of the rows are unindexed. Lookups scan those. */
const UNINDEXED_SHARE = 4
/** Minimum number of rows for an index. Below it a scan is as fast. */
const INDEXED_ROWS_MIN = 2_000

const NONE: ReadonlySet<number> = new Set()

interface Task {
  readonly kind: Kind
  readonly tombstoneFloor: number
  readonly headVersion: number
  /** Commit number of this compaction, if it moves rows. */
  readonly placed: number
  /** Numbers of further rows to delete, although they are the newest of their id. */
  readonly superseded: ReadonlySet<number>
  readonly options: CompactionOptions
}

interface CompactionResult {
  /** Seq of the newest removed tombstone. */
  readonly floorSeq: number
  readonly movedRows: number
}

/**
 * Compacts a sandbox's datasets: deletes superseded rows and old tombstones, merges small fragments and, if it pays
 * off, rewrites, prunes and indexes. A compaction that renumbers rows is a commit, so that a catch-up reads the new
 * numbers. Runs under the sandbox's lease. The caller moves the head to the returned one. Throws Fenced.
 */
export async function compact(parts: StoreParts, head: Head, options: CompactionOptions = {}): Promise<Head> {
  const tombstoneFloor = Math.max(0, head.seq - (options.keepTombstonesOfCommits ?? TOMBSTONE_RETENTION_COMMITS))
  const placed = head.seq + 1
  let next = head
  const kinds = options.kinds ?? KINDS
  for (const kind of kinds) {
    const { place, version } = datasetAt(parts.folder, head, kind)
    if (version === 0) continue
    let result: CompactionResult = { floorSeq: 0, movedRows: 0 }
    const path = localDatasetPath(place)
    // Reads the compacted records, since the old head's version may already be pruned.
    const records = next
    const newVersion = await parts.writers.change(place, version, async (writer) => {
      const superseded = kind === 'vectors' ? await supersededRows(parts, records, writer.table) : NONE
      result = await compactDataset(parts, writer, {
        kind,
        tombstoneFloor,
        headVersion: version,
        placed,
        superseded,
        options,
      })
      if (path) await syncTree(path, writer.durableFiles, [])
    })
    const from = head[`${kind}Version`]
    const to = packDatasetState({ generation: place.generation, version: newVersion })
    parts.tails.addStep(datasetKey(place), { from, to, rows: result.movedRows, isWhole: false })
    const seq = result.movedRows > 0 ? placed : next.seq
    next = { ...next, [`${kind}Version`]: to, seq, floorSeq: Math.max(next.floorSeq, result.floorSeq) }
  }
  if (kinds.includes(KINDS[0])) await sweep(parts, head)
  return next
}

async function compactDataset(parts: StoreParts, writer: Writer, task: Task): Promise<CompactionResult> {
  const { writers } = parts
  const { table, place, version: before } = writer
  const log = await readLog(table, 0, { layout: true, yieldIfDue: task.options.yieldIfDue })
  const { drop, keep, floorSeq } = partitionRows(log, task)
  for (let start = 0; start < drop.length; start += ROWS_PER_DELETE) {
    const rows = drop.slice(start, start + ROWS_PER_DELETE).map((i) => log.rows[i])
    await writers.commit(writer, async () => (await table.delete(`_rowid IN (${rows.join(',')})`)).version)
  }
  const merge = planMerge(log, keep)
  const { kind, placed } = task
  const movedRows = merge ? await runMerge(parts, writer, { log, merge, kind, placed }) : 0

  // Each commit since the last compaction added a fragment, so there are at most this many new versions.
  const lastVersion = before - new Set(log.fragments).size
  parts.tails.addGarbage(datasetKey(place), lastVersion, merge?.positions.length ?? 0)
  await rewriteIfDue(parts, writer, task, {
    log,
    keep,
    before,
    lastVersion,
    isWhole: merge?.aboveSeq === WHOLE_DATASET,
  })
  return { floorSeq, movedRows }
}

interface RewriteState {
  readonly log: RowLog
  readonly keep: readonly number[]
  /** The version before this compaction, and the one after the previous compaction. */
  readonly before: number
  readonly lastVersion: number
  /** True if all rows are in one fragment already. */
  readonly isWhole: boolean
}

/** Rewrites, prunes and indexes if that gains enough. */
async function rewriteIfDue(parts: StoreParts, writer: Writer, task: Task, state: RewriteState): Promise<void> {
  const { writers, tails } = parts
  const { log, keep, before, isWhole } = state
  const { idle, retainMs = RETAIN_MS, clockSlackMs: slackMs = CLOCK_SLACK_MS } = task.options
  const key = datasetKey(writer.place)
  const nowMs = systemClock.now().getTime()
  const rows = keep.length
  const isDue =
    passesMultiple(rewriteStep(rows), state.lastVersion, before) ||
    (idle === 'lasting' && hasGarbage(parts, writer, rows))
  // Soon after a prune, a rewrite frees little and leaves another copy of all rows.
  const isTimely = nowMs - tails.prunedAtMs(key) >= retainMs / 2
  const isPruneDue = (isDue && isTimely) || task.options.isPruneForced === true
  const isSparse = idle !== undefined && log.physicalRows - rows >= Math.max(GARBAGE_ROWS_MIN, rows / DEAD_SHARE)
  const indexed = rows >= INDEXED_ROWS_MIN ? SHAPES[task.kind].indexed : []
  if (isPruneDue || isSparse || (isWhole && indexed.length > 0)) {
    const seqSum = keep.reduce((sum, i) => sum + log.seqs[i]!, 0)
    await rewrite(writers, writer, indexed, { count: rows, seqSum })
    if (isSparse) tails.addGarbage(key, before, rows)
  } else if (idle) await indexUnindexed(writers, writer, indexed, rows / UNINDEXED_SHARE)
  if (!isPruneDue) return
  // A prune keeps the versions shortly before the head's. With a new version as head, the next prune deletes them.
  if (writer.version === before) await writers.commit(writer, () => commitUnchanged(writer))
  await prune(writer, task.headVersion, { olderThanMs: nowMs - retainMs, slackMs })
  tails.notePrune(key, nowMs)
  if (idle === 'lasting') tails.clearGarbage(key, writer.version)
}

/** Returns true if old versions hold enough rows to justify a rewrite of `rows` rows. */
function hasGarbage({ tails }: StoreParts, { place, version }: Writer, rows: number): boolean {
  const garbage = tails.garbageOf(datasetKey(place), version)
  const threshold = Math.min(OLD_VERSIONS_MAX * ROWS_OF_VERSION, Math.max(GARBAGE_ROWS_MIN, rows / GARBAGE_SHARE))
  return garbage.rows + garbage.versions * ROWS_OF_VERSION >= threshold
}

/** Commits a new version with the content of the writer's version. Returns its number. */
async function commitUnchanged({ table, version }: Writer): Promise<number> {
  await table.checkout(version)
  await table.restore()
  return table.version()
}

/** Splits the positions of the log into rows to delete and rows to keep. */
function partitionRows(
  log: RowLog,
  { tombstoneFloor, superseded }: Task,
): { drop: number[]; keep: number[]; floorSeq: number } {
  const drop: number[] = []
  const keep: number[] = []
  let floorSeq = 0
  for (let i = 0; i < log.rows.length; i++) {
    const isOldTombstone = log.newest[i] && !log.live[i] && log.seqs[i]! <= tombstoneFloor
    if (isOldTombstone) floorSeq = Math.max(floorSeq, log.seqs[i]!)
    if (!log.newest[i] || isOldTombstone || superseded.has(log.rows[i]!)) drop.push(i)
    else keep.push(i)
  }
  return { drop, keep, floorSeq }
}

/** Returns the number of versions between rewrites: a power of two, so that a new step keeps most old multiples. */
function rewriteStep(rows: number): number {
  const step = 2 ** Math.floor(Math.log2(Math.max(1, rows / ROWS_PER_OLD_VERSION)))
  return Math.min(OLD_VERSIONS_MAX, Math.max(OLD_VERSIONS_MIN, step))
}

function passesMultiple(step: number, from: number, to: number): boolean {
  return Math.floor(to / step) > Math.floor(from / step)
}
