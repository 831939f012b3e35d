import { type Operation, operations } from '@cairnstore/contract'
import { beforeAll, expect, it } from 'vitest'
import { newId } from '../../packages/server/src/base/id.ts'
import { sampleOf } from '../harness/operation-samples.ts'
import { rowsOf } from '../harness/rows-of.ts'
import { filled, type Ids, makeTenant, missingLike, type OperationId, type Param, paramsOf } from '../harness/tenant.ts'
import {
  type Call,
  newSandbox,
  onEachApp,
  putRecords,
  type TestAccount,
  type TestSandbox,
} from '../harness/test-app.ts'

const PROFILE = '/api/v1/users/me/profile'
const TEAM = ['members', 'invitations', 'groups', 'group-roles', 'auth/session'].map((name) => `/api/v1/${name}`)
const BODY_BYTES_MAX = 1024 * 1024
const QUESTION = 'Who is the author?'

/** A tenant with its account. */
type Holder = TestAccount & Awaited<ReturnType<typeof makeTenant>>

const INSIDE = (Object.entries(operations) as [OperationId, Operation][]).filter(
  ([, { path, access }]) => path.includes(':sandbox_id') && access !== 'public' && access !== 'admin',
)

/**
 * Kind of object that an id field in a body or query names. Every field that ends in `_id` or `_ids` must be listed.
 */
const NAMES: Record<string, Param | 'nothing here'> = {
  sandbox_id: 'sandbox_id',
  project_id: 'project_id',
  data_source_id: 'source_id',
  source_id: 'source_id',
  data_source_ids: 'source_id',
  expected_record_ids: 'record_id',
  owner_id: 'nothing here',
  external_id: 'nothing here',
  id: 'nothing here',
  member_ids: 'member_id',
  // Echoed unchanged, even if foreign or unknown; nothing is found.
  canonical_ids: 'nothing here',
  // A grant can be given to any account.
  user_id: 'nothing here',
  external_account_id: 'nothing here',
  client_id: 'nothing here',
  // The caller chooses this id.
  session_id: 'nothing here',
}

/** Returns the fields of an operation's body or query that contain ids. */
function idFieldsOf({ body, query }: Operation): string[] {
  const fields = (body?.json ?? query) as { properties?: object } | undefined
  return Object.keys(fields?.properties ?? {}).filter((name) => /(^|_)ids?$/.test(name))
}

/** Other fields that a request needs so that the id field is evaluated. */
const KEPT: Record<string, (ids: Ids) => object> = { project_id: ({ sandbox_id }) => ({ sandbox_id }) }

/** Returns ids of the same form that do not exist, except the kept ones. */
function missingBut(ids: Ids, kept: Partial<Ids> = {}): Ids {
  const missing = Object.entries(ids).map(([name, id]) => [name, missingLike(id)])
  return { ...(Object.fromEntries(missing) as Ids), ...kept }
}

