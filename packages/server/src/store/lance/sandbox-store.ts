import type { Table as ArrowTable } from 'apache-arrow'
import type { Head } from '../../db/head.ts'
import type { Changes, Kind, SandboxStore } from '../port.ts'
import { compact } from './compact.ts'
import { countLive, recordIdsOf } from './count-live.ts'
import { columnsOf } from './encode.ts'
import { findNewest } from './find-newest.ts'
import { purge, sweep } from './purge.ts'
import { readSince } from './read-since.ts'
import { createReader, datasetAt, type StoreParts } from './reader.ts'
import { datasetKey, packDatasetState } from './sandbox-folder.ts'
import { readSegment, removeSegments, writeSegment } from './segments.ts'
import * as shapes from './shapes.ts'
import { encodeRows, RECORD_TEXT_COLUMNS } from './shapes.ts'

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
    recordsAt: async (head, rows) =>
      newestLive(await records.take(head, rows, shapes.toRecordTexts, RECORD_TEXT_COLUMNS)),
    recordsById: async (head, ids) =>
      newestLive(await records.where(head, ['id'], ids, shapes.toRecordTexts, RECORD_TEXT_COLUMNS)),
    vectorsAt: async (head, rowOf) => {
      const rows = [...rowOf.values()]
      const found = new Map(await vectors.take(head, rows, shapes.toVectorBytes, shapes.VECTOR_BYTES_COLUMNS))
      return new Map([...rowOf].flatMap(([id, row]) => (found.has(row) ? [[id, found.get(row)!]] : [])))
    },
    vectorsOf: async (head, versions) => {
      const seqs = new Map(versions.map(({ id, seq }) => [id, seq]))
      const found = await vectors.where(head, ['id'], [...seqs.keys()], shapes.toVectors, shapes.COLUMNS.vectors)
      return [...newestLive(found).values()].filter(({ id, recordSeq }) => seqs.get(id) === recordSeq)
    },
    entitiesAt: async (head, rows) =>
      newestLive(await entities.take(head, rows, shapes.toEntities, shapes.COLUMNS.entities)),
    entitiesById: async (head, ids) =>
      newestLive(await entities.where(head, ['id'], ids, shapes.toEntities, shapes.COLUMNS.entities)),
    linksOf: async (head, entityIds) => {
      const wanted = new Set(entityIds)
      const candidates = await linksWhere(head, ['subject_id', 'object_id'], entityIds)
      // A newer version of a link may have another subject or object, or be a tombstone. It has the same record.
      const current = await linksOfRecords(head, [...new Set(candidates.map((link) => link.recordId))])
      return current.filter(
        (link) => wanted.has(link.subjectId) || (link.objectId !== null && wanted.has(link.objectId)),
      )
    },
    linksOfRecords,
    scanRecords: (head, { batchRows }) => records.scan(head, batchRows, shapes.toRecords),
    scanEntities: (head, { batchRows }) => entities.scan(head, batchRows, shapes.toEntities),
    scanLinks: (head, { batchRows }) => links.scan(head, batchRows, shapes.toLinks),
    compact: (head, options) => compact(parts, head, options),
    purge: (head, reencrypted) => purge(parts, head, reencrypted),
    sweep: (head) => sweep(parts, head),
    writeSegment: (kind, name, bytes) => writeSegment({ ...parts, kind }, name, bytes),
    readSegment: (kind, name) => readSegment({ ...parts, kind }, name),
    removeSegments: (kind, isUseless) => removeSegments({ ...parts, kind }, isUseless),
    countRows: async (head) => ({ records: await records.count(head), entities: await entities.count(head) }),
    count: (head) => countLive(parts, head),
    findNewest: (head, isContent) => findNewest(parts, head, isContent),
    recordIdsOf: (head, sourceId, seq) => recordIdsOf(parts, head, sourceId, seq),
  }
}

async function commit({ folder, writers, tails }: StoreParts, head: Head, changes: Changes): Promise<Head> {
  const seq = head.seq + 1
  const append = async (kind: Kind, rows: ArrowTable) => {
    const from = head[`${kind}Version`]
    if (rows.numRows === 0) return from
    const { place, version } = datasetAt(folder, head, kind)
    const to = packDatasetState({ generation: place.generation, version: await writers.append(place, version, rows) })
    // False if a version of another writer, or one of an interrupted commit, is between the two.
    const isWhole = to === from + 1
    const appended = isWhole && kind !== 'links' ? columnsOf(rows, shapes.GRAPH_COLUMNS[kind]) : undefined
    tails.addStep(datasetKey(place), { from, to, rows: rows.numRows, isWhole, appended })
    return to
  }
  // Waits for all appends, so that none is still running when the lease is released after a failure.
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

/** Keeps the last row of each id. All rows of a commit have the same seq, so only one per id may be stored. */
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
