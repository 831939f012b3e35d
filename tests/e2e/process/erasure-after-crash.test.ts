import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, it } from 'vitest'
import { newId } from '../../../packages/server/src/base/id.ts'
import { headOf } from '../../../packages/server/src/db/head.ts'
import { onEachEngine } from '../../harness/postgres.ts'
import { newSandbox, openTestApp, putRecords, type TestApp } from '../../harness/test-app.ts'

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  await expect.poll(holds, { message: what }).toBe(true)
}

const records = (count: number, name = 'r') =>
  Array.from({ length: count }, (_, n) => ({
    external_id: `${name}${n}`,
    type: 'note',
    text: `Barge ${name}${n} left.`,
  }))

onEachEngine((sql, kind) => {
  const opened: { app?: TestApp; folder?: string } = {}
  const open = async () => {
    opened.folder ??= mkdtempSync(join(tmpdir(), 'cairn-crash-'))
    opened.app = await openTestApp(sql(), kind, { CAIRN_DATA: opened.folder })
    return opened.app
  }
  afterEach(() => opened.app?.cairn.close())
  // A database is bound to one data folder.
  afterAll(() => {
    if (opened.folder) rmSync(opened.folder, { recursive: true, force: true })
  })

  const erasures = (userId: string) =>
    sql().transact(userId, (tx) => tx.selectFrom('erasure').selectAll().where('user_id', '=', userId).execute())

  const headRow = (userId: string, sandboxId: string) =>
    sql().transact(userId, (tx) =>
      tx.selectFrom('sandbox_head').selectAll().where('sandbox_id', '=', sandboxId).executeTakeFirstOrThrow(),
    )

  it('a sandbox whose rows were deleted before a crash loses its files after it', async () => {
    const { userId, call } = await (await open()).newAccount()
    const sandbox = await newSandbox(call)
    await putRecords(call, sandbox, records(3))
    const path = join(opened.folder as string, 'knowledge', userId, sandbox.id)
    const copy = `${opened.folder}/copy`
    cpSync(path, copy, { recursive: true })
    await call('DELETE', sandbox.storage)
    await opened.app?.cairn.close()
    // Restores the state between the commit and the deletion of the files.
    cpSync(copy, path, { recursive: true })
    await sql().transact(userId, (tx) =>
      tx
        .updateTable('erasure')
        .set({
          erased_at: null,
          scrubbed_at: null,
          requested_at: new Date('2020-01-01'),
          not_before: new Date('2020-01-01'),
        })
        .execute(),
    )
    await open()
    await until('the files are gone', () => !existsSync(path))
    await until('nothing is left to erase', async () => (await erasures(userId)).length === 0)
  })

  it('an interrupted purge completes after a crash, and keeps later records', async () => {
    const { userId, call } = await (await open()).newAccount()
    const sandbox = await newSandbox(call)
    await putRecords(call, sandbox, records(30))
    const { seq } = await headRow(userId, sandbox.id)
    await putRecords(call, sandbox, [...records(2, 'later'), { ...records(1)[0], text: 'Barge r0 came back.' }])
    await opened.app?.cairn.close()
    // Restores the state at the start of the purge, before the later records. The lease of the dead process has
    // expired.
    await sql().transact(userId, (tx) => tx.updateTable('sandbox_head').set({ lease_until: null }).execute())
    await sql().transact(userId, (tx) =>
      tx
        .insertInto('erasure')
        .values({
          user_id: userId,
          id: newId('job', (opened.app as TestApp).clock),
          sandbox_id: sandbox.id,
          source_id: sandbox.source,
          up_to_seq: seq,
          counts: { sql: 0, records: 0, entities: 0, links: 0, objects: 0 },
          erased_at: null,
          scrubbed_at: null,
        })
        .execute(),
    )
    const again = await open()
    const counts = async () => (await erasures(userId)).at(0)
    await until('the purge has ended', async () => (await counts())?.erased_at !== null)
    const done = await counts()
    if (done) expect(done.counts).toMatchObject({ records: 29 })
    const store = await again.cairn.app.knowledge.store({ userId, sandboxId: sandbox.id })
    const left = await store.count(headOf(await headRow(userId, sandbox.id)))
    expect(left.records).toBe(3)
  })

  it.runIf(kind === 'pglite')('a folder that belongs to no sandbox is deleted at start', async () => {
    const { userId, call } = await (await open()).newAccount()
    const [kept, lost] = [await newSandbox(call, 'Kept'), await newSandbox(call, 'Lost')]
    for (const sandbox of [kept, lost]) await putRecords(call, sandbox, records(3))
    const path = (id: string) => join(opened.folder as string, 'knowledge', userId, id)
    cpSync(path(lost.id), `${opened.folder}/copy`, { recursive: true })
    await call('DELETE', lost.storage)
    await opened.app?.cairn.close()
    cpSync(`${opened.folder}/copy`, path(lost.id), { recursive: true })
    await open()
    expect(existsSync(path(lost.id))).toBe(false)
    expect(existsSync(path(kept.id))).toBe(true)
  })
})
