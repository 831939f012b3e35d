import type { Table as ArrowTable } from 'apache-arrow'
import type { Head } from '../../db/head.ts'
import type { Changes, EntityRow, GraphColumns, LinkRow, RecordRow, RecordText, Stored, VectorRow } from '../port.ts'
import { countLive, type KnowledgeCounts, recordIdsOf } from './count-live.ts'
import { purge, type RowsAnew, sweep } from './purge.ts'
import { readSince } from './read-since.ts'
import { createReader, placeOf, type StoreParts } from './reader.ts'
import { datasetKey } from './sandbox-folder.ts'
import * as shapes from './shapes.ts'
import { encodeRows, type Kind, RECORD_TEXT_COLUMNS } from './shapes.ts'
import { type UpkeepOptions, upkeep } from './upkeep.ts'
import { packPlace } from './versions.ts'

/**
 * The stored knowledge of one sandbox. Every call takes the head that it reads or builds on; the caller keeps the head
 * in SQL and moves it under the sandbox's lease. Reads throw HeadGone when the head is no longer stored.
 */
export interface SandboxStore {
  /** Appends the changes on the head, durable, and returns the head to move to. Throws Fenced. */
  commit(head: Head, changes: Changes): Promise<Head>
  /** Yields what is newer than `seq` in columns: with 0 all live rows, else removed ones too; each id at most once. */
  readSince(head: Head, seq: number, wants?: { vectors: boolean }): AsyncGenerator<GraphColumns>
  /** The records under these row numbers of `readSince`, by id: the fast way. */
  recordsAt(head: Head, rows: readonly number[]): Promise<Map<string, RecordText>>
  /** The newest live version of each record; scans the ids, so it is for callers without row numbers. */
  recordsById(head: Head, ids: readonly string[]): Promise<Map<string, RecordText>>
  /** The vectors under these row numbers of `readSince`, by the id of their record. */
  vectorsAt(head: Head, rows: readonly number[]): Promise<Map<string, Pick<VectorRow, 'vector'>>>
  /** The entities under these row numbers of `readSince`, by id. */
  entitiesAt(head: Head, rows: readonly number[]): Promise<Map<string, Stored<EntityRow>>>
  /** The newest live version of each entity. */
  entitiesById(head: Head, ids: readonly string[]): Promise<Map<string, Stored<EntityRow>>>
  /** The newest live links that have one of the entities at an end. */
  linksOf(head: Head, entityIds: readonly string[]): Promise<Stored<LinkRow>[]>
  /** The newest live links of the records. */
  linksOfRecords(head: Head, recordIds: readonly string[]): Promise<Stored<LinkRow>[]>
  /** All newest live rows of a kind, in batches of at most `batchRows`. */
  scanRecords(head: Head, options: { batchRows: number }): AsyncGenerator<Stored<RecordRow>[]>
  scanEntities(head: Head, options: { batchRows: number }): AsyncGenerator<Stored<EntityRow>[]>
  scanLinks(head: Head, options: { batchRows: number }): AsyncGenerator<Stored<LinkRow>[]>
  /**
   * Tidies what commits left; needed every hundred commits or so. Runs under the lease; returns the head to move to.
   */
  upkeep(head: Head, options?: UpkeepOptions): Promise<Head>
  /**
   * Copies what counts at the head into datasets that hold nothing else, for an erasure. Runs under the lease; once
   * the caller moved the head to the returned one, `sweep` removes the old datasets with every byte that was removed.
   */
  purge(head: Head, anew?: RowsAnew): Promise<Head>
  /**
   * Removes datasets of generations before the head's; safe at any time, whoever holds the lease. Returns the number
   * of files that went.
   */
  sweep(head: Head): Promise<number>
  /** How much the head holds, told from ids alone. */
  count(head: Head): Promise<KnowledgeCounts>
  /** Ids of the live records of a source that were committed up to `seq`. */
  recordIdsOf(head: Head, sourceId: string, seq: number): Promise<string[]>
}

