import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeContent, type StoredContent } from '@cairnstore/engine/resolve'
import { afterAll, afterEach, expect, it } from 'vitest'
import { newId } from '../../../packages/server/src/base/id.ts'
import { headOf } from '../../../packages/server/src/db/head.ts'
import type { ContentCipher } from '../../../packages/server/src/tenancy/caller-keys/content-cipher.ts'
import { conceptVector, untilVectored, vectorsFor } from '../../harness/concepts.ts'
import { filesContaining } from '../../harness/disk.ts'
import { keyForgotten, withKey } from '../../harness/keyed.ts'
import { startModel } from '../../harness/model-server.ts'
import { storeAsBefore } from '../../harness/older-records.ts'
import { onEachEngine } from '../../harness/postgres.ts'
import {
  type Call,
  newSandbox,
  openTestApp,
  putRecords,
  type TestApp,
  type TestSandbox,
} from '../../harness/test-app.ts'

const CARDS = [
  {
    external_id: 'a',
    type: 'card',
    title: 'Oil the pump',
    text: '# Why\n- [ ] It squeaks.',
    properties: { status: 'Started' },
  },
  { external_id: 'b', type: 'card', title: 'Paint the hull', text: 'The automobile carried the paint.' },
]

const model = await startModel()
afterAll(() => model.close())

