import { afterAll, expect, it } from 'vitest'
import { flatePdf } from '../../../../../tests/hostile-documents/generate.mjs'
import type { DocumentFile, DocumentItem } from '../document.ts'
import { openDocumentReaders, readingLimits } from './open-document-readers.ts'
import { openProcessPool } from './process-pool.ts'

const MIB = 1024 * 1024
/** Enough for the program itself and small documents. */
const RESIDENT_BYTES = 256 * MIB
/** Long enough for any step that ends, even on a slow machine. */
const STEP_MS = 600_000

const readers = openDocumentReaders({ processes: 4, working: 4, residentBytes: RESIDENT_BYTES, stepMs: STEP_MS })
afterAll(() => readers.close())

async function read(file: DocumentFile): Promise<DocumentItem[]> {
  const items: DocumentItem[] = []
  for await (const item of readers.open('account').read(file)) items.push(item)
  return items
}

it('a file that exceeds the memory limit of its process is rejected, and the next one is read', async () => {
  const hungry = { name: 'hungry.pdf', bytes: flatePdf(300, 3) }
  const detail = expect.stringMatching(/ 256 MiB of memory; split it/)
  await expect(read(hungry)).rejects.toMatchObject({ reason: 'took_too_much', detail })
  const note = { name: 'note.html', bytes: Buffer.from('<html><body><p>The quay is dry.</p></body></html>') }
  expect(await read(note)).toContainEqual(expect.objectContaining({ kind: 'part', text: 'The quay is dry.' }))
})

it('a file sent in several chunks is reassembled in its process', async () => {
  const rows = Array.from({ length: 3_000 }, (_, at) => `${at},${'x'.repeat(1_000)}`)
  const items = await read({ name: 'rows.csv', bytes: Buffer.from(`berth,said\n${rows.join('\n')}`) })
  const berths = items.flatMap((item) => (item.kind === 'row' ? [item.cells[0]?.[1]] : []))
  expect(berths).toEqual(rows.map((_, at) => at))
})

it('a process reads for only one account, and is reused for it', async () => {
  const pool = openProcessPool(2, RESIDENT_BYTES)
  const first = await pool.take('a')
  await first.ready(STEP_MS)
  first.release(true)
  const other = await pool.take('b')
  const again = await pool.take('a')
  expect([other.pid === first.pid, again.pid === first.pid]).toEqual([false, true])
  other.release(false)
  again.release(false)
  pool.close()
})

it('the memory limit of a process depends on the memory of the service', () => {
  expect(readingLimits(2 * 1024 * MIB).residentBytes).toBe(512 * MIB)
  expect(readingLimits(6 * 1024 * MIB).residentBytes).toBe(768 * MIB)
  expect(readingLimits(64 * 1024 * MIB).residentBytes).toBe(1024 * MIB)
})
