import { featureOperations, type Operation, systemOperations } from '@cairnstore/contract'
import { expect, it } from 'vitest'
import { createActivityGauge } from '../base/yield-point.ts'
import { openSlotQueue, type ReleaseSlot, type SlotLimits, slotClassOf } from './slot-queue.ts'

const LIMITS: SlotLimits = {
  running: 3,
  runningOfTenant: 2,
  waiting: 6,
  waitingOfTenant: 4,
  waitMs: 10_000,
  ownExcess: 'rate_limited',
}
const here = () => new AbortController().signal

/** Opens slots and records the order in which their takers start, with the function that ends each. */
function watched(limits: Partial<SlotLimits> = {}) {
  const turns = openSlotQueue({ ...LIMITS, ...limits })
  const begun: string[] = []
  const ends = new Map<string, ReleaseSlot>()
  const take = async (name: string, gone = here) => {
    const release = await turns.acquire(name.slice(0, 1), gone)
    begun.push(name)
    ends.set(name, release)
  }
  const end = async (name: string) => {
    ends.get(name)!()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { turns, begun, take, end }
}

/** Requests a slot without waiting for it or for its failure. */
const later = (taking: Promise<void>) => void taking.catch(() => undefined)

it('limits the concurrent slots of a tenant and queues its other requests', async () => {
  const { turns, begun, take, end } = watched()
  later(take('a1'))
  later(take('a2'))
  later(take('a3'))
  await take('b1')
  expect(begun).toEqual(['a1', 'a2', 'b1'])
  expect(turns.count()).toBe(4)
  await end('a1')
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3'])
})

it('serves waiting tenants in rotation, however many requests each has', async () => {
  const { begun, take, end } = watched({ running: 1, runningOfTenant: 1 })
  for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) later(take(name))
  await new Promise((resolve) => setImmediate(resolve))
  for (let at = 0; at < 6; at += 1) await end(begun[at]!)
  expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2'])
})

it('rejects immediately if the tenant’s queue or the total queue is full', async () => {
  const { take } = watched()
  for (let at = 1; at <= 6; at += 1) later(take(`a${at}`))
  await expect(take('a7')).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 1 })
  for (let at = 1; at <= 3; at += 1) later(take(`b${at}`))
  await expect(take('c1')).rejects.toMatchObject({ code: 'unavailable' })
})

it('rejects requests that waited too long or whose caller disconnected', async () => {
  const { turns, begun, take, end } = watched({ running: 1, waitMs: 40 })
  await take('a1')
  const gone = new AbortController()
  const leaving = expect(take('b1', () => gone.signal)).rejects.toMatchObject({ code: 'unavailable' })
  gone.abort()
  await leaving
  await expect(take('c1')).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 })
  expect(turns.count()).toBe(1)
  await end('a1')
  await take('d1')
  expect(begun).toEqual(['a1', 'd1'])
})

it('reports ownExcess if the tenant’s own requests are the cause', async () => {
  const { take } = watched({ runningOfTenant: 1, waitMs: 40 })
  await take('a1')
  await expect(take('a2')).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 1 })
})

it('releases a slot only once', async () => {
  const { turns, take, end } = watched()
  await take('a1')
  await end('a1')
  await end('a1')
  expect(turns.count()).toBe(0)
})

it('has separate slots for questions, long requests and others', () => {
  const classes = Object.entries<Operation>(featureOperations).map(([id, operation]) => [id, slotClassOf(operation)])
  expect(Object.fromEntries(classes)).toMatchObject({
    discover: 'question',
    interpret: 'question',
    putRecords: 'flow',
    ingest: 'flow',
    createSandbox: 'other',
    getJob: 'other',
  })
  const open = Object.entries<Operation>(systemOperations).map(([id, one]) => [id, slotClassOf(one)])
  expect(Object.fromEntries(open)).toEqual({ getMetrics: 'public', getOpenApi: 'public' })
})

it('counts running requests, but not waiting ones, for background work', async () => {
  const counted = createActivityGauge()
  const turns = openSlotQueue({ ...LIMITS, running: 1 }, { counted })
  const giveBack = await turns.acquire('a', here)
  const second = turns.acquire('b', here)
  giveBack()
  const releaseSecond = await second
  expect(counted.whenIdle(1)).toBeDefined()
  releaseSecond()
  expect(counted.whenIdle(1)).toBeUndefined()
})
