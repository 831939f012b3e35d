import { expect, test } from 'vitest'
import { onEachEngine } from '../../../../../tests/harness/postgres.ts'
import { type AuditEntry, appendAudit } from '../../db/audit.ts'
import type { Tx } from '../../db/open.ts'
import { insertAccount } from '../accounts/store.ts'
import type { Request } from '../request.ts'
import { auditedSql, recordLater } from './audited-sql.ts'

const AT = new Date('2026-03-14T09:26:53.123Z')

const eventOf = (account: string): AuditEntry => ({
  user_id: account,
  chain: account,
  at: AT,
  actor_user_id: account,
  credential_id: 'key_1',
  event: 'account.updated',
  subject_id: account,
  request_id: 'req_1',
})

onEachEngine((sql) => {
  const start = async (account: string, keyed?: Request['keyed']) => {
    await sql().transact(account, (tx) => insertAccount(tx, account, 'Before', AT))
    return auditedSql(sql(), 'updateProfile', keyed)
  }
  const rename = (tx: Tx, account: string) =>
    tx.updateTable('account').set({ display_name: 'After' }).where('user_id', '=', account)
  const nameOf = (account: string) =>
    sql().transact(account, (tx) =>
      tx.selectFrom('account').select('display_name').where('user_id', '=', account).executeTakeFirstOrThrow(),
    )

  test('a handler that changes data without an audit event fails and is rolled back', async () => {
    const audited = await start('acct_silent')
    const silent = audited.transact('acct_silent', (tx) => rename(tx, 'acct_silent').execute())
    await expect(silent).rejects.toThrow('updateProfile writes account without recording an audit event')
    const within = audited.transact('acct_silent', (tx) =>
      tx
        .with('changed', (db) => rename(db as Tx, 'acct_silent').returningAll())
        .selectFrom('changed')
        .selectAll()
        .execute(),
    )
    await expect(within).rejects.toThrow('without recording an audit event')
    await expect(audited.write('acct_silent', (tx) => rename(tx, 'acct_silent'))).rejects.toThrow(
      'without recording an audit event',
    )
    expect(await nameOf('acct_silent')).toEqual({ display_name: 'Before' })
  })

  test('a change with its audit event is committed, and reads need no event', async () => {
    const audited = await start('acct_telling')
    await audited.transact('acct_telling', async (tx) => {
      await rename(tx, 'acct_telling').execute()
      await appendAudit(tx, eventOf('acct_telling'))
    })
    await audited.transact('acct_telling', (tx) => tx.selectFrom('account').selectAll().execute())
    expect(await nameOf('acct_telling')).toEqual({ display_name: 'After' })
  })

  test('a handler that stores no reply for an idempotency key fails and is rolled back', async () => {
    const keyed = { isStored: false } as NonNullable<Request['keyed']>
    const audited = await start('acct_keyed', keyed)
    const work = async (tx: Tx) => {
      await rename(tx, 'acct_keyed').execute()
      await appendAudit(tx, eventOf('acct_keyed'))
    }
    await expect(audited.transact('acct_keyed', work)).rejects.toThrow(
      'updateProfile stores no response in the transaction of its effect',
    )
    expect(await nameOf('acct_keyed')).toEqual({ display_name: 'Before' })
    const events = () => sql().transact('acct_keyed', (tx) => tx.selectFrom('audit').select('seq').execute())
    expect(await events()).toEqual([])
    keyed.isStored = true
    await audited.transact('acct_keyed', work)
    expect(await events()).toHaveLength(1)
  })

  test('a request fails if its announced audit event is not recorded', async () => {
    const audited = await start('acct_later')
    await audited.transact('acct_later', async (tx) => {
      recordLater(tx)
      await rename(tx, 'acct_later').execute()
    })
    expect(() => audited.assertRecorded()).toThrow('updateProfile ended without recording an audit event')
    await audited.transact('acct_later', (tx) => appendAudit(tx, eventOf('acct_later')))
    expect(() => audited.assertRecorded()).not.toThrow()
  })
})
