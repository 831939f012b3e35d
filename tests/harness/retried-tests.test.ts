import { expect, it } from 'vitest'
import { judgeRetried } from './retried-tests.mjs'

it('a retried test is recorded with its day, and one recorded on an earlier day fails the run', () => {
  const first = judgeRetried(['a.test.ts > one'], {}, '2026-11-24')
  expect(first).toEqual({ noted: { 'a.test.ts > one': '2026-11-24' }, again: [] })
  expect(judgeRetried(['a.test.ts > one'], first.noted, '2026-11-24').again).toEqual([])
  expect(judgeRetried(['a.test.ts > one', 'b.test.ts > two'], first.noted, '2026-11-25')).toEqual({
    noted: { 'a.test.ts > one': '2026-11-24', 'b.test.ts > two': '2026-11-25' },
    again: ['a.test.ts > one'],
  })
})
