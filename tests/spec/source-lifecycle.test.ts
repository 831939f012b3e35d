import { expect, it } from 'vitest'
import { sha256 } from '../../packages/server/src/base/digest.ts'
import { archiveIdleSources, dropTombstones } from '../../packages/server/src/sources/registry/delete-source.ts'
import { newSandbox, onEachApp, putRecords, type TestAccount } from '../harness/test-app.ts'

const NOT_ACTIVE = { status: 409, body: { error: 'conflict', reason: 'source_not_active' } }
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const NOTE = { records: [{ external_id: 'a', type: 'note', text: 'The ferry sails at noon.' }] }

onEachApp((app) => {
  const start = async (source: object = {}, tier = 'pro') => {
    const account = await app().newAccount()
    const sandbox = await newSandbox(account.call, 'Sandbox', tier)
    const body = { provider: 'slack', name: 'Chat', ...source }
    const made = (await account.call('POST', `${sandbox.storage}/sources`, body)).body
    return { ...account, sandbox, made, path: `${sandbox.storage}/sources/${made.data_source_id}` }
  }
  const statusOf = async ({ call, path }: Pick<TestAccount, 'call'> & { path: string }) =>
    (await call('GET', path)).body.status
  const rowsOf = (userId: string, table: 'source_secret' | 'source_tombstone' | 'project_source') =>
    app().cairn.app.sql.transact(userId, (tx) => tx.selectFrom(table).selectAll().execute())

  it('a paused source accepts nothing until it is resumed, and both verbs are idempotent', async () => {
    const it = await start()
    for (const _ of [1, 2]) expect((await it.call('POST', `${it.path}/pause`)).body.success).toBe(true)
    expect(await statusOf(it)).toBe('paused')
    expect(await it.call('POST', `${it.path}/records`, NOTE)).toMatchObject(NOT_ACTIVE)
    const text = { text: 'A note.', data_source_id: it.made.data_source_id }
    expect(await it.call('POST', `${it.sandbox.storage}/ingest`, text)).toMatchObject(NOT_ACTIVE)
    for (const _ of [1, 2]) expect((await it.call('POST', `${it.path}/resume`)).status).toBe(200)
    expect((await it.call('POST', `${it.path}/records`, NOTE)).status).toBe(202)
  })

  it('disconnected is final', async () => {
    const it = await start({ ingestion_mode: 'realtime' })
    for (const _ of [1, 2]) expect((await it.call('POST', `${it.path}/disconnect`)).status).toBe(200)
    expect(await statusOf(it)).toBe('disconnected')
    const refused: [string, unknown?][] = [['/pause'], ['/resume'], ['/rotate-webhook-secret', {}], ['/records', NOTE]]
    for (const [verb, body] of refused) {
      expect(await it.call('POST', `${it.path}${verb}`, body), verb).toMatchObject(NOT_ACTIVE)
    }
    expect(await it.call('PATCH', it.path, { name: 'n' })).toMatchObject(NOT_ACTIVE)
  })

  it('a rotation returns a new secret once, and at most two are valid', async () => {
    const it = await start({ ingestion_mode: 'realtime' })
    const rotate = async (body?: object) => {
      const { status, body: source } = await it.call('POST', `${it.path}/rotate-webhook-secret`, body)
      expect(status).toBe(200)
      expect(source.data_source_id).toBe(it.made.data_source_id)
      return source.webhook_signing_secret as string
    }
    const live = async () =>
      (await rowsOf(it.userId, 'source_secret')).map(({ hash, expires_at: at }) => [
        hash.toString('hex'),
        at ? (at.getTime() - app().clock.now().getTime()) / 1000 : null,
      ])
    const hex = (secret: string) => sha256(secret).toString('hex')
    const first = it.made.webhook_signing_secret
    const second = await rotate({ grace_seconds: 600 })
    expect(second).not.toBe(first)
    expect(await live()).toEqual(
      expect.arrayContaining([
        [hex(first), 600],
        [hex(second), null],
      ]),
    )
    const third = await rotate({ grace_seconds: 86_400 })
    expect((await live()).sort()).toEqual(
      [
        [hex(second), 86_400],
        [hex(third), null],
      ].sort(),
    )
    const fourth = await rotate()
    expect(await live()).toEqual([[hex(fourth), null]])
    const both = await Promise.all([rotate({ grace_seconds: 60 }), rotate({ grace_seconds: 60 })])
    const left = (await live()).map(([hash]) => hash)
    expect(left).toHaveLength(2)
    expect(both.map(hex).sort()).toEqual(left.sort())
    expect((await it.call('GET', it.path)).body).not.toHaveProperty('webhook_signing_secret')
  })

  it('only a realtime source rotates, within the bounds of the grace period', async () => {
    const it = await start()
    expect(await it.call('POST', `${it.path}/rotate-webhook-secret`, {})).toMatchObject({
      status: 409,
      body: { error: 'conflict', reason: 'not_realtime' },
    })
    for (const grace_seconds of [-1, 86_401, 1.5, '60', null]) {
      const { status, body } = await it.call('POST', `${it.path}/rotate-webhook-secret`, { grace_seconds })
      expect({ status, loc: body.errors[0].loc }).toEqual({ status: 422, loc: ['body', 'grace_seconds'] })
    }
  })

  it('a repeat of an idempotent rotation rotates once, and does not return the secret again', async () => {
    const it = await start({ ingestion_mode: 'realtime' })
    const once = () => it.call('POST', `${it.path}/rotate-webhook-secret`, {}, { 'idempotency-key': 'k' })
    expect((await once()).body.webhook_signing_secret).toMatch(/^\w+/)
    const again = await once()
    expect(again.headers['idempotent-replayed']).toBe('true')
    expect(again.body.webhook_signing_secret).toBeNull()
    expect(await rowsOf(it.userId, 'source_secret')).toHaveLength(1)
  })

  it('deleting a source keeps its records, and its address and secrets for thirty days', async () => {
    const it = await start({ ingestion_mode: 'realtime' })
    const sandbox = { ...it.sandbox, records: `${it.path}/records` }
    const project = await it.call('POST', `${sandbox.storage}/projects`, {
      name: 'P',
      data_source_ids: [it.made.data_source_id],
    })
    await putRecords(it.call, sandbox, NOTE.records)
    expect((await it.call('DELETE', it.path)).body).toMatchObject({ success: true })
    expect((await it.call('GET', it.path)).status).toBe(404)
    expect((await it.call('DELETE', it.path)).status).toBe(404)
    expect(
      (await it.call('GET', `${sandbox.storage}/projects/${project.body.project_id}`)).body.data_source_ids,
    ).toEqual([])
    const found = await it.call('POST', `${sandbox.query}/discover`, { query: 'When does the ferry sail?' })
    expect(found.body.count).toBe(1)
    const tombstone = {
      webhook_slug: it.made.webhook_url.split('/').at(-1),
      hash: sha256(it.made.webhook_signing_secret),
      source_id: it.made.data_source_id,
    }
    expect(await rowsOf(it.userId, 'source_tombstone')).toMatchObject([tombstone])
    expect(await rowsOf(it.userId, 'source_secret')).toEqual([])
    app().clock.advance(30 * DAY_MS)
    await dropTombstones(app().cairn.app)
    expect(await rowsOf(it.userId, 'source_tombstone')).toHaveLength(1)
    app().clock.advance(1)
    await dropTombstones(app().cairn.app)
    expect(await rowsOf(it.userId, 'source_tombstone')).toEqual([])
  })

  it('a source deleted while it is being linked ends unlinked', async () => {
    for (let round = 0; round < 5; round += 1) {
      const it = await start()
      const project = (await it.call('POST', `${it.sandbox.storage}/projects`, { name: 'P' })).body.project_id
      const link = `${it.sandbox.storage}/projects/${project}/sources/${it.made.data_source_id}`
      const body = { name: 'Q', data_source_ids: [it.made.data_source_id] }
      const [linked, created, gone] = await Promise.all([
        it.call('POST', link),
        it.call('POST', `${it.sandbox.storage}/projects`, body),
        it.call('DELETE', it.path),
      ])
      expect([200, 404]).toContain(linked.status)
      expect([201, 422]).toContain(created.status)
      expect(gone.status).toBe(200)
      expect(await rowsOf(it.userId, 'project_source')).toEqual([])
    }
  })

  it('the runs of a source are listed newest first, in pages, with their outcomes', async () => {
    const it = await start()
    const sandbox = { ...it.sandbox, records: `${it.path}/records` }
    expect((await it.call('GET', `${it.path}/runs`)).body).toEqual({ runs: [], count: 0 })
    for (let n = 0; n < 3; n += 1) {
      await putRecords(it.call, sandbox, [{ external_id: `r${n}`, type: 'note' }, { external_id: '' }])
    }
    const { body: first } = await it.call('GET', `${it.path}/runs?limit=2`)
    const { body: second } = await it.call('GET', `${it.path}/runs?limit=2&cursor=${first.next_cursor}`)
    expect([first.count, second.count, second.next_cursor]).toEqual([2, 1, undefined])
    const ids = [...first.runs, ...second.runs].map((run: { job_id: string }) => run.job_id)
    expect(new Set(ids).size).toBe(3)
    expect(ids).toEqual(ids.toSorted().reverse())
    expect(first.runs[0]).toMatchObject({
      job_type: 'records',
      status: 'completed',
      counts: { received: 2, written: 1, removed: 0, failed: 1 },
      progress: { done: 2, total: 2 },
      error: null,
    })
  })

  it('an idle ephemeral source is archived, keeps its records, and is revived by a call', async () => {
    const it = await start({ kind: 'ephemeral' })
    const durable = await start()
    const sandbox = { ...it.sandbox, records: `${it.path}/records` }
    app().clock.advance(23 * HOUR_MS)
    await putRecords(it.call, sandbox, NOTE.records)
    app().clock.advance(24 * HOUR_MS)
    await archiveIdleSources(app().cairn.app)
    expect(await statusOf(it)).toBe('active')
    app().clock.advance(1)
    await archiveIdleSources(app().cairn.app)
    expect(await statusOf(it)).toBe('archived')
    expect(await statusOf(durable)).toBe('active')
    const ask = { query: 'When does the ferry sail?' }
    expect((await it.call('POST', `${sandbox.query}/discover`, ask)).body.count).toBe(1)
    const text = { text: 'It sails again.', data_source_id: it.made.data_source_id }
    expect((await it.call('POST', `${sandbox.storage}/ingest`, text)).status).toBe(202)
    expect(await statusOf(it)).toBe('active')
  })

  it('a paused source is not archived for idleness', async () => {
    const it = await start({ kind: 'ephemeral' })
    await it.call('POST', `${it.path}/pause`)
    app().clock.advance(48 * HOUR_MS)
    await archiveIdleSources(app().cairn.app)
    expect(await statusOf(it)).toBe('paused')
  })

  it('a call during archiving is rejected or leaves the source active', async () => {
    const it = await start({ kind: 'ephemeral' })
    for (let round = 0; round < 8; round += 1) {
      app().clock.advance(25 * HOUR_MS)
      const note = { records: [{ external_id: `n${round}`, type: 'note', text: 'x' }] }
      const [put] = await Promise.all([
        it.call('POST', `${it.path}/records`, note),
        archiveIdleSources(app().cairn.app),
        archiveIdleSources(app().cairn.app),
      ])
      expect(put.status).toBe(202)
      expect(await statusOf(it)).toBe('active')
    }
  })

  it("an archived source comes back only within the tier's limit", async () => {
    const it = await start({ kind: 'ephemeral' }, 'free')
    app().clock.advance(25 * HOUR_MS)
    await archiveIdleSources(app().cairn.app)
    // The sandbox already has one source, so nine more reach the limit.
    for (let n = 0; n < 9; n += 1) {
      await it.call('POST', `${it.sandbox.storage}/sources`, { provider: 'x', name: `n${n}` })
    }
    const full = { status: 403, body: { error: 'quota_exceeded' } }
    expect(await it.call('POST', `${it.path}/resume`)).toMatchObject(full)
    expect(await it.call('POST', `${it.path}/records`, NOTE)).toMatchObject(full)
    await it.call('DELETE', `${it.sandbox.storage}/sources/${it.sandbox.source}`)
    expect((await it.call('POST', `${it.path}/records`, NOTE)).status).toBe(202)
  })
})
