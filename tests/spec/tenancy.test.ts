import { featureOperations, type Operation } from '@cairn/contract'
import { beforeAll, expect, it } from 'vitest'
import {
  type Call,
  newSandbox,
  onEachApp,
  putRecords,
  type TestAccount,
  type TestSandbox,
} from '../harness/test-app.ts'

const PROFILE = '/api/v1/users/me/profile'
const BODY_BYTES_MAX = 1024 * 1024
const QUESTION = 'What is the secret of Harbour?'

/** The values of path parameters. */
type Ids = Record<string, string>

/** Someone with a sandbox in which there is one thing of every kind. */
interface Tenant extends TestAccount {
  sandbox: TestSandbox
  ids: Ids & { sandbox_id: string; source_id: string; project_id: string; record_id: string; canonical_id: string }
}

const INSIDE = Object.entries(featureOperations as Record<string, Operation>).filter(([, { path }]) =>
  path.includes(':sandbox_id'),
)

/** An id of the same shape that was never given. */
function missing(id: string): string {
  return id.replace(/_.*$/, `_${'0'.repeat(26)}`)
}

function filled(path: string, ids: Ids): string {
  return path.replace(/:(\w+)/g, (_, name: string) => ids[name] as string)
}

/** The ids of the same shapes with nothing behind them, except those that are kept. */
function missingBut(ids: Ids, kept: Ids = {}): Ids {
  return { ...Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, missing(id)])), ...kept }
}

