import { rm, rmdir } from 'node:fs/promises'
import type { Table } from '@lancedb/lancedb'
import type { Table as ArrowTable } from 'apache-arrow'
import type { Head } from '../../db/head.ts'
import { KINDS, type Kind, type ReencryptedRows } from '../port.ts'
import { supersededRows } from './count-live.ts'
import { listFiles } from './durable.ts'
import { datasetAt, type StoreParts } from './reader.ts'
import { liveRows, readLog, takeChunks, takeInWindows } from './row-log.ts'
import { countObjects } from './s3.ts'
import {
  type DatasetRef,
  datasetKey,
  datasetName,
  localDatasetPath,
  packDatasetState,
  parseDatasetName,
} from './sandbox-folder.ts'
import { removeSegments } from './segments.ts'
import { COLUMNS, encodeRows, toEntities, toLinks, toRecords } from './shapes.ts'

/** Maximum number of rows per rewritten batch, which is some tens of milliseconds of work. */
const ROWS_PER_REWRITE = 200

/**
 * Copies the current rows at the head into a new generation of datasets, without any other rows or versions. Row
 * numbers change and memory must drop deleted data. Therefore the purge is a commit, and older indexes are rebuilt.
 * `reencrypted` transforms each row. Vectors are then dropped, since they are derived from the content. Throws Fenced
 * and HeadGone.
 */
export async function purge(parts: StoreParts, head: Head, reencrypted?: ReencryptedRows): Promise<Head> {
  // The index snapshot contains deleted data too. A new one is written when the sandbox is idle.
  await removeSegments({ ...parts, kind: 'graph' })
  let next: Head = { ...head, seq: head.seq + 1, floorSeq: head.seq + 1, graphImage: null }
  const stored = await listDatasets(parts)
  for (const kind of KINDS) {
    const { place, version } = datasetAt(parts.folder, head, kind)
    // A crashed purge may have left a generation with rows that were removed later. The new generation follows it.
    const generations = stored.filter((dataset) => dataset.kind === kind).map(({ generation }) => generation)
    if (kind === 'vectors' && version === 0 && generations.length === 0) continue
    const target: DatasetRef = { ...place, generation: Math.max(place.generation, ...generations) + 1 }
    let copied = await parts.writers.create(target, encodeRows[kind]([], 0))
    const isDropped = kind === 'vectors' && reencrypted !== undefined
    if (version > 0 && !isDropped) {
      const read = (table: Table) =>
        reencrypted ? readReencrypted(table, kind, reencrypted, next.seq) : readLive(parts, head, table, kind)
      for await (const rows of parts.tables.stream(place, version, read)) {
        copied = await parts.writers.append(target, copied, rows)
      }
    }
    next = { ...next, [`${kind}Version`]: packDatasetState({ generation: target.generation, version: copied }) }
  }
  return next
}

async function* readReencrypted(
  table: Table,
  kind: Kind,
  reencrypted: ReencryptedRows,
  seq: number,
): AsyncGenerator<ArrowTable> {
  const rows = liveRows(await readLog(table, 0))
  for await (const batches of takeInWindows(table, rows, COLUMNS[kind], ROWS_PER_REWRITE)) {
    for (const batch of batches) {
      if (kind === 'records') yield encodeRows.records(toRecords(batch).map(reencrypted.records), seq)
      else if (kind === 'entities') yield encodeRows.entities(toEntities(batch).map(reencrypted.entities), seq)
      else yield encodeRows.links(toLinks(batch).map(reencrypted.links), seq)
    }
    // Yields to other work between batches.
    await new Promise((resolve) => setImmediate(resolve))
  }
}

async function* readLive(parts: StoreParts, head: Head, table: Table, kind: Kind): AsyncGenerator<ArrowTable> {
  const superseded = kind === 'vectors' ? await supersededRows(parts, head, table) : undefined
  const rows = liveRows(await readLog(table, 0)).filter((row) => !superseded?.has(row))
  yield* takeChunks(table, rows, new Map(COLUMNS[kind].map((name) => [name, name])))
}

/** Deletes the datasets of generations before the head's. Returns the number of deleted files. */
export async function sweep(parts: StoreParts, head: Head): Promise<number> {
  const { folder, tables, writers } = parts
  let files = 0
  if (KINDS.every((kind) => datasetAt(folder, head, kind).place.generation === 0)) return files
  for (const place of await listDatasets(parts)) {
    if (place.generation >= datasetAt(folder, head, place.kind).place.generation) continue
    writers.forget(place)
    tables.forget(`${datasetKey(place)}@`)
    const path = localDatasetPath(place)
    files += path ? (await listFiles(path)).size : await countObjects(folder, `${datasetName(place)}.lance/`)
    if (path) await rm(path, { recursive: true, force: true })
    else await (await tables.connection(folder)).dropTable(datasetName(place))
  }
  return files
}

/** Lists the datasets of a sandbox, of every generation. */
export async function listDatasets({ folder, tables }: StoreParts): Promise<DatasetRef[]> {
  const names = await (await tables.connection(folder)).tableNames()
  return names.flatMap((name) => {
    const { kind, generation } = parseDatasetName(name) ?? {}
    const known = KINDS.find((each) => each === kind)
    return known && generation !== undefined ? [{ folder, kind: known, generation }] : []
  })
}

/** Retries, 100 ms apart at first: a running write may add files to a folder while it is removed. */
const ERASE_RETRIES = 8

/** Deletes the sandbox's folder. Returns the number of deleted files or objects. */
export async function erase({ folder, tables, writers, tails, cache }: StoreParts): Promise<number> {
  const ownPath = folder.localPaths.at(-1)
  const files = ownPath === undefined ? await countObjects(folder, '') : (await listFiles(ownPath)).size
  // Without objects, the bucket itself may be missing, and a connection to it would fail.
  if (ownPath !== undefined) await rm(ownPath, { recursive: true, force: true, maxRetries: ERASE_RETRIES })
  else if (files > 0) {
    for (const kind of ['graph', 'imports', 'originals'] as const) await removeSegments({ folder, kind })
    await (await tables.connection(folder)).dropAllTables()
  }
  await cache?.drop(folder.sandboxId)
  writers.forgetAll(folder)
  tables.forget(`${folder.uri}/`)
  tails.forget(`${folder.uri}/`)
  tables.disconnect(folder)
  // The account's folder is removed with its last sandbox.
  const userPath = folder.localPaths.at(-2)
  if (userPath !== undefined) await rmdir(userPath).catch(() => undefined)
  return files
}
