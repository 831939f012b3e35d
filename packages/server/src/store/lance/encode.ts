import {
  Binary,
  Bool,
  type Data,
  type DataType,
  Field,
  Float64,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  Table,
  Uint64,
  Utf8,
} from 'apache-arrow'

/** Value of a cell. Null is a missing value. */
type Cell = string | number | boolean | Uint8Array | readonly number[] | null

const TYPES = {
  utf8: () => new Utf8(),
  float64: () => new Float64(),
  bool: () => new Bool(),
  binary: () => new Binary(),
  floats: () => new Binary(),
}

/** Type of a column. `floats` are lists of numbers, stored as bytes. */
export type ColumnType = keyof typeof TYPES

/** A column of a dataset, and the row field from which its cells come. */
export interface ColumnSpec<Row> {
  readonly field: keyof Row & string
  readonly name: string
  readonly type: ColumnType
}

const BITS_PER_BYTE = 8
const encoder = new TextEncoder()

/** Encodes rows as an Arrow table of the given columns. Each row also gets `seq`, and `placed` with the same value. */
export function encodeTable<Row>(columns: readonly ColumnSpec<Row>[], rows: readonly Row[], seq: number): Table {
  const fields = [new Field('seq', new Float64(), false), new Field('placed', new Float64(), false)]
  // Two vectors, since writing one vector as two columns corrupts the table.
  const children: Data<DataType>[] = [floats(rows.map(() => seq)), floats(rows.map(() => seq))]
  for (const column of columns) {
    fields.push(new Field(column.name, TYPES[column.type](), true) as Field)
    const cells = rows.map((row) => row[column.field])
    children.push(encodeColumn(column.type, cells as Cell[]))
  }
  const schema = new Schema(fields)
  const struct = makeData({ type: new Struct(fields), length: rows.length, nullCount: 0, children })
  return new Table(schema, [new RecordBatch(schema, struct)])
}

/** Returns the named columns of an encoded table as a batch. */
export function columnsOf(table: Table, names: readonly string[]): RecordBatch {
  const indexes = table.schema.fields.flatMap((field, at) => (names.includes(field.name) ? [at] : []))
  const { children } = table.batches[0]!.data
  return batchOf(
    indexes.map((at) => table.schema.fields[at]!),
    indexes.map((at) => children[at]!),
    table.numRows,
  )
}

/** Adds consecutive row numbers from `first`, as in a batch that was read with row ids. */
export function withRowNumbers({ schema, data, numRows: length }: RecordBatch, first: number): RecordBatch {
  const numbers = BigUint64Array.from({ length }, (_, i) => BigInt(first + i))
  const column = makeData({ type: new Uint64(), length, nullCount: 0, data: numbers })
  return batchOf([...schema.fields, new Field('_rowid', new Uint64(), false)], [...data.children, column], length)
}

function batchOf(fields: readonly Field[], children: readonly Data[], length: number): RecordBatch {
  const struct = makeData({ type: new Struct([...fields]), length, nullCount: 0, children: [...children] })
  return new RecordBatch(new Schema([...fields]), struct)
}

function encodeColumn(type: ColumnType, cells: readonly Cell[]): Data<DataType> {
  if (type === 'utf8') return texts(cells as (string | null)[])
  if (type === 'floats') return blobs((cells as number[][]).map(floatBytes))
  if (type === 'binary') return blobs(cells as (Uint8Array | null)[])
  if (type === 'bool')
    return makeData({ type: new Bool(), ...validity(cells), data: bitmap(cells, (cell) => cell === true) })
  return floats(cells as (number | null)[])
}

function floats(cells: readonly (number | null)[]): Data<DataType> {
  return makeData({ type: new Float64(), ...validity(cells), data: Float64Array.from(cells, (cell) => cell ?? 0) })
}

function texts(cells: readonly (string | null)[]): Data<DataType> {
  const joined = cells.join('')
  const bytes = encoder.encode(joined)
  // ASCII is the common case. Then the length in characters is the length in bytes.
  const isAscii = bytes.length === joined.length
  const valueOffsets = offsets(cells, (cell) => (isAscii ? cell.length : Buffer.byteLength(cell)))
  return makeData({ type: new Utf8(), ...validity(cells), valueOffsets, data: bytes })
}

function blobs(cells: readonly (Uint8Array | null)[]): Data<DataType> {
  const bytes = Buffer.concat(cells.filter((cell) => cell !== null))
  return makeData({
    type: new Binary(),
    ...validity(cells),
    valueOffsets: offsets(cells, (cell) => cell.length),
    data: bytes,
  })
}

function offsets<T>(cells: readonly (T | null)[], length: (cell: T) => number): Int32Array {
  const ends = new Int32Array(cells.length + 1)
  for (let i = 0; i < cells.length; i++) {
    const cell = cells[i]
    ends[i + 1] = ends[i]! + (cell === null || cell === undefined ? 0 : length(cell))
  }
  return ends
}

function validity(cells: readonly Cell[]): { length: number; nullCount: number; nullBitmap?: Uint8Array } {
  const nullCount = cells.reduce((count: number, cell) => count + (cell === null ? 1 : 0), 0)
  if (nullCount === 0) return { length: cells.length, nullCount }
  return { length: cells.length, nullCount, nullBitmap: bitmap(cells, (cell) => cell !== null) }
}

function bitmap(cells: readonly Cell[], isSet: (cell: Cell) => boolean): Uint8Array {
  const bits = new Uint8Array(Math.ceil(cells.length / BITS_PER_BYTE))
  for (let i = 0; i < cells.length; i++) if (isSet(cells[i]!)) bits[i >> 3]! |= 1 << (i & 7)
  return bits
}

/** Returns numbers as the bytes of a binary cell. */
function floatBytes(numbers: readonly number[]): Uint8Array {
  return new Uint8Array(Float64Array.from(numbers).buffer)
}
