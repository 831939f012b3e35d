import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { newApiKey } from '../../../packages/server/src/tenancy/accounts/key-format.ts'
import { CANARY } from '../../harness/canary.ts'
import { addressOf, type Child, startProgram } from '../../harness/child.ts'
import { conceptVector, untilVectored, vectorsFor } from '../../harness/concepts.ts'
import { type ChatRequest, startModel } from '../../harness/model-server.ts'
import { BUCKET, openObjectStore } from '../../harness/object-store.ts'
import { newDatabase, onEachEngine } from '../../harness/postgres.ts'
import { type Answer, newSandbox, openTestApp, putRecords, type TestApp } from '../../harness/test-app.ts'

const LOOK_MS = 200
const QUIET_MS = 3_000
const QUESTION = { query: 'Which car is broken?', reference_date: '2026-06-30' }
const GARAGE = { external_id: 'garage', type: 'note', text: 'The automobile came back with a malfunction.' }
const OTHERS = [GARAGE, { external_id: 'office', type: 'note', text: 'The printer hums in the corner.' }]

const model = await startModel()
afterAll(() => model.close())

const settings = (name: string, dimensions: number) => ({
  CAIRN_EMBED_BASE_URL: model.baseUrl,
  CAIRN_EMBED_NAME: name,
  CAIRN_EMBED_DIMENSIONS: String(dimensions),
  CAIRN_EMBED_REQUESTS_PER_MINUTE: '60000',
})
const honest = (dimensions: number) => (request: ChatRequest) =>
  vectorsFor(request, (text) => conceptVector(text, dimensions))
/** Returns the texts that the model received, except those of the bystander account. */
const asked = () => model.asked.flatMap(({ input = [] }) => input).filter((text) => !text.includes(CANARY))
const idsOf = ({ body }: Answer): string[] => body.items.map((item: { external_id: string }) => item.external_id)

onEachEngine((sql, kind) => {
  let folder = ''
  let app: TestApp | undefined
  const open = async (name: string, dimensions: number, env = {}) => {
    folder ||= mkdtempSync(join(tmpdir(), 'cairn-vectors-'))
    model.answer = honest(dimensions)
    model.asked.length = 0
    app = await openTestApp(sql(), kind, { CAIRN_DATA: folder, ...settings(name, dimensions), ...env })
    return app
  }
  const close = async () => {
    await app?.cairn.close()
    app = undefined
  }
  afterEach(close)
  // A database is bound to one data folder.
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('vectors survive a restart, and are recomputed for another model or length', async () => {
    const first = await open('small', 64)
    const { userId, call, key } = await first.newAccount()
    const sandbox = await newSandbox(call)
    await putRecords(call, sandbox, OTHERS)
    await untilVectored(first, userId, sandbox)
    const headers = { authorization: `Bearer ${key}` }
    const ask = (of: TestApp) => of.anonymous('POST', `${sandbox.query}/discover`, QUESTION, headers)
    const before = await ask(first)
    expect(idsOf(before)).toEqual(['garage'])
    await close()
    expect((await ask(await open('small', 64))).body).toEqual(before.body)
    expect(asked()).toEqual([QUESTION.query])
    for (const [name, dimensions] of [
      ['other', 64],
      ['other', 40],
    ] as const) {
      await close()
      const changed = await open(name, dimensions)
      while (asked().length < OTHERS.length) await rest(LOOK_MS)
      await untilVectored(changed, userId, sandbox)
      expect(asked().toSorted()).toEqual(OTHERS.map(({ text }) => text).toSorted())
      while (idsOf(await ask(changed)).length === 0) await rest(LOOK_MS)
      expect(idsOf(await ask(changed))).toEqual(['garage'])
    }
    // Without a model, lexical search still works and no vectors are read.
    await close()
    app = await openTestApp(sql(), kind, { CAIRN_DATA: folder })
    expect(idsOf(await ask(app))).toEqual([])
  })

  it('vectors are in the sandbox’s private bucket, and are deleted with it', async () => {
    const store = await openObjectStore()
    try {
      const opened = await open('small', 64, { CAIRN_ALLOW_LOOPBACK: 'on' })
      const { userId, call } = await opened.newAccount()
      const { body } = await call('POST', '/api/v1/storage/sandboxes', {
        ...{ name: 'Theirs', owner_id: 'o' },
        storage: {
          ...{ provider_type: 'custom_s3', bucket: BUCKET, region: 'us-east-1', endpoint: store.endpoint },
          ...{ access_key_id: 'test-access', secret_access_key: 'test-secret' },
        },
      })
      const [storage, query] = ['storage', 'query'].map((room) => `/api/v1/${room}/sandboxes/${body.sandbox_id}`)
      const { body: source } = await call('POST', `${storage}/sources`, { provider: 'slack', name: 'Chat' })
      const records = `${storage}/sources/${source.data_source_id}/records`
      const sandbox = { id: body.sandbox_id, storage, source: source.data_source_id, records, query } as Parameters<
        typeof putRecords
      >[1]
      await putRecords(call, sandbox, OTHERS)
      await untilVectored(opened, userId, sandbox)
      expect(idsOf(await call('POST', `${query}/discover`, QUESTION))).toEqual(['garage'])
      expect([...store.objects.keys()].filter((name) => name.includes('/vectors.lance/')).length).toBeGreaterThan(0)
      expect((await call('DELETE', sandbox.storage)).status).toBe(200)
      expect([...store.objects.keys()]).toEqual([])
    } finally {
      await close()
      await store.close()
    }
  })
})