onEachApp((app) => {
  let mine: Holder
  let theirs: Holder
  let scoped: TestAccount

  /** Returns the whole reply, so that any difference between two cases is detected. */
  const bytesOf = async (method: Operation['method'], url: string, body?: unknown, headers = {}, key = mine.key) => {
    const isRaw = typeof body === 'string'
    const reply = await app().cairn.http.inject({
      method,
      url,
      headers: {
        authorization: `Bearer ${key}`,
        'x-request-id': 'the-same',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { payload: isRaw ? body : JSON.stringify(body) }),
    })
    // These headers differ between any two requests.
    const { date, 'ratelimit-remaining': remaining, 'ratelimit-reset': reset, ...rest } = reply.headers
    return { status: reply.statusCode, payload: reply.payload, headers: rest }
  }

  const holder = async (word: string): Promise<Holder> => {
    const account = await app().newAccount()
    return { ...account, ...(await makeTenant(account.call, app().admin, word)) }
  }

  /** Creates an account whose grant on my sandbox is limited to its first project. */
  const limited = async () => {
    const grantee = await app().newAccount()
    const { sandbox_id, project_id } = mine.ids
    const how = { role: 'editor', label: null, expires_at: null, revoked_at: null } as const
    const made = { id: newId('connection', app().clock), created_by: mine.userId, created_at: app().clock.now() }
    const who = { user_id: mine.userId, grantee_user_id: grantee.userId }
    await app().cairn.app.sql.transact(mine.userId, (tx) =>
      tx
        .insertInto('connection')
        .values({ ...who, sandbox_id, project_id, ...how, ...made })
        .execute(),
    )
    return grantee
  }

  /** Returns everything a tenant has: its rows, and what it can read. */
  const seen = async ({ call, ids, userId }: Holder) => {
    const views: unknown[] = [await rowsOf(app().cairn.app.sql, userId)]
    for (const [id, { method, audit }] of INSIDE) {
      // An export writes an audit event, so two reads would differ.
      if (method !== 'GET' || 'event' in audit) continue
      const { body } = await call('GET', sampleOf(id, ids, 'seen').url)
      // These reads increase the counter of reads per minute. The record has no original, and an error has its own id.
      views.push({ ...body, reads_per_minute: undefined, request_id: undefined })
    }
    for (const path of ['/api/v1/storage/sandboxes', PROFILE, ...TEAM]) views.push((await call('GET', path)).body)
    return views
  }

  beforeAll(async () => {
    mine = await holder('marigold')
    theirs = await holder('periwinkle')
    scoped = await limited()
  })

  it('a foreign sandbox gives byte for byte the same reply as a missing one, without effect', async () => {
    const before = await seen(theirs)
    for (const [id, { method, path, body }] of INSIDE) {
      const valid = sampleOf(id, theirs.ids, 'foreign').body
      const bodies =
        body === undefined ? [undefined] : [valid, {}, '{"broken', '[', '[]', ' '.repeat(BODY_BYTES_MAX + 1)]
      for (const sent of bodies) {
        const foreign = await bytesOf(method, filled(path, theirs.ids), sent)
        expect(foreign.status, id).toBe(404)
        expect(foreign, id).toEqual(await bytesOf(method, filled(path, missingBut(theirs.ids)), sent))
        expect(foreign.payload).not.toContain('periwinkle')
      }
    }
    expect(await seen(theirs)).toEqual(before)
  })

  it('access is checked before the form, type and query of a body', async () => {
    for (const [id, { method, path, body }] of INSIDE) {
      const url = filled(path, theirs.ids)
      const plain = await bytesOf(method, url)
      const headers = { 'content-type': 'text/plain', 'content-encoding': 'gzip' }
      if (body !== undefined) expect(await bytesOf(method, url, 'x', headers), id).toEqual(plain)
      const keyed = { 'x-encryption-token': 'junk', 'idempotency-key': 'x', prefer: 'wait=5', 'if-match': 'junk' }
      expect(await bytesOf(method, `${url}?limit=0&status=bogus&cursor=x`, undefined, keyed), id).toEqual(plain)
    }
  })

  it('a foreign id in an own sandbox gives the same reply as a missing one', async () => {
    const before = await seen(theirs)
    for (const [id, { method, path }] of INSIDE) {
      for (const name of paramsOf(path).filter((each) => each !== 'sandbox_id')) {
        const { body } = sampleOf(id, mine.ids, 'swapped')
        const at = (value: string) => filled(path, { ...mine.ids, [name]: value })
        const foreign = await bytesOf(method, at(theirs.ids[name]), body)
        expect(foreign.status, `${id} ${name}`).toBe(404)
        expect(foreign, `${id} ${name}`).toEqual(await bytesOf(method, at(missingLike(theirs.ids[name])), body))
      }
    }
    expect(await seen(theirs)).toEqual(before)
  })

  it('a foreign key, member, group, invitation or rule gives the same reply as a missing one', async () => {
    const before = await seen(theirs)
    const named = ['key_id', 'member_id', 'group_id', 'invitation_id', 'group_role_id'] as const
    let asked = 0
    for (const [id, { method, path }] of Object.entries(operations) as [OperationId, Operation][]) {
      if (path.includes(':sandbox_id')) continue
      for (const name of paramsOf(path).filter((each) => named.some((one) => one === each))) {
        const { body } = sampleOf(id, mine.ids, 'swapped')
        const at = (value: string) => filled(path, { ...mine.ids, [name]: value })
        const foreign = await bytesOf(method, at(theirs.ids[name]), body)
        expect(foreign.status, `${id} ${name}`).toBe(404)
        expect(foreign, `${id} ${name}`).toEqual(await bytesOf(method, at(missingLike(theirs.ids[name])), body))
        asked += 1
      }
    }
    expect(asked).toBe(8)
    const connections = `/api/v1/storage/sandboxes/${mine.ids.sandbox_id}/connections`
    for (const name of ['member_id', 'group_id'] as const) {
      const grant = (value: string) => ({ grantee: { [name]: value }, role: 'viewer' })
      const foreign = await bytesOf('POST', connections, grant(theirs.ids[name]))
      expect(foreign.status).toBe(422)
      expect(foreign).toEqual(await bytesOf('POST', connections, grant(missingLike(theirs.ids[name]))))
    }
    const invite = (value: string) => ({ role: 'viewer', groups: [value] })
    const foreign = await bytesOf('POST', '/api/v1/invitations', invite(theirs.ids.group_id))
    expect(foreign.status).toBe(422)
    expect(foreign).toEqual(await bytesOf('POST', '/api/v1/invitations', invite(missingLike(theirs.ids.group_id))))
    expect(await seen(theirs)).toEqual(before)
  })

  it('a foreign id in a body or query gives the same reply as a missing one', async () => {
    const before = await seen(theirs)
    let swaps = 0
    for (const [id, operation] of Object.entries(operations) as [OperationId, Operation][]) {
      for (const field of idFieldsOf(operation)) {
        const named = NAMES[field]
        expect(named, `${id} has ${field}, which names nothing that this test knows`).toBeDefined()
        if (named === undefined || named === 'nothing here') continue
        const given = (value: string) => (field.endsWith('s') ? [value] : value)
        const send = async (value: string) => {
          const { method, url, body } = sampleOf(id, mine.ids, 'swapped', {
            ...KEPT[field]?.(mine.ids),
            [field]: given(value),
          })
          return bytesOf(method, url, body)
        }
        const foreign = await send(theirs.ids[named])
        expect([404, 422], `${id} ${field}`).toContain(foreign.status)
        expect(foreign, `${id} ${field}`).toEqual(await send(missingLike(theirs.ids[named])))
        swaps += 1
      }
    }
    expect(swaps).toBeGreaterThan(5)
    expect(await seen(theirs)).toEqual(before)
  })

  it('for a caller limited to a project, content outside it gives the same reply as missing content', async () => {
    const { outside } = mine
    const asked = async (method: Operation['method'], url: string, body: unknown) =>
      bytesOf(method, url, body, {}, scoped.key)
    for (const [id, { method, path }] of INSIDE) {
      if (operations[id].access === 'owner') continue
      for (const name of paramsOf(path).filter((each): each is keyof typeof outside => each in outside)) {
        const { body } = sampleOf(id, mine.ids, 'limited')
        const at = (value: string) => filled(path, { ...mine.ids, [name]: value })
        const beyond = await asked(method, at(outside[name]), body)
        expect([403, 404], `${id} ${name}`).toContain(beyond.status)
        expect(beyond, `${id} ${name}`).toEqual(await asked(method, at(missingLike(outside[name])), body))
      }
    }
  })

  it('never answers from another account’s records, even if their ids are pinned', async () => {
    const query = `/api/v1/query/sandboxes/${mine.ids.sandbox_id}`
    const found = await mine.call('POST', `${query}/discover`, { query: `${QUESTION} periwinkle`, limit: 100 })
    expect(found.body.count).toBeGreaterThan(0)
    expect(JSON.stringify(found.body.items)).toContain('marigold')
    expect(JSON.stringify(found.body.items)).not.toContain('periwinkle')
    const { canonical_id, record_id } = theirs.ids
    const pinned = (ids: string[]) => mine.call('POST', `${query}/interpret`, { query: QUESTION, items: [ids] })
    const foreign = await pinned([canonical_id, record_id])
    const never = await pinned([missingLike(canonical_id), missingLike(record_id)])
    expect(foreign.body).toEqual({
      ...never.body,
      answer_id: foreign.body.answer_id,
      items: [[canonical_id, record_id]],
    })
    expect(foreign.body.citations).toEqual([])
    expect(JSON.stringify(foreign.body)).not.toContain('periwinkle')
    const mixed = await pinned([mine.ids.record_id, record_id])
    const cited = mixed.body.citations.map((each: { canonical_id: string }) => each.canonical_id)
    expect(cited).not.toContain(record_id)
    expect(mixed.body.brief).toContain('marigold')
    expect(mixed.body.brief).not.toContain('periwinkle')
  })

  it('lists, exports and counts only the account’s own content', async () => {
    const views = JSON.stringify(await seen(mine))
    expect(views).toContain('marigold')
    for (const foreign of ['periwinkle', theirs.userId, ...Object.values(theirs.ids)]) {
      expect(views).not.toContain(foreign)
    }
  })

  it('keeps equal names, external ids and texts of two accounts separate', async () => {
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
