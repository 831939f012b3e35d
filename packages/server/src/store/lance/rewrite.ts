import { Index, type Table } from '@lancedb/lancedb'
import { systemClock } from '../../base/clock.ts'
import type { Kind } from '../port.ts'
import { numbers } from './decode.ts'
import type { StoreParts } from './reader.ts'
import { CHUNK_ROWS_MAX, type RowLog, takeChunks } from './row-log.ts'
import { COLUMNS } from './shapes.ts'
import { Interference, type Writer, type Writers } from './writers.ts'

/** Checksum of a dataset's content, independent of its layout. */
interface Fingerprint {
  readonly count: number
  readonly seqSum: number
}

/** Compaction of indexed and unindexed fragments takes two rounds. A third finds nothing to do. */
const COMPACTIONS_MAX = 3

/**
 * Compacts the dataset and keeps its indexes. Compaction creates several versions, and another writer may commit
 * between them. Therefore the rows are compared afterwards. Throws Interference if a row was added or removed.
 */
export async function rewrite(
  writers: Writers,
  writer: Writer,
  indexed: readonly string[],
  expected: Fingerprint,
): Promise<void> {
  const { table } = writer
  await indexColumns(writers, writer, indexed)
  for (let round = 0; round < COMPACTIONS_MAX; round++) {
    // Without a date Lance deletes versions older than a week, including the head's if the sandbox was idle.
    const { compaction } = await table.optimize({ cleanupOlderThan: dateOf(0) })
    if (compaction.fragmentsRemoved === 0) break
  }
  const found = await fingerprint(table)
  if (found.count !== expected.count || found.seqSum !== expected.seqSum) throw new Interference('the rows differ')
  writer.version = await table.version()
}

/**
 * Deletes versions from before `olderThanMs` (Unix time) that are also older than the head's by `slackMs`. The head's
 * version is kept at any age: the head moves to a newer version only afterwards, or never after a crash. `rewrite` must
 * have finished all compaction, because `optimize` compacts before it reads the clock.
 */
export async function prune(
  { table }: Writer,
  headVersion: number,
  { olderThanMs, slackMs }: { olderThanMs: number; slackMs: number },
): Promise<void> {
  const head = (await table.listVersions()).find(({ version }) => version === headVersion)
  if (!head) return
  await table.optimize({ cleanupOlderThan: dateOf(Math.min(olderThanMs, head.timestamp.getTime() - slackMs)) })
}

/** Rebuilds the indexes of columns with more than `rowsMax` unindexed rows. Does not change fragments. */
export async function indexUnindexed(
  writers: Writers,
  writer: Writer,
  columns: readonly string[],
  rowsMax: number,
): Promise<void> {
  const { table } = writer
  const existing = await table.listIndices()
  for (const column of columns) {
    const index = existing.find((each) => each.columns.includes(column))
    const { numUnindexedRows = Number.POSITIVE_INFINITY } = (index && (await table.indexStats(index.name))) ?? {}
    if (numUnindexedRows <= rowsMax) continue
    await writers.commit(writer, async () => {
      await table.createIndex(column, { config: Index.btree(), replace: true })
      return table.version()
    })
  }
}

async function indexColumns(writers: Writers, writer: Writer, columns: readonly string[]): Promise<void> {
  if (columns.length === 0) return
  const existing = new Set((await writer.table.listIndices()).flatMap((index) => index.columns))
  for (const column of columns.filter((name) => !existing.has(name))) {
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
    seqSum = numbers(batch, 'seq').reduce((sum, seq) => sum + seq, seqSum)
  }
  return { count, seqSum }
}

function dateOf(ms: number): Date {
  const date = systemClock.now()
  date.setTime(ms)
  return date
}

/** The newest fragments to merge: those with rows whose seq is above a limit. */
interface Merge {
  readonly aboveSeq: number
  /** Positions of their rows in the log. */
  readonly positions: readonly number[]
}

/** Value of `aboveSeq` for a merge of the whole dataset. */
export const WHOLE_DATASET = -1