/** The store of the sandbox in this folder. */
export function createSandboxStore(parts: StoreParts): SandboxStore {
  const records = createReader(parts, 'records')
  const entities = createReader(parts, 'entities')
  const links = createReader(parts, 'links')
  const vectors = createReader(parts, 'vectors')
  const linksWhere = (head: Head, columns: readonly string[], ids: readonly string[]) =>
    links.where(head, columns, ids, shapes.toLinks, shapes.COLUMNS.links)
  const linksOfRecords = async (head: Head, recordIds: readonly string[]) => [
    ...newestLive(await linksWhere(head, ['record_id'], recordIds)).values(),
  ]

  return {
    commit: (head, changes) => commit(parts, head, changes),
    readSince: (head, seq, wants) => readSince(parts, head, seq, wants?.vectors === true),
    recordsAt: (head, rows) => records.take(head, rows, shapes.toRecordTexts, RECORD_TEXT_COLUMNS),
    recordsById: async (head, ids) =>
      newestLive(await records.where(head, ['id'], ids, shapes.toRecordTexts, RECORD_TEXT_COLUMNS)),
    vectorsAt: (head, rows) => vectors.take(head, rows, shapes.toVectorBytes, shapes.VECTOR_BYTES_COLUMNS),
    entitiesAt: (head, rows) => entities.take(head, rows, shapes.toEntities, shapes.COLUMNS.entities),
    entitiesById: async (head, ids) =>
      newestLive(await entities.where(head, ['id'], ids, shapes.toEntities, shapes.COLUMNS.entities)),
    linksOf: async (head, entityIds) => {
      const wanted = new Set(entityIds)
      const candidates = await linksWhere(head, ['subject_id', 'object_id'], entityIds)
      // A newer version of a link may have other ends or be a removal: only its record's links tell which is newest.
      const current = await linksOfRecords(head, [...new Set(candidates.map((link) => link.recordId))])
      return current.filter(
        (link) => wanted.has(link.subjectId) || (link.objectId !== null && wanted.has(link.objectId)),
      )
    },
    linksOfRecords,
    scanRecords: (head, { batchRows }) => records.scan(head, batchRows, shapes.toRecords),
    scanEntities: (head, { batchRows }) => entities.scan(head, batchRows, shapes.toEntities),
    scanLinks: (head, { batchRows }) => links.scan(head, batchRows, shapes.toLinks),
    upkeep: (head, options) => upkeep(parts, head, options),
    purge: (head, anew) => purge(parts, head, anew),
    sweep: (head) => sweep(parts, head),
    count: (head) => countLive(parts, head),
    recordIdsOf: (head, sourceId, seq) => recordIdsOf(parts, head, sourceId, seq),
  }
}

async function commit({ folder, writers, tails }: StoreParts, head: Head, changes: Changes): Promise<Head> {
  const seq = head.seq + 1
  const append = async (kind: Kind, rows: ArrowTable) => {
    const from = head[`${kind}Version`]
    if (rows.numRows === 0) return from
    const { place, version } = placeOf(folder, head, kind)
    const to = packPlace({ generation: place.generation, version: await writers.append(place, version, rows) })
    tails.stepped(datasetKey(place), { from, to, rows: rows.numRows })
    return to
  }
  // All are waited for, so that a failed commit leaves nothing running when its lease is given back.
  const results = await Promise.allSettled([
    append('records', encodeRows.records(lastOfEach(changes.records), seq)),
    append('entities', encodeRows.entities(lastOfEach(changes.entities), seq)),
    append('links', encodeRows.links(lastOfEach(changes.links), seq)),
    append('vectors', encodeRows.vectors(lastOfEach(changes.vectors ?? []), seq)),
  ])
  const [recordsVersion, entitiesVersion, linksVersion, vectorsVersion] = results.map((result) => {
    if (result.status === 'rejected') throw result.reason
    return result.value
  })
  return {
    ...head,
    recordsVersion: recordsVersion!,
    entitiesVersion: entitiesVersion!,
    linksVersion: linksVersion!,
    vectorsVersion: vectorsVersion!,
    seq,
  }
}

/** Rows of one commit have one seq, so of those with one id only one may be stored. */
function lastOfEach<Row extends { id: string }>(rows: readonly Row[]): readonly Row[] {
  const last = new Map(rows.map((row) => [row.id, row]))
  return last.size === rows.length ? rows : [...last.values()]
}

function newestLive<Row extends { id: string; seq: number; live: boolean }>(rows: readonly Row[]): Map<string, Row> {
  const newest = new Map<string, Row>()
  for (const row of rows) {
    const other = newest.get(row.id)
    if (!other || row.seq > other.seq) newest.set(row.id, row)
  }
  for (const row of newest.values()) if (!row.live) newest.delete(row.id)
  return newest
}