const rest = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

describe('the data folder', () => {
  const key = newApiKey()
  const children: Child[] = []
  afterEach(() => {
    for (const child of children) child.process.kill('SIGKILL')
  })

  const serve = async (folder: string, env = {}) => {
    const child = startProgram([], {
      CAIRN_DATA: folder,
      CAIRN_BOOTSTRAP_API_KEY: key,
      ...settings('small', 64),
      ...env,
    })
    children.push(child)
    const address = await addressOf(child)
    const call = async (method: string, path: string, body?: unknown): Promise<Answer['body']> => {
      const headers = { authorization: `Bearer ${key}`, prefer: 'wait=60', 'content-type': 'application/json' }
      const reply = await fetch(address + path, { method, headers, body: JSON.stringify(body) })
      expect(reply.ok, `${method} ${path}: ${reply.status}`).toBe(true)
      return reply.json()
    }
    return { child, call }
  }

  /** Waits until the model has received no request for a while. */
  const untilQuiet = async () => {
    for (let seen = -1; seen < model.asked.length; ) {
      seen = model.asked.length
      await rest(QUIET_MS)
    }
  }

  it('resumes after a kill with the missing vectors, and includes them in a backup', async () => {
    const database = await newDatabase('pglite')
    const folder = dirname((database.target as { folder: string }).folder)
    rmSync(join(folder, 'sql'), { recursive: true })
    const place = `${folder}-restored`
    try {
      const records = Array.from({ length: 600 }, (_, at) => ({
        external_id: `r${at}`,
        type: 'note',
        text: `Note ${at}.`,
      }))
      // The model hangs during the second batch, so the first is committed and the second is not.
      const HANGS_AFTER = 6
      let requests = 0
      model.asked.length = 0
      model.answer = (request) => {
        requests += 1
        const answer = honest(64)(request)
        return requests > HANGS_AFTER ? { ...answer, before: new Promise(() => {}) } : answer
      }
      const first = await serve(folder)
      const made = { name: 'Kept', owner_id: 'o', tier: 'enterprise' }
      const { sandbox_id: id } = await first.call('POST', '/api/v1/storage/sandboxes', made)
      const storage = `/api/v1/storage/sandboxes/${id}`
      const source = await first.call('POST', `${storage}/sources`, { provider: 'slack', name: 'Chat' })
      const path = `${storage}/sources/${source.data_source_id}/records`
      await first.call('POST', path, { records: [...records, GARAGE] })
      while (requests <= HANGS_AFTER) await rest(LOOK_MS)
      first.child.process.kill('SIGKILL')
      await first.child.ended

      model.asked.length = 0
      model.answer = honest(64)
      const second = await serve(folder)
      await untilQuiet()
      const ask = async ({ call }: typeof second) => call('POST', `/api/v1/query/sandboxes/${id}/discover`, QUESTION)
      const found = await ask(second)
      expect(found.items[0].external_id).toBe('garage')
      const again = asked().filter((text) => text !== QUESTION.query)
      expect(new Set(again).size).toBe(again.length)
      expect(again.length).toBeGreaterThan(0)
      expect(again.length).toBeLessThan(records.length)
      second.child.process.kill('SIGTERM')
      expect(await second.child.ended).toBe(0)

      const run = async (args: string[], from: string) => startProgram(args, { CAIRN_DATA: from }).ended
      expect(await run(['backup', `${place}.backup`, '--with-keys'], folder)).toBe(0)
      expect(await run(['restore', `${place}.backup`], place)).toBe(0)
      model.asked.length = 0
      const restored = await serve(place)
      expect(await ask(restored)).toEqual(found)
      await untilQuiet()
      expect(new Set(asked())).toEqual(new Set([QUESTION.query]))
    } finally {
      for (const child of children) child.process.kill('SIGKILL')
      await Promise.all(children.map(({ ended }) => ended))
      database.remove()
      for (const left of [place, `${place}.backup`]) rmSync(left, { recursive: true, force: true })
    }
  })
})