/** A fragment with at most this many times the rows of all newer ones is merged. So each row is rewritten rarely. */
const MERGE_RATIO = 2
/** Lance limits fragments to 2^20 rows. From half of that on, merging gains nothing. */
const FULL_FRAGMENT_ROWS = 2 ** 19
/**
 * Every manifest lists the versions that appended the rows, as runs of 10 bytes. A merge of more runs than this appends
 * its rows again, as one run, so that manifests do not grow with the number of commits.
 */
const RUNS_MAX = 32

interface Fragment {
  readonly id: number
  rows: number
  seqMax: number
  placedMax: number
}

/** Plans the merge of the kept rows. Returns undefined if there is nothing to merge. */
export function planMerge(log: RowLog, keep: readonly number[]): Merge | undefined {
  const fragments = listFragments(log, keep)
  let from = fragments.length - 1
  let newer = 0
  for (let i = fragments.length - 1; i >= 0; i--) {
    if (fragments[i]!.rows >= FULL_FRAGMENT_ROWS || isFullOfLargeRows(fragments[i]!, fragments[i + 1])) break
    if (fragments[i]!.rows <= newer * MERGE_RATIO) from = i
    newer += fragments[i]!.rows
  }
  if (fragments.length - from < 2) return undefined
  // Fragments are ordered by seq.
  const aboveSeq = Math.max(WHOLE_DATASET, ...fragments.slice(0, from).map((fragment) => fragment.seqMax))
  return { aboveSeq, positions: keep.filter((i) => log.seqs[i]! > aboveSeq) }
}

/** Returns true if an earlier merge ended the fragment, because its rows are large, and began the next one. */
function isFullOfLargeRows(fragment: Fragment, next: Fragment | undefined): boolean {
  return fragment.rows < CHUNK_ROWS_MAX && fragment.placedMax === next?.placedMax
}

function listFragments(log: RowLog, keep: readonly number[]): Fragment[] {
  const fragments = new Map<number, Fragment>()
  for (const i of keep) {
    const id = log.fragments[i]!
    const fragment = fragments.get(id) ?? { id, rows: 0, seqMax: 0, placedMax: 0 }
    fragment.rows += 1
    fragment.seqMax = Math.max(fragment.seqMax, log.seqs[i]!)
    fragment.placedMax = Math.max(fragment.placedMax, log.placed[i]!)
    fragments.set(id, fragment)
  }
  return [...fragments.values()].sort((a, b) => a.id - b.id)
}

interface MergeTask {
  readonly log: RowLog
  readonly merge: Merge
  readonly kind: Kind
  /** Commit number of the compaction. */
  readonly placed: number
}

/** Merges the fragments. Returns the number of rows that got new row numbers. They also get the `placed` value. */
export async function runMerge(
  { writers, tables }: StoreParts,
  writer: Writer,
  { log, merge, kind, placed }: MergeTask,
): Promise<number> {
  const { table, place, version } = writer
  const runs = new Set(merge.positions.map((i) => log.placed[i]!)).size
  if (runs <= RUNS_MAX) {
    // An update that changes nothing moves its rows to one new fragment and keeps their row numbers.
    const where = `seq > ${merge.aboveSeq}`
    await writers.commit(writer, async () => (await table.update({ where, valuesSql: { live: 'live' } })).version)
    return 0
  }
  const rows = merge.positions.map((i) => log.rows[i]!)
  const expressionOf = (name: string) => (name === 'placed' ? `cast(${placed} as double)` : name)
  const selection = new Map(COLUMNS[kind].map((name) => [name, expressionOf(name)]))
  const read = (source: Table) => takeChunks(source, rows, selection)
  for await (const chunk of tables.stream(place, version, read)) {
    await writers.commit(writer, async () => (await table.add(chunk)).version)
  }
  const replaced = `seq > ${merge.aboveSeq} AND placed < ${placed}`
  await writers.commit(writer, async () => (await table.delete(replaced)).version)
  return rows.length
}
