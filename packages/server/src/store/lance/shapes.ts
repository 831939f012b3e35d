import type { RecordBatch } from 'apache-arrow'
import type {
  EntityColumns,
  EntityRow,
  LinkRow,
  MovedColumns,
  RecordColumns,
  RecordRow,
  RecordText,
  Stored,
  VectorColumns,
  VectorRow,
} from '../port.ts'
import * as decode from './decode.ts'
import { type Cell, type ColumnSpec, encodeTable, floatBytes } from './encode.ts'

/** The datasets of a sandbox; most have no vectors. */
export const KINDS = ['records', 'entities', 'links', 'vectors'] as const
/** One of the datasets. */
export type Kind = (typeof KINDS)[number]

/** How one dataset is laid out: its columns, and those that get a scalar index. */
export interface Shape<Row> {
  readonly columns: readonly ColumnSpec<Row>[]
  readonly indexed: readonly string[]
}

const utf8 = <Row>(name: string, get: (row: Row) => Cell): ColumnSpec<Row> => ({ name, type: 'utf8', get })
const float = <Row>(name: string, get: (row: Row) => Cell): ColumnSpec<Row> => ({ name, type: 'float64', get })
const bytes = <Row>(name: string, get: (row: Row) => Cell): ColumnSpec<Row> => ({ name, type: 'binary', get })
const live = <Row extends { live: boolean }>(): ColumnSpec<Row> => ({
  name: 'live',
  type: 'bool',
  get: (row) => row.live,
})

const RECORDS: Shape<RecordRow> = {
  columns: [
    utf8('id', (row) => row.id),
    live(),
    utf8('source_id', (row) => row.sourceId),
    utf8('project_id', (row) => row.projectId),
    utf8('type', (row) => row.type),
    float('occurred_at_ms', (row) => row.occurredAtMs),
    float('external_key', (row) => row.externalKey),
    float('tie', (row) => row.tie),
    bytes('content', (row) => row.content),
    bytes('analysis', (row) => row.analysis),
  ],
  indexed: [],
}

const ENTITIES: Shape<EntityRow> = {
  columns: [
    utf8('id', (row) => row.id),
    live(),
    utf8('type', (row) => row.type),
    utf8('merged_into', (row) => row.mergedInto),
    bytes('keys', (row) => floatBytes(row.keys)),
    bytes('content', (row) => row.content),
  ],
  indexed: ['id'],
}

const LINKS: Shape<LinkRow> = {
  columns: [
    utf8('id', (row) => row.id),
    live(),
    utf8('record_id', (row) => row.recordId),
    utf8('subject_id', (row) => row.subjectId),
    utf8('object_id', (row) => row.objectId),
    utf8('predicate', (row) => row.predicate),
    float('valid_from_ms', (row) => row.validFromMs),
    float('valid_to_ms', (row) => row.validToMs),
    bytes('content', (row) => row.content),
  ],
  indexed: ['record_id', 'subject_id', 'object_id'],
}

const VECTORS: Shape<VectorRow> = {
  columns: [
    utf8('id', (row) => row.id),
    live(),
    float('record_seq', (row) => row.recordSeq),
    float('space', (row) => row.space),
    bytes('code', (row) => row.code),
    bytes('vector', (row) => row.vector),
  ],
  indexed: [],
}

/** The layout of each dataset. */
export const SHAPES = { records: RECORDS, entities: ENTITIES, links: LINKS, vectors: VECTORS } as const

/** The rows as an Arrow table of their kind, every one with this seq. */
export const encodeRows = {
  records: (rows: readonly RecordRow[], seq: number) => encodeTable(RECORDS.columns, rows, seq),
  entities: (rows: readonly EntityRow[], seq: number) => encodeTable(ENTITIES.columns, rows, seq),
  links: (rows: readonly LinkRow[], seq: number) => encodeTable(LINKS.columns, rows, seq),
  vectors: (rows: readonly VectorRow[], seq: number) => encodeTable(VECTORS.columns, rows, seq),
} as const

/** Columns of a record but its analysis. */
export const RECORD_TEXT_COLUMNS = ['seq', 'placed', ...RECORDS.columns.map((column) => column.name)].filter(
  (name) => name !== 'analysis',
)
/** All columns of a kind. */
export const COLUMNS: Readonly<Record<Kind, readonly string[]>> = {
  records: ['seq', 'placed', ...RECORDS.columns.map((column) => column.name)],
  entities: ['seq', 'placed', ...ENTITIES.columns.map((column) => column.name)],
  links: ['seq', 'placed', ...LINKS.columns.map((column) => column.name)],
  vectors: ['seq', 'placed', ...VECTORS.columns.map((column) => column.name)],
}
/** Columns by which the vectors of a record are read. */
export const VECTOR_BYTES_COLUMNS = ['id', 'live', 'vector']
/** Columns that the graph is built from: all but the content. */
export const GRAPH_COLUMNS = {
  records: COLUMNS.records.filter((name) => name !== 'content'),
  entities: COLUMNS.entities.filter((name) => name !== 'content'),
  vectors: COLUMNS.vectors.filter((name) => name !== 'vector'),
} as const

/** Columns that tell which rows got other numbers. */
export const MOVED_COLUMNS = ['id']

/** Reads a batch of MOVED_COLUMNS with row numbers. */
export function toMovedColumns(kind: MovedColumns['of'], batch: RecordBatch): MovedColumns {
  const [rows, ids] = [decode.rowNumbers(batch), decode.texts(batch, 'id')]
  return { kind: 'moved', of: kind, count: batch.numRows, rows, ids }
}

