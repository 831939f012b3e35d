import { expect, it } from 'vitest'
import { onEachEngine } from '../../../../../tests/harness/postgres.ts'
import { TestClock } from '../../../../../tests/harness/test-clock.ts'
import { newId } from '../../base/id.ts'
import { insertAccount } from '../accounts/store.ts'
import { openRates, type RateSubject, takeRate } from './rates.ts'

onEachEngine((sql) => {
  const clock = new TestClock()

  async function newSubject(limit: number | null, kind: RateSubject['kind'] = 'queries'): Promise<RateSubject> {
    const [userId, sandboxId] = [newId('account', clock), newId('sandbox', clock)]
    const now = clock.now()
    await sql().transact(userId, async (tx) => {
      await insertAccount(tx, userId, 'Rates', now)
      const sandbox = { user_id: userId, id: sandboxId, owner_id: 'o', name: 'n', tier: 'free' as const }
      await tx
        .insertInto('sandbox')
        .values({
          ...sandbox,
          storage_provider_type: 'platform_s3',
          key_fingerprint: null,
          created_at: now,
          updated_at: now,
        })
        .execute()
    })
    return { userId, sandboxId, subjectId: sandboxId, kind, limit }
  }

  const takeAt = (subject: RateSubject, second: number, wanted = 1, least = 1) =>
    takeRate(sql(), subject, { wanted, least }, '2026-07-31', second)

  it('no window of 60 seconds exceeds the limit', async () => {
    const subject = await newSubject(60)
    const grantedAt: number[] = []
    for (let second = 1000; second < 1300; second += 1) {
      const wanted = (second * 7) % 5
      const { granted } = await takeAt(subject, second, wanted)
      for (let taken = 0; taken < granted; taken += 1) grantedAt.push(second)
    }
    for (const from of grantedAt) {
      expect(grantedAt.filter((at) => at >= from && at <= from + 60).length).toBeLessThanOrEqual(60)
    }
    expect(grantedAt.length).toBeGreaterThan(200)
  })

  it('sixty calls in the last second of a minute use up the next window, in all processes', async () => {
    const subject = await newSubject(60, 'tool_calls')
    const minute = 29_000_000 * 60
    const sixtyAt = (second: number) =>
      Promise.all(Array.from({ length: 60 }, () => takeAt(subject, second).then(({ granted }) => granted)))
    expect(await sixtyAt(minute + 59)).toEqual(Array(60).fill(1))
    for (const second of [60, 61, 119]) {
      expect(await sixtyAt(minute + second)).toEqual(Array(60).fill(0))
      expect((await takeAt(subject, minute + second)).resetSeconds).toBe(120 - second)
    }
    expect(await sixtyAt(minute + 120)).toEqual(Array(60).fill(1))
    expect((await takeAt(subject, minute + 121)).granted).toBe(0)
  })

  it('returns the seconds until more is free, and grants it then', async () => {
    const subject = await newSubject(3)
    await takeAt(subject, 5000, 2)
    await takeAt(subject, 5010)
    const refused = await takeAt(subject, 5020)
    expect(refused).toEqual({ granted: 0, limit: 3, remaining: 0, resetSeconds: 41 })
    expect((await takeAt(subject, 5060)).granted).toBe(0)
    expect((await takeAt(subject, 5061)).granted).toBe(1)
    const both = await takeAt(subject, 5062, 2, 2)
    expect(both).toMatchObject({ granted: 0, resetSeconds: 9 })
  })

  it('grants a batch completely or not at all, and never one above the limit', async () => {
    const subject = await newSubject(10)
    expect((await takeAt(subject, 100, 8, 8)).granted).toBe(8)
    expect(await takeAt(subject, 100, 8, 8)).toMatchObject({ granted: 0, remaining: 2, resetSeconds: 61 })
    expect((await takeAt(subject, 100, 2, 2)).granted).toBe(2)
    expect((await takeAt(subject, 400, 11, 11)).granted).toBe(0)
  })

  it('a clock jump of hours resets the window instead of rejecting for hours', async () => {
    const subject = await newSubject(1)
    expect((await takeAt(subject, 10_000)).granted).toBe(1)
    expect((await takeAt(subject, 9_990)).granted).toBe(0)
    expect((await takeAt(subject, 5_000)).granted).toBe(1)
  })

  it('200 concurrent requests to two processes get exactly the limit, and usage counts the granted ones', async () => {
    const subject = await newSubject(57)
    const processes = [openRates({ sql: sql(), clock }), openRates({ sql: sql(), clock })]
    const taken = await Promise.all(Array.from({ length: 200 }, (_, at) => processes[at % 2]!.takeOne(subject)))
    expect(taken.filter(({ granted }) => granted === 1)).toHaveLength(57)
    expect(processes[0]!.latest(subject)).toMatchObject({ limit: 57, remaining: 0 })
    expect(await processes[1]!.used(subject)).toBe(57)
    const usage = await sql().transact(subject.userId, (tx) => tx.selectFrom('usage').selectAll().execute())
    expect(usage).toMatchObject([{ day: '2026-07-31', queries: 57, ingested_records: 0 }])
  })

  it('sandboxes of a tier together get exactly the limit of their account', async () => {
    const subject = await newSubject(40)
    const second = newId('sandbox', clock)
    const [one, other] = [subject, { ...subject, sandboxId: second, subjectId: second }].map((of) => ({
      ...of,
      shared: { tier: 'free', limit: 50 },
    })) as [RateSubject, RateSubject]
    await sql().transact(one.userId, async (tx) => {
      const { id: _, name: __, ...row } = await tx.selectFrom('sandbox').selectAll().executeTakeFirstOrThrow()
      await tx
        .insertInto('sandbox')
        .values({ ...row, id: second, name: 'second', storage: null })
        .execute()
    })
    const processes = [openRates({ sql: sql(), clock }), openRates({ sql: sql(), clock })]
    const taken = await Promise.all(
      Array.from({ length: 160 }, (___, at) => processes[at % 2]!.takeOne(at % 4 < 2 ? one : other)),
    )
    expect(taken.filter(({ granted }) => granted === 1)).toHaveLength(50)
    const used = await Promise.all([one, other].map((of) => processes[0]!.used(of)))
    expect(used[0]! + used[1]!).toBe(50)
    const refused = await processes[0]!.takeUpTo({ ...one, limit: null }, 3)
    expect(refused).toMatchObject({ granted: 0, limit: 50, isShared: true, remaining: 0 })
    expect(refused.resetSeconds).toBeGreaterThan(0)
    const pro = { ...one, limit: 100, shared: { tier: 'pro', limit: 9 } }
    expect(await processes[0]!.takeAll(pro, 10)).toMatchObject({ granted: 0, isShared: true, remaining: 9 })
    expect(await processes[0]!.takeUpTo(pro, 10)).toMatchObject({ granted: 9, isShared: true, remaining: 0 })
    expect(await processes[0]!.used(one)).toBe(used[0]! + 9)
  })

  it('unlimited use is counted too', async () => {
    const subject = await newSubject(null)
    const rates = openRates({ sql: sql(), clock })
    expect(await rates.takeAll(subject, 5_000)).toMatchObject({ granted: 5_000, limit: null, remaining: null })
    expect(await rates.used(subject)).toBe(5_000)
  })
})
