import type { Table } from '@lancedb/lancedb'
import type { Table as ArrowTable } from 'apache-arrow'
import type { Log } from './log.ts'
import type { StoreParts } from './reader.ts'
import { COLUMNS, type Kind } from './shapes.ts'
import type { Writer } from './writers.ts'

/** Which fragments to merge: the newest, down to those whose rows have a seq above this. */
export interface Merge {
  readonly aboveSeq: number
  /** Positions of their rows in the log. */
  readonly positions: readonly number[]
}

/** A merge of the whole dataset. */
export const WHOLE = -1

/** A fragment is merged with all newer ones when it has at most this many times their rows: so each row is rewritten
 * a few times in its life, and the number of fragments grows with the logarithm of the rows. */
const MERGE_RATIO = 2
/** Lance makes no fragment larger than 2^20 rows; from half of it merging gains nothing. */
const FULL_FRAGMENT_ROWS = 2 ** 19
/** For each row Lance notes the version that appended it, a run of equal ones in 10 bytes, in every later manifest: a
 * merge of more runs appends its rows anew, so that a manifest never grows with the number of commits. */
const RUNS_MAX = 32
/** Rows appended anew at once: bounds the memory of a merge to some megabytes. */
const ROWS_PER_MOVE = 8_000

interface Fragment {
  readonly id: number
  rows: number
  seqMax: number
}

/** Plans the merge of what is kept of the log; undefined when there is nothing to merge. */
export function planMerge(log: Log, keep: readonly number[]): Merge | undefined {
  const fragments = listFragments(log, keep)
  let from = fragments.length - 1
  let newer = 0
  for (let i = fragments.length - 1; i >= 0; i--) {
    if (fragments[i]!.rows >= FULL_FRAGMENT_ROWS) break
    if (fragments[i]!.rows <= newer * MERGE_RATIO) from = i
    newer += fragments[i]!.rows
  }
  if (fragments.length - from < 2) return undefined
  // Fragments lie in order of seq.
  const aboveSeq = Math.max(WHOLE, ...fragments.slice(0, from).map((fragment) => fragment.seqMax))
  return { aboveSeq, positions: keep.filter((i) => log.seqs[i]! > aboveSeq) }
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

/** Merges, and returns how many rows it appended anew, with `placed` for a time: these got other row numbers. */
export async function runMerge(
  { writers, tables }: StoreParts,
  writer: Writer,
  { log, merge, kind, placed }: { log: Log; merge: Merge; kind: Kind; placed: number },
): Promise<number> {
  const { table, place, version } = writer
  const runs = new Set(merge.positions.map((i) => log.placed[i]!)).size
  if (runs <= RUNS_MAX) {
    // An update that changes nothing moves its rows into one new fragment, under the same row numbers.
    const where = `seq > ${merge.aboveSeq}`
    await writers.commit(writer, async () => (await table.update({ where, valuesSql: { live: 'live' } })).version)
    return 0
  }
  const rows = merge.positions.map((i) => log.rows[i]!)
  for await (const chunk of tables.stream(place, version, (source) => readRows(source, rows, COLUMNS[kind], placed))) {
    await writers.commit(writer, async () => (await table.add(chunk)).version)
  }
  const replaced = `seq > ${merge.aboveSeq} AND placed < ${placed}`
  await writers.commit(writer, async () => (await table.delete(replaced)).version)
  return rows.length
}

async function* readRows(
  table: Table,
  rows: readonly number[],
  columns: readonly string[],
  placed: number,
): AsyncGenerator<ArrowTable> {
  const selection = new Map(columns.map((name) => [name, name === 'placed' ? `cast(${placed} as double)` : name]))
  for (let start = 0; start < rows.length; start += ROWS_PER_MOVE) {
    const part = table.takeRowIds(rows.slice(start, start + ROWS_PER_MOVE))
    yield await part.select(selection).toArrow()
  }
}
