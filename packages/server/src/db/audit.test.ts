import { expect, test } from 'vitest'
import { onEachEngine } from '../../../../tests/harness/postgres.ts'
import { type AuditEntry, appendAudit, hashOf } from './audit.ts'

const entry = (chain: string, event: string): AuditEntry => ({
  user_id: 'acct_audited',
  chain,
  at: new Date('2026-03-14T09:26:53.123Z'),
  actor_user_id: 'acct_audited',
  credential_id: 'key_1',
  event,
  subject_id: chain,
  request_id: 'req_1',
})

onEachEngine((sql) => {
  const chainOf = (chain: string) =>
    sql().transact('acct_audited', (tx) =>
      tx.selectFrom('audit').selectAll().where('chain', '=', chain).orderBy('seq').execute(),
    )

  test('events of a chain are numbered without gaps, and each has the hash of the previous one', async () => {
    for (const event of ['a', 'b', 'c'])
      await sql().transact('acct_audited', (tx) => appendAudit(tx, entry('sbx_1', event)))
    const rows = await chainOf('sbx_1')
    expect(rows.map(({ seq, event }) => [seq, event])).toEqual([
      [1, 'a'],
      [2, 'b'],
      [3, 'c'],
    ])
    for (const [at, row] of rows.entries()) {
      expect(row.previous_hash).toEqual(rows[at - 1]?.hash ?? Buffer.alloc(32))
      expect(row.hash).toEqual(hashOf(row))
      expect(hashOf({ ...row, event: 'other' })).not.toEqual(row.hash)
    }
  })

  test('events that are added concurrently are all stored', async () => {
    const adding = Array.from({ length: 20 }, (_, n) =>
      sql().transact('acct_audited', (tx) => appendAudit(tx, entry('sbx_2', `event ${n}`))),
    )
    await Promise.all(adding)
    expect((await chainOf('sbx_2')).map(({ seq }) => seq)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1))
  })

  test('an event can be neither changed nor removed', async () => {
    await sql().transact('acct_audited', (tx) => appendAudit(tx, entry('sbx_3', 'a')))
    const change = sql().transact('acct_audited', (tx) => tx.updateTable('audit').set({ event: 'b' }).execute())
    await expect(change).rejects.toThrow(/permission denied/)
    const removal = sql().transact('acct_audited', (tx) => tx.deleteFrom('audit').execute())
    await expect(removal).rejects.toThrow(/permission denied/)
  })
})
