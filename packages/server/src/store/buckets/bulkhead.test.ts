import { expect, it } from 'vitest'
import { openLog } from '../../base/log.ts'
import { createBulkhead } from './bulkhead.ts'

const clock = { now: () => new Date(0) }

it('hanging work blocks only its own sandbox, and failed work is retried after a delay', async () => {
  const logged: string[] = []
  const bulkhead = createBulkhead(
    openLog('warn', clock, (line) => void logged.push(line)),
    'it failed',
  )
  const done: string[] = []
  const release: (() => void)[] = []
  const hang = () => new Promise<void>((resolve) => void release.push(resolve))
  expect(bulkhead.begin('a', hang)).toBe(true)
  expect(bulkhead.begin('a', hang)).toBe(false)
  expect(bulkhead.begin('b', async () => void done.push('b'))).toBe(true)
  expect(bulkhead.begin('c', () => Promise.reject(new Error('no')))).toBe(true)
  await expect.poll(() => [done.length, logged.length]).toEqual([1, 1])
  expect(done).toEqual(['b'])
  expect(bulkhead.begin('b', async () => undefined)).toBe(true)
  expect(bulkhead.begin('c', async () => undefined)).toBe(false)
  expect(logged.join()).toContain('it failed')
  for (const end of release) end()
  await bulkhead.stopped
  expect(bulkhead.begin('a', async () => undefined)).toBe(true)
})

it('no more sandboxes run concurrently than there are slots', async () => {
  const bulkhead = createBulkhead(
    openLog('warn', clock, () => undefined),
    'it failed',
  )
  const release: (() => void)[] = []
  const hang = () => new Promise<void>((resolve) => void release.push(resolve))
  const begun = Array.from({ length: 40 }, (_, at) => bulkhead.begin(`sbx_${at}`, hang))
  expect(begun.filter(Boolean)).toHaveLength(16)
  for (const end of release) end()
  await bulkhead.stopped
})
