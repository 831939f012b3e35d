import { expect, it } from 'vitest'
import type { Fault } from '../../../base/fault.ts'
import { openUploadSlots, untilAborted } from './upload-slots.ts'

const codeOf = (take: () => unknown) => {
  try {
    take()
    return 'taken'
  } catch (fault) {
    return (fault as Fault).code
  }
}

it('an account has its own slots, and gets them back', () => {
  const slots = openUploadSlots({ total: 8, accountTotal: 4 })
  const own = Array.from({ length: 4 }, () => slots.take('a'))
  expect(codeOf(() => slots.take('a'))).toBe('rate_limited')
  own[0]?.release()
  own[0]?.release()
  expect([slots.count(), codeOf(() => slots.take('a'))]).toEqual([3, 'taken'])
})

it('if all slots are in use, the newest unfinished upload of the busiest account is evicted', () => {
  const slots = openUploadSlots({ total: 8, accountTotal: 4 })
  const a = Array.from({ length: 4 }, () => slots.take('a'))
  const b = Array.from({ length: 4 }, () => slots.take('b'))
  a[3]?.received()
  slots.take('c')
  expect(a.map(({ signal }) => signal.aborted)).toEqual([false, false, true, false])
  expect((a[2]!.signal.reason as Fault).code).toBe('unavailable')
  slots.take('d')
  expect([...a, ...b].filter(({ signal }) => signal.aborted)).toHaveLength(2)
  slots.take('c')
  // 'c' has two uploads and the others have at most three, so 'c' gets no third slot at their expense.
  expect(codeOf(() => slots.take('c'))).toBe('unavailable')
  expect(slots.count()).toBe(8)
})

it('a received upload is not evicted', () => {
  const slots = openUploadSlots({ total: 2, accountTotal: 2 })
  const a = [slots.take('a'), slots.take('a')]
  for (const slot of a) slot.received()
  expect(codeOf(() => slots.take('b'))).toBe('unavailable')
})

it('a process is idle once every slot is released', async () => {
  const slots = openUploadSlots({ total: 2, accountTotal: 2 })
  await slots.idle()
  const slot = slots.take('a')
  const idle = slots.idle()
  slot.release()
  await idle
})

it('reading stops when its signal aborts, also while no data arrives', async () => {
  const stop = new AbortController()
  const silent = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => undefined) }) }
  const reading = untilAborted(silent, stop.signal).next()
  stop.abort(new Error('made room'))
  await expect(reading).rejects.toThrow('made room')
})
