import { describe, expect, it } from 'vitest'
import { fixedArguments, isCompleteResult } from './complete-result.ts'

const schemaOf = (...names: string[]) => ({ properties: Object.fromEntries(names.map((name) => [name, {}])) })
const isComplete = (names: string[], given: Record<string, unknown>, body: unknown, items: unknown[] = [1]) =>
  isCompleteResult(schemaOf(...names), given, body, [items])

describe('a result of a tool', () => {
  it('is a whole list if the tool has no pages, or says that this was the last one', () => {
    expect(isComplete(['project', 'pageId', 'timeZone', 'from'], { pageId: '7', from: 'New York' }, [1])).toBe(true)
    for (const end of [{ nextCursor: null }, { pageInfo: { hasNextPage: false, endCursor: 'c' } }, { total_count: 1 }])
      expect(isComplete(['cursor', 'limit'], { limit: 10 }, { items: [1], ...end }), JSON.stringify(end)).toBe(true)
  })

  it('is none if there may be more', () => {
    for (const paged of ['page', 'cursor', 'pageToken', 'startAt', 'limit', 'perPage', 'max_results'])
      expect(isComplete([paged], {}, [1]), paged).toBe(false)
    for (const more of [{ nextPageToken: 't' }, { has_more: true }, { meta: { total: 2 } }, { errors: ['no'] }])
      expect(isComplete([], {}, { items: [1], ...more }), JSON.stringify(more)).toBe(false)
    expect(isCompleteResult({}, {}, { message: 'rate limit exceeded' }, [])).toBe(false)
  })

  it('is none if its arguments filter by time, also by their defaults', () => {
    for (const given of [
      { since: 'x' },
      { updatedAfter: 'x' },
      { start_date: 'x' },
      { period: '24h' },
      { from: '2026-11-01' },
      { jql: 'updated >= -1d' },
      { query: "modifiedTime > '2026-11-01T00:00:00Z'" },
      { filter: { updated: { gte: '2026-11-01' } } },
    ])
      expect(isComplete(Object.keys(given), given, { items: [1], has_more: false }), JSON.stringify(given)).toBe(false)
    const recent = { properties: { days: { default: 7 }, page: { default: 1 } } }
    expect(isCompleteResult(recent, {}, { has_more: false }, [[1]])).toBe(false)
  })

  it('belongs to the same list whatever page or time its arguments name', () => {
    const fixed = { owner: 'acme', state: 'open' }
    expect(fixedArguments({ ...fixed, since: '2026-11-01', page: 2, cursor: 'c' })).toEqual(fixed)
  })
})
