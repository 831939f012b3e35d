import { expect, it } from 'vitest'
import type { Planes } from '../store/planes.ts'
import type { SandboxMutex } from '../store/under-lease.ts'
import { createLinkageWorker } from './linkage-worker.ts'

const IDS = Array.from({ length: 150 }, (_, at) => `sandbox_${String(at).padStart(3, '0')}`)
const WITHOUT_KEY = IDS[140]!

it('links a sandbox that is listed after more than a page of sandboxes without their keys', async () => {
  const begun: string[] = []
  const select = (after: string): object => ({
    ...Object.fromEntries(['select', 'whereRef', 'orderBy', 'limit'].map((name) => [name, () => select(after)])),
    where: (column: unknown, _: string, value: string) => select(column === 'sandbox_id' ? value : after),
    execute: async () => {
      const ids = IDS.filter((id) => id > after).slice(0, 100)
      return ids.map((id) => ({ user_id: 'user', sandbox_id: id, key_epoch: id === WITHOUT_KEY ? null : 1 }))
    },
  })
  const planes = {
    sql: { transact: async (_: unknown, read: (tx: object) => unknown) => read({ selectFrom: () => select('') }) },
    seals: { find: () => undefined, whenHeld: () => undefined },
    buckets: { isOwn: async () => false },
    log: { warn: () => undefined },
  }
  const runExclusive = async (sandboxId: string) => {
    begun.push(sandboxId)
    throw new Error('the comparison ends here')
  }
  const worker = createLinkageWorker(planes as unknown as Planes, { runExclusive } as unknown as SandboxMutex, {
    keys: { retain: () => undefined },
    quietMs: () => Number.POSITIVE_INFINITY,
    isLocal: () => true,
    isOwn: false,
  })
  for (const _ of ['first page', 'second page']) {
    worker.runDue()
    await worker.stopped
  }
  expect(begun).toEqual([WITHOUT_KEY])
})
