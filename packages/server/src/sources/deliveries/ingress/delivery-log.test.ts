import { expect, it } from 'vitest'
import { onEachEngine } from '../../../../../../tests/harness/postgres.ts'
import { TestClock } from '../../../../../../tests/harness/test-clock.ts'
import { newId } from '../../../base/id.ts'
import { insertAccount } from '../../../tenancy/accounts/store.ts'
import { type DeliveryEntry, openDeliveryLog } from './delivery-log.ts'

onEachEngine((sql) => {
  const clock = new TestClock()

  async function newSource() {
    const [userId, sandboxId, sourceId] = [newId('account', clock), newId('sandbox', clock), newId('source', clock)]
    const times = { created_at: clock.now(), updated_at: clock.now() }
    await sql().transact(userId, async (tx) => {
      await insertAccount(tx, userId, 'Deliveries', clock.now())
      const sandbox = { user_id: userId, id: sandboxId, owner_id: 'o', name: 'n', tier: 'free' as const, ...times }
      await tx
        .insertInto('sandbox')
        .values({ ...sandbox, storage_provider_type: 'platform_s3', key_fingerprint: null })
        .execute()
      const source = { user_id: userId, sandbox_id: sandboxId, id: sourceId, provider: 'json', name: 's', ...times }
      const nothing = { external_account_id: null, poll_interval_seconds: null, last_sync_at: null, last_seen_at: null }
      await tx
        .insertInto('source')
        .values({ ...source, ...nothing, ingestion_mode: 'realtime', webhook_slug: newId('record', clock) })
        .execute()
    })
    return { userId, sandboxId, sourceId, kind: 'durable' as const }
  }

  const delivery = (source: DeliveryEntry['source'], event: string, payload: string | null = '{}'): DeliveryEntry => ({
    source,
    eventHash: event,
    bodyHash: `body of ${event}`,
    payload,
    reason: payload === null ? 'no_knowledge' : null,
    records: payload === null ? 0 : 1,
  })

  it('deliveries of many tenants are stored in one batch, each once, in order of arrival', async () => {
    const log = openDeliveryLog({ sql: sql(), clock })
    const sources = await Promise.all([newSource(), newSource(), newSource()])
    const outcomes = await Promise.all(
      sources.flatMap((source) =>
        ['a', 'b', 'a', 'c'].map((event) => log.append(delivery(source, event, `"${event}"`))),
      ),
    )
    expect(outcomes).toEqual(sources.flatMap(() => ['stored', 'stored', 'duplicate', 'stored']))
    for (const { userId, sourceId } of sources) {
      const rows = await sql().transact(userId, (tx) => tx.selectFrom('inbox').selectAll().orderBy('id').execute())
      expect(rows.map((row) => [row.source_id, row.payload])).toEqual(
        ['"a"', '"b"', '"c"'].map((one) => [sourceId, one]),
      )
    }
  })

  it('only a source that was just deleted fails, and other deliveries of the batch are stored', async () => {
    const log = openDeliveryLog({ sql: sql(), clock })
    const [here, gone] = [await newSource(), await newSource()]
    await sql().transact(gone.userId, (tx) => tx.deleteFrom('source').where('id', '=', gone.sourceId).execute())
    const both = await Promise.allSettled([log.append(delivery(here, 'a')), log.append(delivery(gone, 'a'))])
    expect(both[0]).toEqual({ status: 'fulfilled', value: 'stored' })
    expect(both[1]).toMatchObject({ status: 'rejected', reason: { code: 'gone' } })
    expect(await log.append(delivery(here, 'a'))).toBe('duplicate')
  })

  it('a delivery without knowledge is logged, and is not queued', async () => {
    const log = openDeliveryLog({ sql: sql(), clock })
    const source = await newSource()
    expect(await log.append(delivery(source, 'star', null))).toBe('stored')
    expect(await log.append({ ...delivery(source, 'star', null), bodyHash: 'another' })).toBe('conflict')
    expect(await sql().transact(source.userId, (tx) => tx.selectFrom('inbox').selectAll().execute())).toEqual([])
  })

  it('the role that stores deliveries cannot read the inbox or delete anything', async () => {
    const asIngressRole = (text: 'select' | 'delete') =>
      sql().transact({ door: true }, async (tx) => {
        if (text === 'select') await tx.selectFrom('inbox').selectAll().execute()
        else await tx.deleteFrom('delivery').execute()
      })
    await expect(asIngressRole('select')).rejects.toThrow(/permission denied/)
    await expect(asIngressRole('delete')).rejects.toThrow(/permission denied/)
  })
})
