import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { operations } from '@cairnstore/contract'
import { expect, it } from 'vitest'
import { canBeFollowed, columnsFor, pagesOf } from './call.ts'

it('a followed list continues at its end and shows each row once; any other list stops there', async () => {
  const rows = ['a', 'b', 'c']
  const asked: string[] = []
  const server = createServer(({ url = '' }, reply) => {
    const since = Number(new URL(url, 'http://x').searchParams.get('since') ?? 0)
    asked.push(`${since}`)
    const page = rows.slice(since, since + 2)
    const next = since + page.length
    const body = { changes: page.map((id) => ({ id })), next_cursor: `${next}`, has_more: next < rows.length }
    reply.end(JSON.stringify(body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const listing = {
    operation: operations.listChanges,
    columns: ['id'],
    asked: { sandbox_id: 'sbx_1' },
    settings: { url, key: 'k', keyName: 'k', sandbox: undefined, isQuiet: true },
    asJson: true,
  }
  expect(canBeFollowed(operations.listChanges)).toBe(true)
  const ended: unknown[] = []
  for await (const page of pagesOf({ ...listing, isFollowed: false })) ended.push(...page)
  expect(ended).toEqual([{ id: 'a' }, { id: 'b' }, { id: 'c' }])
  const seen: unknown[] = []
  for await (const page of pagesOf({ ...listing, isFollowed: true })) {
    seen.push(...page)
    if (seen.length === 3) rows.push('d')
    if (seen.length === 4) break
  }
  expect(seen).toEqual([{ id: 'a' }, { id: 'b' }, { id: 'c' }, { id: 'd' }])
  expect(asked.slice(2)).toEqual(['0', '2', '3'])
  server.close()
})

it('a list has no tier column if the service has no limits', () => {
  const columns = ['sandbox_id', 'tier', 'name']
  const own = { tier: 'free', limits: { max_records: null, max_projects: null } }
  const hosted = { tier: 'free', limits: { max_records: 100, max_projects: null } }
  expect(columnsFor(columns, [own, own])).toEqual(['sandbox_id', 'name'])
  expect(columnsFor(columns, [own, hosted])).toEqual(columns)
  expect(columnsFor(columns, [{ tier: 'free' }])).toEqual(columns)
})
