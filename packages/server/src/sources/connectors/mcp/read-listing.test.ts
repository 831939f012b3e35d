import { describe, expect, it } from 'vitest'
import type { Listing } from '../mcp-profile.ts'
import type { MappedRecord } from '../to-record.ts'
import type { McpResult } from './mcp-session.ts'
import { type ListingMark, type ListingPort, readListing, rewound } from './read-listing.ts'

const NOW = new Date('2026-11-28T12:00:00Z')
const LISTING: Listing = {
  part: 'tickets',
  tool: 'list',
  arguments: {},
  items: 'tickets',
  pages: { argument: 'cursor', next: 'next' },
  changes: { argument: 'since', value: '{since}' },
  map: { external_id: 'id', title: 'title', updated_at: 'at' },
}

type Given = Record<string, unknown>

/** Reads a list to its end. Returns what was yielded, and the failure. */
async function read(reply: (given: Given) => unknown, before: ListingMark = {}, listing = LISTING, seenMax = 100) {
  const tool = { name: 'list', description: undefined, inputSchema: {}, isReadOnly: true, digest: '' }
  const call = async (_: unknown, given: Given): Promise<McpResult> => ({
    isError: false,
    content: [],
    structured: reply(given),
  })
  const port: ListingPort = {
    ...{ tool, detail: undefined, parameters: {}, now: NOW, wholeDays: 7, seenMax, call, tryCall: call },
  }
  const records: MappedRecord[] = []
  let mark = before
  try {
    for await (const page of readListing(listing, before, port)) {
      records.push(...page.records)
      mark = JSON.parse(JSON.stringify(page.mark))
    }
    return { records, mark, failure: undefined }
  } catch (error) {
    return { records, mark, failure: (error as { reason?: string }).reason }
  }
}

const ticket = (id: unknown, title = 'Title') => ({ id, title, at: '2026-11-01T00:00:00Z' })

describe('a list of a hostile server', () => {
  it('has any ids, and items without a usable one are left out', async () => {
    const ids = ['constructor', '__proto__', 'toString', '7']
    const reply = () => ({ tickets: [...ids.map((id) => ticket(id)), ticket(undefined), null, 'x', 3] })
    const first = await read(reply)
    expect([first.failure, first.records.map((one) => one.external_id)]).toEqual([undefined, ids])
    expect((await read(reply, first.mark)).records).toEqual([])
    const computed = { id: 'ticket/{id}' }
    const listing = { ...LISTING, computed, map: { ...LISTING.map, external_id: 'computed.id' } }
    const wrong = await read(() => ({ tickets: [ticket('a\nb'), ticket('x'.repeat(600)), ticket('ok')] }), {}, listing)
    expect(wrong.records.map((one) => one.external_id)).toEqual(['ticket/ok'])
  })

  it('ends at a huge or repeated cursor, at a repeated page, and after a number of pages', async () => {
    const huge = await read(() => ({ tickets: [ticket('a')], next: 'x'.repeat(1024 * 1024) }))
    expect([huge.failure, huge.records]).toEqual(['unreadable', []])
    let n = 0
    const turning = await read(() => ({ tickets: [ticket(`t-${++n}`)], next: n % 2 ? 'one' : 'two' }))
    expect([turning.failure, turning.records.length]).toEqual(['unreadable', 3])
    const numbered: Listing = { ...LISTING, items: 'tickets', pages: { argument: 'page' } }
    const same = await read(() => ({ tickets: [ticket('a')] }), {}, numbered)
    expect([same.failure, same.records.length]).toEqual(['unreadable', 1])
    n = 0
    const endless = await read(({ page }) => ({ tickets: [ticket(`t-${++n}`, String(page))] }), {}, numbered)
    expect([endless.failure, n, endless.mark.wholeAt]).toEqual([undefined, 4_000, undefined])
  })

  it('deletes nothing if it has more records than are compared', async () => {
    const many = Array.from({ length: 30 }, (_, at) => ticket(`t-${at}`))
    const first = await read(() => ({ tickets: many }), {}, LISTING, 20)
    const { since: _, ...whole } = first.mark
    for (let times = 0; times < 3; times += 1) {
      expect((await read(() => ({ tickets: [] }), whole, LISTING, 20)).records).toEqual([])
    }
  })
})

describe('a list that is read again since a time', () => {
  it('sends unchanged items once more, and asks from the earlier time', async () => {
    const asked: unknown[] = []
    const reply = (given: Given) => {
      asked.push(given.since)
      return { tickets: [ticket('a'), ticket('b')] }
    }
    const { mark } = await read(reply)
    const again = await read(reply, rewound(mark, new Date('2026-10-01T00:00:00Z'), NOW))
    expect(again.records.map((one) => one.external_id)).toEqual(['a', 'b'])
    expect((await read(reply, again.mark)).records).toEqual([])
    expect(asked).toEqual([undefined, '2026-10-01T00:00:00Z', '2026-11-01T00:00:00Z'])
  })
})
