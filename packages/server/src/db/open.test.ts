import { sql as text } from 'kysely'
import { expect, test } from 'vitest'
import { onEachEngine } from '../../../../tests/harness/postgres.ts'
import { Fault } from '../base/fault.ts'
import type { Sql, Tx } from './open.ts'

const AT = new Date('2026-03-14T09:26:53.123Z')
let made = 0

/** Creates an account with a sandbox. */
async function newTenant(sql: Sql): Promise<{ user: string; sandbox: string }> {
  made += 1
  const user = `acct_${made}`
  const sandbox = `sbx_${made}`
  await sql.transact(user, async (tx) => {
    await tx
      .insertInto('account')
      .values({ user_id: user, display_name: user, created_at: AT, primary_sandbox_id: null, default_project_id: null })
      .execute()
    await putSandbox(tx, user, sandbox, 'notes')
  })
  return { user, sandbox }
}

function putSandbox(tx: Tx, user: string, id: string, name: string) {
  return tx
    .insertInto('sandbox')
    .values({
      user_id: user,
      id,
      owner_id: 'owner',
      name,
      tier: 'free',
      storage_provider_type: 'platform_s3',
      metadata: { list: [1, { deep: null }] },
      key_fingerprint: null,
      created_at: AT,
      updated_at: AT,
    })
    .execute()
}

const sandboxes = (tx: Tx) => tx.selectFrom('sandbox').selectAll().orderBy('id').execute()

