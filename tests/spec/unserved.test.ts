import { expect, it } from 'vitest'
import { Fault } from '../../packages/server/src/base/fault.ts'
import { createBatchScheduler } from '../../packages/server/src/ingest/batch-scheduler.ts'
import { createIdleTimer, createKeyedMutex, createWorkQueue } from '../../packages/server/src/ingest/keyed-mutex.ts'
import { newSandbox, onEachApp } from '../harness/test-app.ts'

onEachApp((app) => {
  it('a sandbox is unserved until an attempt on it succeeds, even if nothing is left to apply', async () => {
    const { userId, call } = await app().newAccount()
    const { id: sandboxId } = await newSandbox(call)
    const { app: planes } = app().cairn
    let isFailing = true
    const observe: typeof planes.observe = (name, work) =>
      isFailing ? Promise.reject(new Fault('storage_unavailable')) : planes.observe(name, work)
    const nothing = () => {}
    const batches = createBatchScheduler(
      { ...planes, observe },
      {
        queue: createWorkQueue(),
        mutex: createKeyedMutex(),
        idleTimer: createIdleTimer(),
        wakeAt: nothing,
        wake: nothing,
        handoffs: { send: nothing, recordLocal: nothing, done: nothing, leasedElsewhere: nothing },
        completed: nothing,
        changed: nothing,
      },
    )
    const attempt = async () => {
      await batches.begin({ userId, sandboxId })
      await batches.stopped
    }
    await attempt()
    expect(batches.unserved()).toBe(1)
    isFailing = false
    await attempt()
    expect(batches.unserved()).toBe(0)
  })
})
