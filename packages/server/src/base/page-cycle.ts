/**
 * Returns a function that reads the next page of a list, and starts again after the last one. If the rows of a page
 * cannot be processed, they thus do not block those of later pages.
 */
export function pageCycle<Row>(
  rowsMax: number,
  read: (after: Row | undefined) => Promise<Row[]>,
): () => Promise<Row[]> {
  let after: Row | undefined
  return async () => {
    const rows = await read(after)
    after = rows.length < rowsMax ? undefined : rows.at(-1)
    return rows
  }
}