onEachEngine((sql, kind) => {
  test('a tenant sees and changes only its own rows', async () => {
    const [a, b] = [await newTenant(sql()), await newTenant(sql())]
    expect((await sql().transact(a.user, sandboxes)).map((row) => row.id)).toEqual([a.sandbox])
    const changed = await sql().transact(a.user, (tx) =>
      tx.updateTable('sandbox').set({ name: 'taken over' }).where('id', '=', b.sandbox).executeTakeFirst(),
    )
    expect(changed.numUpdatedRows).toBe(0n)
    const deleted = await sql().transact(a.user, (tx) => tx.deleteFrom('account').executeTakeFirst())
    expect(deleted.numDeletedRows).toBe(1n)
    expect(await sql().transact(b.user, sandboxes)).toHaveLength(1)
  })

  test('a transaction without a tenant sees nothing, also after one with a tenant', async () => {
    const { user } = await newTenant(sql())
    await sql().transact(user, sandboxes)
    for (let i = 0; i < 5; i += 1) expect(await sql().transact(null, sandboxes)).toEqual([])
  })

  test('a row cannot be written for another tenant or refer to another tenant’s row', async () => {
    const [a, b] = [await newTenant(sql()), await newTenant(sql())]
    await expect(sql().transact(a.user, (tx) => putSandbox(tx, b.user, 'sbx_x', 'x'))).rejects.toThrow(
      /row-level security/,
    )
    const project = { sandbox_id: b.sandbox, id: 'prj_x', name: 'x', description: null, created_at: AT, updated_at: AT }
    await expect(
      sql().transact(a.user, (tx) =>
        tx
          .insertInto('project')
          .values({ ...project, user_id: a.user })
          .execute(),
      ),
    ).rejects.toThrow(/project_sandbox/)
  })

  test('every transaction runs as a role that owns nothing', async () => {
    const role = text<{
      name: string
      powerful: boolean
    }>`select current_user as name, rolsuper or rolbypassrls as powerful
      from pg_roles where rolname = current_user`
    const asTenant = await sql().transact('acct_any', (tx) => role.execute(tx))
    expect(asTenant.rows).toEqual([{ name: 'cairn_app', powerful: false }])
    const asCaller = await sql().transact({ caller: 'acct_any' }, (tx) => role.execute(tx))
    expect(asCaller.rows).toEqual([{ name: 'cairn_gate', powerful: false }])
  })

  test('a tenant’s name is never interpreted as SQL', async () => {
    const user = `'; drop table account; -- \\' " ${'ü'.repeat(3)}`
    await sql().transact(user, (tx) =>
      tx
        .insertInto('account')
        .values({ user_id: user, display_name: '', created_at: AT, primary_sandbox_id: null, default_project_id: null })
        .execute(),
    )
    const rows = await sql().transact(user, (tx) => tx.selectFrom('account').select('user_id').execute())
    expect(rows).toEqual([{ user_id: user }])
  })

  test('a transaction that throws is rolled back, and its own error is rethrown', async () => {
    const { user } = await newTenant(sql())
    const failed = sql().transact(user, async (tx) => {
      await putSandbox(tx, user, 'sbx_undone', 'undone')
      throw new Fault('conflict')
    })
    await expect(failed).rejects.toMatchObject({ code: 'conflict' })
    expect((await sql().transact(user, sandboxes)).map((row) => row.name)).toEqual(['notes'])
  })

  test('a violated unique constraint is the fault of that constraint', async () => {
    const { user } = await newTenant(sql())
    await expect(sql().transact(user, (tx) => putSandbox(tx, user, 'sbx_second', 'notes'))).rejects.toMatchObject({
      code: 'conflict',
      reason: 'duplicate_name',
    })
  })

  test('of twenty that claim a name concurrently, one gets it', async () => {
    const { user } = await newTenant(sql())
    const tries = Array.from({ length: 20 }, (_, n) =>
      sql().transact(user, (tx) => putSandbox(tx, user, `sbx_${user}_${n}`, 'wanted')),
    )
    const outcomes = await Promise.allSettled(tries)
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1)
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ reason: 'duplicate_name' })
    }
  })

  test('times, bytes, numbers and JSON are returned unchanged', async () => {
    const { user, sandbox } = await newTenant(sql())
    const payload = '{"text":"ünïcode \\u0000"}'
    const large = Number.MAX_SAFE_INTEGER
    await sql().transact(user, async (tx) => {
      const chunk = { user_id: user, sandbox_id: sandbox, job_id: 'job_1', kind: 'text' as const, record_count: 1 }
      await tx
        .insertInto('inbox')
        .values({ ...chunk, payload, received_at: AT })
        .execute()
      const head = { user_id: user, sandbox_id: sandbox, seq: large, lease_owner: null, lease_until: null }
      await tx.insertInto('sandbox_head').values(head).execute()
    })
    await sql().transact(user, async (tx) => {
      const row = await tx.selectFrom('inbox').selectAll().executeTakeFirstOrThrow()
      expect(row).toMatchObject({ payload, received_at: AT, id: expect.any(Number) })
      expect((await tx.selectFrom('sandbox_head').select('seq').executeTakeFirstOrThrow()).seq).toBe(large)
      expect((await sandboxes(tx))[0]?.metadata).toEqual({ list: [1, { deep: null }] })
    })
  })

  test.skipIf(kind === 'pglite')('both transactions of a deadlock succeed eventually', async () => {
    const [a, b] = [await newTenant(sql()), await newTenant(sql())]
    await sql().transact(a.user, (tx) => putSandbox(tx, a.user, b.user, 'second'))
    const both = [a.sandbox, b.user]
    let meeting = 0
    let meet = () => {}
    const met = new Promise<void>((resolve) => {
      meet = resolve
    })
    const rename = (first: string, second: string) =>
      sql().transact(a.user, async (tx) => {
        await tx.updateTable('sandbox').set({ updated_at: AT }).where('id', '=', first).execute()
        meeting += 1
        if (meeting === 2) meet()
        await met
        await tx.updateTable('sandbox').set({ updated_at: AT }).where('id', '=', second).execute()
        return 'done'
      })
    const done = await Promise.all([rename(both[0]!, both[1]!), rename(both[1]!, both[0]!)])
    expect(done).toEqual(['done', 'done'])
  })

  test.skipIf(kind === 'pglite')('a long statement is canceled as unavailable', async () => {
    await expect(sql().transact(null, (tx) => text`select pg_sleep(8)`.execute(tx))).rejects.toMatchObject({
      code: 'unavailable',
    })
  })

  test('the error of a failed statement is not hidden by the rollback', async () => {
    await expect(sql().transact(null, (tx) => text`select 1 / 0`.execute(tx))).rejects.toThrow(/division by zero/)
  })
})
