import type { Data, RecordBatch } from 'apache-arrow'
import type { ColumnType } from './encode.ts'

const FLOAT_BYTES = 8
const decoder = new TextDecoder()

/** Returns the stable row numbers of a batch that was read with row ids. */
export function rowNumbers(batch: RecordBatch): Float64Array {
  return Float64Array.from(bigs(batch, '_rowid').subarray(0, batch.numRows), Number)
}

/** Decodes a column of numbers. Null becomes NaN. */
export function numbers(batch: RecordBatch, name: string): Float64Array {
  const vector = column(batch, name)
  const values = (vector.values as Float64Array).slice(0, batch.numRows)
  if (vector.nullCount > 0) for (let i = 0; i < values.length; i++) if (!vector.getValid(i)) values[i] = Number.NaN
  return values
}

/** Returns 1 for each row whose number is at most `limit`, else 0. The column must have no nulls. */
export function upTo(batch: RecordBatch, name: string, limit: number): Uint8Array {
  return Uint8Array.from(numbers(batch, name), (value) => (value <= limit ? 1 : 0))
}

/** Decodes a column of booleans as 0 and 1. */
export function flags(batch: RecordBatch, name: string): Uint8Array {
  const vector = column(batch, name)
  const bits = vector.values as Uint8Array
  const values = new Uint8Array(batch.numRows)
  for (let i = 0; i < values.length; i++) {
    const at = i + vector.offset
    values[i] = (bits[at >> 3]! >> (at & 7)) & 1
  }
  return values
}

/** Decodes a column of text without nulls. */
export function texts(batch: RecordBatch, name: string): string[] {
  return optionalTexts(batch, name) as string[]
}

/** Decodes a column of text with nulls. */
export function optionalTexts(batch: RecordBatch, name: string): (string | null)[] {
  const vector = column(batch, name)
  if (vector.nullCount === batch.numRows) return new Array(batch.numRows).fill(null)
  const ends = vector.valueOffsets as Int32Array
  const bytes = (vector.values as Uint8Array).subarray(ends[0]!, ends[batch.numRows]!)
  const joined = decoder.decode(bytes)
  const isAscii = joined.length === bytes.length
  const first = ends[0]!
  const cells = new Array<string | null>(batch.numRows)
  for (let i = 0; i < cells.length; i++) {
    const start = ends[i]! - first
    const end = ends[i + 1]! - first
    if (vector.nullCount > 0 && !vector.getValid(i)) cells[i] = null
    else cells[i] = isAscii ? joined.slice(start, end) : decoder.decode(bytes.subarray(start, end))
  }
  return cells
}

/** Returns the bytes of a column of text without nulls. Cell `i` is at `ends[i]` to `ends[i + 1]`. */
export function textBytes(batch: RecordBatch, name: string): { bytes: Uint8Array; ends: Int32Array } {
  const vector = column(batch, name)
  return { bytes: vector.values as Uint8Array, ends: vector.valueOffsets as Int32Array }
}

/** Decodes a column of text with few distinct values. Equal values share one string. */
export function repeatedTexts(batch: RecordBatch, name: string): (string | null)[] {
  const seen = new Map<string, string>()
  return optionalTexts(batch, name).map((text) => {
    if (text === null) return null
    const known = seen.get(text)
    if (known !== undefined) return known
    // Copied, because a substring would keep the string of the whole column in memory.
    const own = Buffer.from(text).toString()
    seen.set(own, own)
    return own
  })
}

/** Decodes a column of bytes as views into the batch. Null becomes empty. */
export function blobs(batch: RecordBatch, name: string): Uint8Array[] {
  const vector = column(batch, name)
  const ends = vector.valueOffsets as Int32Array
  const values = vector.values as Uint8Array
  return Array.from({ length: batch.numRows }, (_, i) => values.subarray(ends[i]!, ends[i + 1]!))
}

/** Decodes a column of bytes that contain float64 numbers. */
export function floatLists(batch: RecordBatch, name: string): Float64Array[] {
  const vector = column(batch, name)
  const ends = vector.valueOffsets as Int32Array
  const first = ends[0]!
  // One aligned copy for the whole batch. Each list is a view into it.
  const aligned = (vector.values as Uint8Array).slice(first, ends[batch.numRows]!)
  return Array.from(
    { length: batch.numRows },
    (_, i) => new Float64Array(aligned.buffer, ends[i]! - first, (ends[i + 1]! - ends[i]!) / FLOAT_BYTES),
  )
}

/** Decoders of a column's cells, by column type. */
export const cells: Record<ColumnType, (batch: RecordBatch, name: string) => ArrayLike<unknown>> = {
  utf8: optionalTexts,
  float64: (batch, name) => Array.from(numbers(batch, name), (value) => (Number.isNaN(value) ? null : value)),
  bool: (batch, name) => Array.from(flags(batch, name), (flag) => flag === 1),
  binary: blobs,
  floats: (batch, name) => floatLists(batch, name).map((list) => [...list]),
}

function column(batch: RecordBatch, name: string): Data {
  const vector = batch.getChild(name)?.data[0]
  if (!vector) throw new Error(`The batch has no column ${name}.`)
  return vector
}

/** Returns a column of 64-bit integers. */
export function bigs(batch: RecordBatch, name: string): BigUint64Array {
  return column(batch, name).values as BigUint64Array
}
