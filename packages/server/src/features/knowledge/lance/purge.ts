import { rm, rmdir } from 'node:fs/promises'
import type { Table } from '@lancedb/lancedb'
import type { Table as ArrowTable } from 'apache-arrow'
import { liveRows, readLog } from './log.ts'
import { placeOf, type StoreParts } from './reader.ts'
import type { Head } from './rows.ts'
import { type DatasetPlace, datasetName, parseDatasetName } from './sandbox-folder.ts'
import { COLUMNS, encodeRows, KINDS } from './shapes.ts'
import { packPlace } from './versions.ts'

/** Rows copied at once: bounds the memory of a purge to some megabytes. */
const ROWS_PER_COPY = 4_000

/**
 * Copies the rows that count at the head into the next generation of datasets, which has no other rows, versions or
 * leftovers of a crash. Row numbers change, so the purge is a commit of its own, up to which every index is rebuilt. Throws Fenced and HeadGone.
 */
export async function purge(parts: StoreParts, head: Head): Promise<Head> {
  let next: Head = { ...head, seq: head.seq + 1, floorSeq: head.seq + 1 }
  for (const kind of KINDS) {
    const { place, version } = placeOf(parts.folder, head, kind)
    const target: DatasetPlace = { ...place, generation: place.generation + 1 }
    let copied = await parts.writers.create(target, encodeRows[kind]([], 0))
    if (version > 0) {
      for await (const rows of parts.handles.stream(place, version, (table) => readLive(table, COLUMNS[kind]))) {
        copied = await parts.writers.append(target, copied, rows)
      }
    }
    next = { ...next, [`${kind}Version`]: packPlace({ generation: target.generation, version: copied }) }
  }
  return next
}

async function* readLive(table: Table, columns: readonly string[]): AsyncGenerator<ArrowTable> {
  const rows = liveRows(await readLog(table, 0))
  for (let start = 0; start < rows.length; start += ROWS_PER_COPY) {
    const part = table.takeRowIds(rows.slice(start, start + ROWS_PER_COPY))
    yield await part.select([...columns]).toArrow()
  }
}

/** Removes the datasets of generations before the head's: nothing can lead back to them once the head has moved. */
export async function sweep(parts: StoreParts, head: Head): Promise<void> {
  const { folder, handles, writers } = parts
  const connection = await handles.connection(folder)
  for (const name of await connection.tableNames()) {
    const found = parseDatasetName(name)
    const kind = KINDS.find((each) => each === found?.kind)
    if (!found || !kind || found.generation >= placeOf(folder, head, kind).place.generation) continue
    const place = { folder, kind, generation: found.generation }
    writers.forget(place)
    handles.forget(`${folder.uri}/${datasetName(place)}@`)
    await connection.dropTable(name)
  }
}

/** Removes the sandbox's folder with everything in it. */
export async function erase({ folder, handles, writers }: StoreParts): Promise<void> {
  const ownPath = folder.localPaths.at(-1)
  if (ownPath === undefined) await (await handles.connection(folder)).dropAllTables()
  else await rm(ownPath, { recursive: true, force: true })
  writers.forgetAll(folder)
  handles.forget(`${folder.uri}/`)
  handles.disconnect(folder)
  // The user's folder goes with its last sandbox.
  const userPath = folder.localPaths.at(-2)
  if (userPath !== undefined) await rmdir(userPath).catch(() => undefined)
}
