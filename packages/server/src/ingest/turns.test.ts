import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createLanes, createTurns } from './turns.ts'

test('work in one sandbox runs one after the other, in order, also after a failure', async () => {
  const turns = createTurns()
  const told: string[] = []
  let end = () => {}
  const first = turns.take('a', async () => {
    told.push('first begins')
    await new Promise<void>((resolve) => {
      end = resolve
    })
    told.push('first ends')
    throw new Error('failed')
  })
  const second = turns.take('a', async () => void told.push('second'))
  await turns.take('b', async () => void told.push('elsewhere'))
  expect(turns.isTaken('a')).toBe(true)
  end()
  await expect(first).rejects.toThrow('failed')
  await second
  expect(told).toEqual(['first begins', 'elsewhere', 'first ends', 'second'])
})

test('a sandbox is free as soon as its last work has ended', async () => {
  const turns = createTurns()
  await turns.take('a', async () => undefined)
  expect(turns.isTaken('a')).toBe(false)
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
  const lanes = createLanes({ lanes: 2, laneMsMax: 3_600_000, slowMax: 0 })
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
  const lanes = createLanes({ lanes: 1, laneMsMax: 5, slowMax: 1 })
  const [one, other] = [heldWork(), heldWork()]
  await lanes.begin(one.work)
  const next = lanes.begin(other.work)
  expect(await isSoon(next)).toBe(false)
  other.end()
  await next
  one.end()
  await lanes.stopped
})
