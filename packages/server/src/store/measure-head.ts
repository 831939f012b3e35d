import type { Head } from '../db/head.ts'
import type { SandboxStore } from './port.ts'

const ROWS_PER_BATCH = 1_000

/** Counts the records of a head and the bytes of their content. Reads all records. */
export async function measureHead(store: SandboxStore, head: Head): Promise<{ records: number; bytes: number }> {
  const size = { records: 0, bytes: 0 }
  if (head.seq === 0) return size
  for await (const rows of store.scanRecords(head, { batchRows: ROWS_PER_BATCH })) {
    size.records += rows.length
    for (const { content } of rows) size.bytes += content.length
  }
  return size
}
