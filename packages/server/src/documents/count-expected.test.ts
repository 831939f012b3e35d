import { expect, it } from 'vitest'
import { cells, xlsxOf } from '../../../../tests/harness/documents.ts'
import { readDocument } from './read-document.ts'

const ROWS = 'Invoice,Customer,Amount\nA-1,Harbour AS,1200\nA-2,Lima,340\n'

it('the number of expected rows, entries and values is sent before the first one', async () => {
  const kinds = async (name: string, content: string | Uint8Array) => {
    const order: (string | number)[] = []
    for await (const item of readDocument({ name, bytes: Buffer.from(content) }))
      order.push(item.kind === 'coming' ? item.records : item.kind)
    return order
  }
  expect(await kinds('a.csv', ROWS)).toEqual([3, 'head', 'part', 'row', 'row'])
  expect(await kinds('a.xlsx', xlsxOf({ Stock: [cells('Item', 'Count'), cells('Rope', 12)] }))).toContain(2)
  expect(await kinds('a.json', '[{"id": 1, "name": "Quay"}, {"id": 2, "name": "Pier"}]')).toEqual([
    2,
    'head',
    'value',
    'value',
  ])
  expect((await kinds('a.csv', `Berth,Price\n${'North,1\n'.repeat(25_000)}`)).slice(0, 4)).toEqual([
    10_000,
    10_000,
    5_001,
    'head',
  ])
})
