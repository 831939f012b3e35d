import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createKeyedMutex, createSlotPool } from './keyed-mutex.ts'

test('work in one sandbox runs one after the other, in order, also after a failure', async () => {
  const turns = createKeyedMutex()
  const events: string[] = []
  let end = () => {}
  const first = turns.run('a', async () => {
    events.push('first begins')
    await new Promise<void>((resolve) => {
      end = resolve
    })
    events.push('first ends')
    throw new Error('failed')
  })
  const second = turns.run('a', async () => void events.push('second'))
  await turns.run('b', async () => void events.push('elsewhere'))
  expect(turns.isLocked('a')).toBe(true)
  end()
  await expect(first).rejects.toThrow('failed')
  await second
  expect(events).toEqual(['first begins', 'elsewhere', 'first ends', 'second'])
})

test('a sandbox is free as soon as its last work has ended', async () => {
  const turns = createKeyedMutex()
  await turns.run('a', async () => undefined)
  expect(turns.isLocked('a')).toBe(false)
})

/** Returns work that ends when `end` is called. */
function heldWork() {
  let end = () => {}
  const done = new Promise<void>((resolve) => {
    end = resolve
  })
  return { work: () => done, end: () => end() }
}

/** Returns whether a promise is fulfilled within five ticks of the event loop, without further input. */
const isSoon = async (promise: Promise<unknown>) => {
  let isSettled = false
  void promise.then(() => {
    isSettled = true
  })
  for (let turns = 0; turns < 5; turns += 1) await turn()
  return isSettled
}

test('as much work starts concurrently as there are slots, and the next when one ends', async () => {
  const lanes = createSlotPool({ slots: 2, slotMsMax: 3_600_000, slowMax: 0 })
  const [one, other] = [heldWork(), heldWork()]
  expect(await isSoon(lanes.begin(one.work))).toBe(true)
  const next = lanes.begin(other.work)
  expect(await isSoon(next)).toBe(false)
  one.end()
  expect(await isSoon(next)).toBe(true)
  other.end()
  await lanes.stopped
})

test('long work releases its slot to the next, up to a maximum of long work', async () => {
  const lanes = createSlotPool({ slots: 1, slotMsMax: 5, slowMax: 1 })
  const [one, other] = [heldWork(), heldWork()]
  await lanes.begin(one.work)
  const next = lanes.begin(other.work)
  expect(await isSoon(next)).toBe(false)
  other.end()
  await next
  one.end()
  await lanes.stopped
})