onEachEngine((sql, kind) => {
  // A database is bound to one storage for all its processes.
  const folder = mkdtempSync(join(tmpdir(), 'cairn-older-'))
  let app: TestApp | undefined
  const open = async (env = {}) => {
    app = await openTestApp(sql(), kind, { CAIRN_DATA: folder, ...env })
    return app
  }
  afterEach(async () => {
    await app?.cairn.close()
    app = undefined
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  /** Reopens the server and returns a `call` of the account. */
  const again = async (key: string, env = {}): Promise<Call> => {
    await app?.cairn.close()
    const opened = await open(env)
    return (method, path, body, headers) =>
      opened.anonymous(method, path, body, { authorization: `Bearer ${key}`, ...headers })
  }
  const waiting = async (call: Call, { storage }: TestSandbox): Promise<number> =>
    (await call('GET', `${storage}/usage`)).body.rereading.waiting
  const untilReindexed = async (call: Call, sandbox: TestSandbox) => {
    await expect.poll(() => waiting(call, sandbox)).toBe(0)
  }
  const idsOf = async (call: Call, { storage }: TestSandbox, filter = ''): Promise<string[]> =>
    (await call('GET', `${storage}/records?limit=200${filter}`)).body.records
      .map(({ record_id: id }: { record_id: string }) => id)
      .toSorted()
  const contentsOf = async (userId: string, { id }: TestSandbox): Promise<StoredContent[]> => {
    const row = await sql().transact(userId, (tx) =>
      tx.selectFrom('sandbox_head').selectAll().where('sandbox_id', '=', id).executeTakeFirstOrThrow(),
    )
    const view = await app!.cairn.app.knowledge.view({ userId, sandboxId: id }, headOf(row))
    const contents: StoredContent[] = []
    for await (const rows of view.store.scanRecords(view.head, { batchRows: 500 }))
      contents.push(...rows.map(({ content }) => decodeContent<StoredContent>(content)))
    return contents
  }

  it('answers as before until it is reindexed, and then like a new record', async () => {
    const { userId, key, call } = await (await open()).newAccount()
    const sandbox = await newSandbox(call)
    await putRecords(call, sandbox, CARDS)
    const [ids, now] = [await idsOf(call, sandbox), await contentsOf(userId, sandbox)]
    const entities = (await call('GET', `${sandbox.storage}/entities`)).body.entities
    const changes = (await call('GET', `${sandbox.storage}/changes`)).body.changes
    await storeAsBefore(app!, { userId, sandboxId: sandbox.id })
    expect(await idsOf(call, sandbox, '&phase=doing')).toEqual([])
    expect(await waiting(call, sandbox)).toBe(2)
    const shown = (await call('GET', `${sandbox.storage}/records/${ids[0]}`)).body
    expect(shown).toMatchObject({ phase: 'doing', basis: { phase: 'guessed' } })
    const later = await again(key)
    await untilReindexed(later, sandbox)
    expect(await idsOf(later, sandbox, '&phase=doing')).toEqual([ids[0]])
    expect(await idsOf(later, sandbox)).toEqual(ids)
    expect((await later('GET', `${sandbox.storage}/records/${ids[0]}`)).body).toEqual(shown)
    expect(await contentsOf(userId, sandbox)).toEqual(now)
    expect((await later('GET', `${sandbox.storage}/entities`)).body.entities).toEqual(entities)
    expect((await later('GET', `${sandbox.storage}/changes`)).body.changes).toEqual(changes)
    expect((await putRecords(later, sandbox, CARDS)).result).toMatchObject({ unchanged: 2 })
    const sizes = (await contentsOf(userId, sandbox)).map((content) => Buffer.byteLength(JSON.stringify(content)))
    const { max_storage_bytes: bytes } = (await later('GET', `${sandbox.storage}/usage`)).body
    expect(bytes).toBe(sizes.reduce((sum, size) => sum + size, 0))
  })

  it('keeps its vectors, without another request to the model', async () => {
    const env = {
      CAIRN_EMBED_BASE_URL: model.baseUrl,
      CAIRN_EMBED_NAME: 'small',
      CAIRN_EMBED_DIMENSIONS: '64',
      CAIRN_EMBED_REQUESTS_PER_MINUTE: '60000',
    }
    model.answer = (request) => vectorsFor(request, (text) => conceptVector(text, 64))
    const { userId, key, call } = await (await open(env)).newAccount()
    const sandbox = await newSandbox(call)
    // The model is also asked about records of other tests.
    const said = `An automobile stood on the quay beside ${kind}.`
    await putRecords(call, sandbox, [...CARDS, { external_id: 'quay', type: 'note', text: said }])
    await untilVectored(app!, userId, sandbox)
    await storeAsBefore(app!, { userId, sandboxId: sandbox.id })
    // Vectors are kept even while no model is configured.
    await untilReindexed(await again(key), sandbox)
    const later = await again(key, env)
    const found = await later('POST', `${sandbox.query}/discover`, { query: 'Which car?' })
    expect(found.body.items.map((item: { external_id: string }) => item.external_id)).toContain('quay')
    await untilVectored(app!, userId, sandbox)
    const asked = model.asked.flatMap(({ input = [] }) => input).filter((text) => text === said)
    expect(asked).toHaveLength(1)
  })

  it('of an encrypted sandbox waits for the key, and is never written in plaintext', async () => {
    const { userId, key, call } = await (await open()).newAccount()
    const keyed = withKey(call, Buffer.alloc(32, 7))
    const sandbox = await newSandbox(keyed)
    let seal: ContentCipher | undefined
    const { seals } = app!.cairn.app
    seals.whenHeld(sandbox.id, 'test', () => {
      seal = seals.findAny(sandbox.id)
    })
    await putRecords(keyed, sandbox, CARDS)
    await storeAsBefore(app!, { userId, sandboxId: sandbox.id, seal: seal! })
    const later = await again(key)
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    expect(await waiting(later, sandbox)).toBe(2)
    const laterKeyed = withKey(later, Buffer.alloc(32, 7))
    expect((await laterKeyed('GET', `${sandbox.storage}/records`)).body.count).toBe(2)
    await untilReindexed(later, sandbox)
    await keyForgotten(app!, sandbox.id)
    expect((await laterKeyed('GET', `${sandbox.storage}/records?phase=doing`)).body.count).toBe(1)
    await expect(contentsOf(userId, sandbox)).rejects.toThrow()
    expect(filesContaining(join(folder, 'knowledge', userId, sandbox.id), 'squeaks')).toEqual([])
  })

  it('is deleted by a purge', async () => {
    const { userId, key, call } = await (await open()).newAccount()
    const sandbox = await newSandbox(call)
    await putRecords(call, sandbox, CARDS)
    await storeAsBefore(app!, { userId, sandboxId: sandbox.id })
    await app?.cairn.close()
    // Simulates a purge that was interrupted by a crash right after its start.
    await sql().transact(userId, async (tx) => {
      const { seq } = await tx
        .selectFrom('sandbox_head')
        .select('seq')
        .where('sandbox_id', '=', sandbox.id)
        .executeTakeFirstOrThrow()
      await tx
        .insertInto('erasure')
        .values({
          user_id: userId,
          id: newId('job', app!.clock),
          sandbox_id: sandbox.id,
          source_id: sandbox.source,
          up_to_seq: seq,
          counts: { sql: 0, records: 0, entities: 0, links: 0, objects: 0 },
          erased_at: null,
          scrubbed_at: null,
        })
        .execute()
    })
    const later = await again(key)
    await untilReindexed(later, sandbox)
    expect(await idsOf(later, sandbox)).toEqual([])
  })

  it('that a person deletes stays deleted when its source repeats it', async () => {
    const { userId, call } = await (await open()).newAccount()
    const sandbox = await newSandbox(call)
    await putRecords(call, sandbox, CARDS)
    await storeAsBefore(app!, { userId, sandboxId: sandbox.id })
    const ids = await idsOf(call, sandbox)
    expect((await call('DELETE', `${sandbox.storage}/records/${ids[0]}`)).status).toBe(200)
    expect((await putRecords(call, sandbox, CARDS)).result).toMatchObject({ unchanged: 2 })
    expect(await idsOf(call, sandbox)).toEqual(ids.slice(1))
  })
})