onEachApp((app) => {
  let mine: Tenant
  let theirs: Tenant

  /** The whole answer as bytes, so that nothing in it can tell two cases apart. */
  const bytesOf = async (method: Operation['method'], url: string, body?: unknown, headers = {}) => {
    const isRaw = typeof body === 'string'
    const reply = await app().cairn.http.inject({
      method,
      url,
      headers: {
        authorization: `Bearer ${mine.key}`,
        'x-request-id': 'the-same',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { payload: isRaw ? body : JSON.stringify(body) }),
    })
    const { date, ...rest } = reply.headers
    return { status: reply.statusCode, payload: reply.payload, headers: rest }
  }

  const tenant = async (word: string): Promise<Tenant> => {
    const account = await app().newAccount()
    const { call } = account
    const sandbox = await newSandbox(call, `Sandbox of ${word}`)
    const text = `The secret of Harbour is ${word}.`
    const job = await putRecords(call, sandbox, [{ external_id: '1', type: 'note', text, author: `Ann ${word}` }])
    const linked = { name: `Project of ${word}`, data_source_ids: [sandbox.source] }
    const { body: project } = await call('POST', `${sandbox.storage}/projects`, linked)
    const found = await call('POST', `${sandbox.query}/discover`, { query: QUESTION })
    const [item] = found.body.items
    const ids = {
      sandbox_id: sandbox.id,
      source_id: sandbox.source,
      project_id: project.project_id,
      job_id: job.job_id,
      record_id: item.record_id,
      canonical_id: item.canonical_ids[0],
    }
    expect(ids.canonical_id).toMatch(/^ent_/)
    return { ...account, sandbox, ids }
  }

  /** All that a tenant can see of its own. */
  const seen = async ({ call, ids }: Tenant) => {
    const views: unknown[] = []
    for (const [, { method, path }] of INSIDE) {
      if (method === 'GET') views.push((await call('GET', `${filled(path, ids)}?q=Ann`)).body)
    }
    views.push((await call('GET', '/api/v1/storage/sandboxes')).body, (await call('GET', PROFILE)).body)
    return views
  }

  beforeAll(async () => {
    mine = await tenant('marigold')
    theirs = await tenant('periwinkle')
  })

  it('answers for a foreign sandbox, to the byte, as for one that never was, and changes nothing', async () => {
    const before = await seen(theirs)
    for (const [id, { method, path, body, bodyExample }] of INSIDE) {
      const bodies =
        body === undefined ? [undefined] : [bodyExample, {}, '{"broken', '[', '[]', ' '.repeat(BODY_BYTES_MAX + 1)]
      for (const sent of bodies) {
        const foreign = await bytesOf(method, filled(path, theirs.ids), sent)
        expect(foreign.status, id).toBe(404)
        expect(foreign, id).toEqual(await bytesOf(method, filled(path, missingBut(theirs.ids)), sent))
        expect(foreign.payload).not.toContain('periwinkle')
      }
    }
    expect(await seen(theirs)).toEqual(before)
  })

  it('does not look at the form of a body, its type or a query before the reach is known', async () => {
    for (const [id, { method, path, body }] of INSIDE) {
      const url = filled(path, theirs.ids)
      const plain = await bytesOf(method, url)
      const headers = { 'content-type': 'text/plain', 'content-encoding': 'gzip' }
      if (body !== undefined) expect(await bytesOf(method, url, 'x', headers), id).toEqual(plain)
      const keyed = { 'x-encryption-token': 'junk', 'idempotency-key': 'x', prefer: 'wait=5' }
      expect(await bytesOf(method, `${url}?limit=0&status=bogus&cursor=x`, undefined, keyed), id).toEqual(plain)
    }
  })

  it('answers for a foreign id in an own sandbox as for one that never was', async () => {
    const before = await seen(theirs)
    const own = { sandbox_id: mine.ids.sandbox_id }
    for (const [id, { method, path, body, bodyExample }] of INSIDE) {
      const inner = (path.match(/:\w+/g) ?? []).map((name) => name.slice(1)).filter((name) => name !== 'sandbox_id')
      for (const name of inner) {
        const others = Object.fromEntries(inner.map((each) => [each, mine.ids[each] as string]))
        const at = (value: string) => filled(path, { ...own, ...others, [name]: value })
        const foreign = await bytesOf(method, at(theirs.ids[name] as string), body && bodyExample)
        expect(foreign.status, `${id} ${name}`).toBe(404)
        expect(foreign, id).toEqual(await bytesOf(method, at(missing(theirs.ids[name] as string)), body && bodyExample))
      }
    }
    expect(await seen(theirs)).toEqual(before)
  })

  it('answers for a foreign id in a body or a query as for one that never was', async () => {
    const { storage, query } = mine.sandbox
    const items = [[mine.ids.record_id]]
    const cases: [string, string, (id: string) => object][] = [
      [`${storage}/projects`, 'source_id', (id) => ({ name: 'P', data_source_ids: [id] })],
      [`${storage}/ingest`, 'project_id', (id) => ({ text: 'x', project_id: id })],
      [`${storage}/ingest`, 'source_id', (id) => ({ text: 'x', data_source_id: id })],
      [`${query}/discover`, 'project_id', (id) => ({ query: 'x', project_id: id })],
      [`${query}/interpret`, 'project_id', (id) => ({ query: 'x', items, project_id: id })],
      [PROFILE, 'sandbox_id', (id) => ({ sandbox_id: id })],
      [PROFILE, 'project_id', (id) => ({ sandbox_id: mine.ids.sandbox_id, project_id: id })],
    ]
    for (const [url, name, wrap] of cases) {
      const id = theirs.ids[name] as string
      const foreign = await bytesOf('POST', url, wrap(id))
      expect([404, 422], `${url} ${name}`).toContain(foreign.status)
      expect(foreign, `${url} ${name}`).toEqual(await bytesOf('POST', url, wrap(missing(id))))
    }
    for (const path of ['/entities?', '/entities/search?q=Ann&']) {
      const scoped = (id: string) => bytesOf('GET', `${storage}${path}project_id=${id}`)
      const foreign = await scoped(theirs.ids.project_id)
      expect(foreign.status).toBe(404)
      expect(foreign).toEqual(await scoped(missing(theirs.ids.project_id)))
    }
  })

  it('never answers from another account’s knowledge, even when its ids are pinned', async () => {
    const { query } = mine.sandbox
    const found = await mine.call('POST', `${query}/discover`, { query: `${QUESTION} periwinkle`, limit: 100 })
    expect(found.body.count).toBeGreaterThan(0)
    expect(JSON.stringify(found.body.items)).toContain('marigold')
    expect(JSON.stringify(found.body.items)).not.toContain('periwinkle')
    const { canonical_id, record_id } = theirs.ids
    const pinned = (ids: string[]) => mine.call('POST', `${query}/interpret`, { query: QUESTION, items: [ids] })
    const foreign = await pinned([canonical_id, record_id])
    const never = await pinned([missing(canonical_id), missing(record_id)])
    expect(foreign.body).toEqual({ ...never.body, items: [[canonical_id, record_id]] })
    expect(foreign.body.citations).toEqual([])
    expect(JSON.stringify(foreign.body)).not.toContain('periwinkle')
    const mixed = await pinned([mine.ids.record_id, record_id])
    const cited = mixed.body.citations.map((each: { canonical_id: string }) => each.canonical_id)
    expect(cited).not.toContain(record_id)
    expect(mixed.body.brief).toContain('marigold')
    expect(mixed.body.brief).not.toContain('periwinkle')
  })

  it('lists, exports and counts only what is the account’s own', async () => {
    const views = JSON.stringify(await seen(mine))
    expect(views).toContain('marigold')
    for (const foreign of ['periwinkle', theirs.userId, ...Object.values(theirs.ids)]) {
      expect(views).not.toContain(foreign)
    }
  })

  it('keeps equal names, external ids and texts of two accounts apart', async () => {
    const twin = async (call: Call) => {
      const sandbox = await newSandbox(call, 'Twin')
      const record = { external_id: 'twin', type: 'note', text: 'Equal words.', author: 'Equal Author' }
      await putRecords(call, sandbox, [record])
      return sandbox
    }
    const [first, second] = [await twin(mine.call), await twin(theirs.call)]
    const idsIn = async (call: Call, { query }: TestSandbox) => {
      const { body } = await call('POST', `${query}/discover`, { query: 'Equal words' })
      return body.items.flatMap((item: { canonical_ids: string[] }) => item.canonical_ids) as string[]
    }
    const [own, other] = [await idsIn(mine.call, first), await idsIn(theirs.call, second)]
    expect(own).toHaveLength(2)
    expect(own.filter((id) => other.includes(id))).toEqual([])
    await theirs.call('DELETE', second.storage)
    expect(await idsIn(mine.call, first)).toEqual(own)
  })
})
