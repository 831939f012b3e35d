import type { RecordBatch } from 'apache-arrow'
import type {
  EntityColumns,
  EntityRow,
  Kind,
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
import { type ColumnSpec, type ColumnType, encodeTable } from './encode.ts'

/** Layout of a dataset: its columns, each named after its row field, and the columns with a scalar index. */
interface Shape<Row> {
  readonly columns: readonly ColumnSpec<Row>[]
  readonly indexed: readonly string[]
}

function shapeOf<Row>(types: Record<keyof Row & string, ColumnType>, indexed: readonly string[] = []): Shape<Row> {
  const columns = Object.entries<ColumnType>(types).map(([field, type]) => ({
    field: field as keyof Row & string,
    name: field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    type,
  }))
  return { columns, indexed }
}

const RECORDS = shapeOf<RecordRow>({
  id: 'utf8',
  live: 'bool',
  sourceId: 'utf8',
  projectId: 'utf8',
  type: 'utf8',
  occurredAtMs: 'float64',
  externalKey: 'float64',
  tie: 'float64',
  content: 'binary',
  analysis: 'binary',
})

const ENTITIES = shapeOf<EntityRow>(
  { id: 'utf8', live: 'bool', type: 'utf8', mergedInto: 'utf8', keys: 'floats', content: 'binary' },
  ['id'],
)

const LINKS = shapeOf<LinkRow>(
  {
    id: 'utf8',
    live: 'bool',
    recordId: 'utf8',
    subjectId: 'utf8',
    objectId: 'utf8',
    predicate: 'utf8',
    validFromMs: 'float64',
    validToMs: 'float64',
    content: 'binary',
  },
  ['record_id', 'subject_id', 'object_id'],
)

const VECTORS = shapeOf<VectorRow>({
  id: 'utf8',
  live: 'bool',
  recordSeq: 'float64',
  space: 'float64',
  code: 'binary',
  vector: 'binary',
})

/** The layout of each dataset. */
export const SHAPES = { records: RECORDS, entities: ENTITIES, links: LINKS, vectors: VECTORS } as const

/** Encoders of rows as an Arrow table, by kind. Every row gets the given seq. */
export const encodeRows = {
  records: (rows: readonly RecordRow[], seq: number) => encodeTable(RECORDS.columns, rows, seq),
  entities: (rows: readonly EntityRow[], seq: number) => encodeTable(ENTITIES.columns, rows, seq),
  links: (rows: readonly LinkRow[], seq: number) => encodeTable(LINKS.columns, rows, seq),
  vectors: (rows: readonly VectorRow[], seq: number) => encodeTable(VECTORS.columns, rows, seq),
} as const

function namesOf<Row>({ columns }: Shape<Row>): string[] {
  return ['seq', 'placed', ...columns.map(({ name }) => name)]
}

/** Columns of a record except its analysis. */
export const RECORD_TEXT_COLUMNS = namesOf(RECORDS).filter((name) => name !== 'analysis')
export const COLUMNS: Readonly<Record<Kind, readonly string[]>> = {
  records: namesOf(RECORDS),
  entities: namesOf(ENTITIES),
  links: namesOf(LINKS),
  vectors: namesOf(VECTORS),
}
/** Columns for reading vectors of known rows. Reading their ids would double the cost. */
export const VECTOR_BYTES_COLUMNS = ['vector']
/** Columns that the graph is built from: all except the content, and for vectors all except the vectors themselves. */
export const GRAPH_COLUMNS = {
  records: COLUMNS.records.filter((name) => name !== 'content'),
  entities: COLUMNS.entities.filter((name) => name !== 'content'),
  vectors: COLUMNS.vectors.filter((name) => name !== 'vector'),
} as const

/** Columns for rows that only got a new row number. */
export const MOVED_COLUMNS = ['id']

/** Decodes a batch of MOVED_COLUMNS with row numbers. */
export function toMovedColumns(kind: MovedColumns['of'], batch: RecordBatch): MovedColumns {
  const [rows, ids] = [decode.rowNumbers(batch), decode.texts(batch, 'id')]
  return { kind: 'moved', of: kind, count: batch.numRows, rows, ids }
}

/** Decodes a batch of GRAPH_COLUMNS.records with row numbers. */
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
    tieBreakers: decode.numbers(batch, 'tie'),
    analyses: decode.blobs(batch, 'analysis'),
  }
}

/** Decodes a batch of GRAPH_COLUMNS.entities with row numbers. */
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

/** Decodes a batch of GRAPH_COLUMNS.vectors with row numbers. */
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

/** Decodes a batch of VECTOR_BYTES_COLUMNS. */
export function toVectorBytes(batch: RecordBatch): (readonly [row: number, vector: Uint8Array])[] {
  const rows = decode.rowNumbers(batch)
  return decode.blobs(batch, 'vector').map((vector, i) => [rows[i]!, vector] as const)
}

/** Decodes a batch of all vector columns. */
export const toVectors = (batch: RecordBatch): Stored<VectorRow>[] =>
  rowsOf(VECTORS, batch).map((row) => ({ ...row, live: true }))

/** Decodes the rows of a batch, with their seq. Columns that were not read are omitted. */
function rowsOf<Row>({ columns }: Shape<Row>, batch: RecordBatch): Stored<Row>[] {
  const read = columns.filter(({ name }) => batch.getChild(name) !== null)
  const cells = read.map(({ name, type }) => decode.cells[type](batch, name))
  return Array.from(decode.numbers(batch, 'seq'), (seq, i) => {
    const row: Record<string, unknown> = { seq }
    for (const [at, { field }] of read.entries()) row[field] = cells[at]?.[i]
    return row as Stored<Row>
  })
}

/** Decodes a batch of RECORD_TEXT_COLUMNS. */
export const toRecordTexts = (batch: RecordBatch): RecordText[] => rowsOf(RECORDS, batch)

/** Decodes a batch of all record columns. */
export const toRecords = (batch: RecordBatch): Stored<RecordRow>[] => rowsOf(RECORDS, batch)

/** Decodes a batch of all entity columns. */
export const toEntities = (batch: RecordBatch): Stored<EntityRow>[] => rowsOf(ENTITIES, batch)

/** Decodes a batch of all link columns. */
export const toLinks = (batch: RecordBatch): Stored<LinkRow>[] => rowsOf(LINKS, batch)
