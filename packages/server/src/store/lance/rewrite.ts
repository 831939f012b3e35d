import { Index, type Table } from '@lancedb/lancedb'
import { systemClock } from '../../base/clock.ts'
import { numbers } from './decode.ts'
import { Interference, type Writer, type Writers } from './writers.ts'

/** What tells one content of a dataset from another, whatever its layout. */
interface Fingerprint {
  readonly count: number
  readonly seqSum: number
}

/** Compacting what is indexed with what is not yet takes two rounds, and one sees that nothing is left to do. */
const COMPACTIONS_MAX = 3

/**
 * Compacts the dataset and keeps its indexes. Lance makes any number of versions here, so the content is compared
 * afterwards: a row more or less is another writer's.
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
    // Without a date Lance removes what is older than a week: the head's own version, when the sandbox was idle.
    const { compaction } = await table.optimize({ cleanupOlderThan: dateOf(0) })
    if (compaction.fragmentsRemoved === 0) break
  }
  const found = await fingerprint(table)
  if (found.count !== expected.count || found.seqSum !== expected.seqSum) throw new Interference('the rows differ')
  writer.version = await table.version()
}

/**
 * Removes versions from before `reachMs`. The version that the head names must outlive this, however old it is, since
 * the head moves only afterwards, or never after a crash; so only what is older than it by `slackMs` goes. Compaction
 * comes first in `optimize` and would delay its look at the time: `rewrite` must have left none to do.
 */
export async function prune(
  { table }: Writer,
  headVersion: number,
  { reachMs, slackMs }: { reachMs: number; slackMs: number },
): Promise<void> {
  const head = (await table.listVersions()).find(({ version }) => version === headVersion)
  if (head) await table.optimize({ cleanupOlderThan: dateOf(Math.min(reachMs, head.timestamp.getTime() - slackMs)) })
}

/** Indexes the columns of which too many rows are in no index; the fragments stay as they are. */
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
