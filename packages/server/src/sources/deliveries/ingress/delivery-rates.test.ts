import { expect, it } from 'vitest'
import { onEachEngine } from '../../../../../../tests/harness/postgres.ts'
import { TestClock } from '../../../../../../tests/harness/test-clock.ts'
import { newId } from '../../../base/id.ts'
import { insertAccount } from '../../../tenancy/accounts/store.ts'
import { type CountedSource, openDeliveryRates } from './delivery-rates.ts'

const SECOND_MS = 1_000

onEachEngine((sql) => {
  const clock = new TestClock()
  const newSource = async (): Promise<CountedSource> => {
    const [userId, sandboxId] = [newId('account', clock), newId('sandbox', clock)]
    const times = { created_at: clock.now(), updated_at: clock.now() }
    await sql().transact(userId, async (tx) => {
      await insertAccount(tx, userId, 'Deliveries', clock.now())
      const owned = { owner_id: 'o', name: 'n', tier: 'free' as const, storage_provider_type: 'platform_s3' as const }
      const row = { user_id: userId, id: sandboxId, ...owned, key_fingerprint: null, ...times }
      await tx.insertInto('sandbox').values(row).execute()
    })
    return { userId, sandboxId, sourceId: newId('source', clock) }
  }
  const usedOf = async ({ userId, sourceId }: CountedSource) => {
    const [row] = await sql().transact(userId, (tx) =>
      tx.selectFrom('rate').select('counts').where('subject', '=', sourceId).execute(),
    )
    return (row?.counts ?? []).reduce((sum, count) => sum + Number(count), 0)
  }

  it('concurrent deliveries in two processes get exactly the rate limit', async () => {
    const source = await newSource()
    const processes = [openDeliveryRates({ sql: sql() }), openDeliveryRates({ sql: sql() })]
    const slots = await Promise.all(Array.from({ length: 500 }, (_, at) => processes[at % 2]!.take(source, 137)))
    expect(slots.filter(({ isGranted }) => isGranted)).toHaveLength(137)
    expect(await usedOf(source)).toBe(137)
    for (const one of processes) {
      const refused = await one.take(source, 137)
      expect(refused).toMatchObject({ isGranted: false, remaining: 0 })
      expect(refused.resetSeconds).toBeGreaterThan(0)
      // Capacity taken within a second is free again at the end of the same second of the next minute.
      expect(refused.resetSeconds).toBeLessThanOrEqual(61)
      await one.close()
    }
  })

  it('slots that a busy source reserves ahead are used or returned, and its limit stays exact', async () => {
    const source = await newSource()
    let nowMs = 0
    const rates = openDeliveryRates({ sql: sql(), monotonicMs: () => nowMs })
    let granted = 0
    let ahead = 0
    for (let second = 0; second < 3; second += 1) {
      for (let sent = 0; sent < 40; sent += 1) if ((await rates.take(source, 200)).isGranted) granted += 1
      ahead = Math.max(ahead, (await usedOf(source)) - granted)
      nowMs += SECOND_MS
    }
    // Some were reserved in advance, because as many arrived in the second before.
    expect(ahead).toBeGreaterThan(0)
    expect(granted).toBe(120)
    // Unused reservations for the following second are returned automatically.
    await expect.poll(() => usedOf(source)).toBe(120)
    const rest = await Promise.all(Array.from({ length: 100 }, () => rates.take(source, 200)))
    expect(rest.filter(({ isGranted }) => isGranted)).toHaveLength(80)
    await rates.close()
  })

  it('a source that leaves the cache returns what it reserved', async () => {
    const [source, other] = [await newSource(), await newSource()]
    let nowMs = 0
    const rates = openDeliveryRates({ sql: sql(), monotonicMs: () => nowMs, knownMax: 1 })
    let granted = 0
    const send = async () => {
      if ((await rates.take(source, 200)).isGranted) granted += 1
    }
    for (let sent = 0; sent < 40; sent += 1) await send()
    nowMs += SECOND_MS
    // As many arrived in the second before, so these reserve more than they use.
    for (let sent = 0; sent < 3; sent += 1) await send()
    expect(await usedOf(source)).toBeGreaterThan(granted)
    await rates.take(other, 200)
    await expect.poll(() => usedOf(source)).toBe(granted)
    await rates.close()
  })

  it('a source whose sandbox was just deleted is unknown, and other sources are not affected', async () => {
    const [there, gone] = [await newSource(), await newSource()]
    await sql().transact(gone.userId, (tx) => tx.deleteFrom('sandbox').where('id', '=', gone.sandboxId).execute())
    const rates = openDeliveryRates({ sql: sql() })
    const [one, other] = await Promise.allSettled([rates.take(there, 10), rates.take(gone, 10)])
    expect(one).toMatchObject({ status: 'fulfilled', value: { isGranted: true, remaining: 9 } })
    expect(other).toMatchObject({ status: 'rejected', reason: { code: 'unauthorized' } })
    await rates.close()
  })
})
