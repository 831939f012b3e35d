/** Rows of the first read, and the factor by which the number grows at most. */
const FIRST_ROWS = 64
const GROWTH_MAX = 4
/** Maximum number of rows per read. Bounds the memory if large rows follow many small ones. */
const ROWS_MAX = 1_024
/** Bytes per read to aim for. Decoding them needs several times as much memory. */
const BYTES = 8 * 1024 * 1024

/**
 * Reads rows in parts. The number of rows per part depends on the size of the rows before, because one row may have a
 * hundred bytes or a megabyte. `read` returns its result and the number of bytes read.
 */
export async function* readWindows<Row, T>(
  rows: readonly Row[],
  read: (rows: readonly Row[]) => Promise<{ result: T; bytes: number }>,
  rowsMax = ROWS_MAX,
): AsyncGenerator<T> {
  let count = Math.min(FIRST_ROWS, rowsMax)
  for (let start = 0; start < rows.length; ) {
    const part = rows.slice(start, start + count)
    const { result, bytes } = await read(part)
    yield result
    start += part.length
    const fitting = Math.floor((part.length * BYTES) / Math.max(1, bytes))
    count = Math.max(1, Math.min(rowsMax, ROWS_MAX, GROWTH_MAX * part.length, fitting))
  }
}