/** Reads a batch of GRAPH_COLUMNS.records with row numbers. */
export function toRecordColumns(batch: RecordBatch, since: number): RecordColumns {
  return {
    kind: 'records',
    count: batch.numRows,
    rows: decode.rowNumbers(batch),
    ids: decode.texts(batch, 'id'),
    seqs: decode.numbers(batch, 'seq'),
    moved: decode.upTo(batch, 'seq', since),
    live: decode.flags(batch, 'live'),
    sourceIds: decode.repeatedTexts(batch, 'source_id'),
    projectIds: decode.repeatedTexts(batch, 'project_id'),
    types: decode.repeatedTexts(batch, 'type') as string[],
    occurredAtMs: decode.numbers(batch, 'occurred_at_ms'),
    externalKeys: decode.numbers(batch, 'external_key'),
    ties: decode.numbers(batch, 'tie'),
    analyses: decode.blobs(batch, 'analysis'),
  }
}

/** Reads a batch of GRAPH_COLUMNS.entities with row numbers. */
export function toEntityColumns(batch: RecordBatch, since: number): EntityColumns {
  return {
    kind: 'entities',
    count: batch.numRows,
    rows: decode.rowNumbers(batch),
    ids: decode.texts(batch, 'id'),
    seqs: decode.numbers(batch, 'seq'),
    moved: decode.upTo(batch, 'seq', since),
    live: decode.flags(batch, 'live'),
    types: decode.repeatedTexts(batch, 'type') as string[],
    mergedInto: decode.optionalTexts(batch, 'merged_into'),
    keys: decode.floatLists(batch, 'keys'),
  }
}

/** Reads a batch of GRAPH_COLUMNS.vectors with row numbers. */
export function toVectorColumns(batch: RecordBatch, since: number): VectorColumns {
  return {
    kind: 'vectors',
    count: batch.numRows,
    rows: decode.rowNumbers(batch),
    ids: decode.texts(batch, 'id'),
    moved: decode.upTo(batch, 'seq', since),
    recordSeqs: decode.numbers(batch, 'record_seq'),
    spaces: decode.numbers(batch, 'space'),
    codes: decode.blobs(batch, 'code'),
  }
}

/** Reads a batch of VECTOR_BYTES_COLUMNS. */
export function toVectorBytes(batch: RecordBatch): Pick<VectorRow, 'id' | 'live' | 'vector'>[] {
  const vectors = decode.blobs(batch, 'vector')
  return decode.texts(batch, 'id').map((id, i) => ({ id, live: true, vector: vectors[i]! }))
}

/** Reads a batch of RECORD_TEXT_COLUMNS. */
export function toRecordTexts(batch: RecordBatch): RecordText[] {
  const ids = decode.texts(batch, 'id')
  const seqs = decode.numbers(batch, 'seq')
  const isLive = decode.flags(batch, 'live')
  const sourceIds = decode.optionalTexts(batch, 'source_id')
  const projectIds = decode.optionalTexts(batch, 'project_id')
  const types = decode.texts(batch, 'type')
  const times = decode.numbers(batch, 'occurred_at_ms')
  const externalKeys = decode.numbers(batch, 'external_key')
  const ties = decode.numbers(batch, 'tie')
  const contents = decode.blobs(batch, 'content')
  return ids.map((id, i) => ({
    id,
    seq: seqs[i]!,
    live: isLive[i] === 1,
    sourceId: sourceIds[i]!,
    projectId: projectIds[i]!,
    type: types[i]!,
    occurredAtMs: known(times[i]!),
    externalKey: externalKeys[i]!,
    tie: ties[i]!,
    content: contents[i]!,
  }))
}

/** Reads a batch of all record columns. */
export function toRecords(batch: RecordBatch): Stored<RecordRow>[] {
  const analyses = decode.blobs(batch, 'analysis')
  return toRecordTexts(batch).map((row, i) => ({ ...row, analysis: analyses[i]! }))
}

/** Reads a batch of all entity columns. */
export function toEntities(batch: RecordBatch): Stored<EntityRow>[] {
  const ids = decode.texts(batch, 'id')
  const seqs = decode.numbers(batch, 'seq')
  const isLive = decode.flags(batch, 'live')
  const types = decode.texts(batch, 'type')
  const mergedInto = decode.optionalTexts(batch, 'merged_into')
  const keys = decode.floatLists(batch, 'keys')
  const contents = decode.blobs(batch, 'content')
  return ids.map((id, i) => ({
    id,
    seq: seqs[i]!,
    live: isLive[i] === 1,
    type: types[i]!,
    mergedInto: mergedInto[i]!,
    keys: [...keys[i]!],
    content: contents[i]!,
  }))
}

/** Reads a batch of all link columns. */
export function toLinks(batch: RecordBatch): Stored<LinkRow>[] {
  const ids = decode.texts(batch, 'id')
  const seqs = decode.numbers(batch, 'seq')
  const isLive = decode.flags(batch, 'live')
  const recordIds = decode.texts(batch, 'record_id')
  const subjectIds = decode.texts(batch, 'subject_id')
  const objectIds = decode.optionalTexts(batch, 'object_id')
  const predicates = decode.texts(batch, 'predicate')
  const validFrom = decode.numbers(batch, 'valid_from_ms')
  const validTo = decode.numbers(batch, 'valid_to_ms')
  const contents = decode.blobs(batch, 'content')
  return ids.map((id, i) => ({
    id,
    seq: seqs[i]!,
    live: isLive[i] === 1,
    recordId: recordIds[i]!,
    subjectId: subjectIds[i]!,
    objectId: objectIds[i]!,
    predicate: predicates[i]!,
    validFromMs: known(validFrom[i]!),
    validToMs: known(validTo[i]!),
    content: contents[i]!,
  }))
}

function known(value: number): number | null {
  return Number.isNaN(value) ? null : value
}
