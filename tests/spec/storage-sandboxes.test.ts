import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { newSandbox, onEachApp, putRecords } from '../harness/test-app.ts'

const ALL = '/api/v1/storage/sandboxes'
const FREE_FORM_BYTES = 16 * 1024
const MISSING = `sbx_${'0'.repeat(26)}`
const DATA = mkdtempSync(join(tmpdir(), 'cairn-erase-'))

/** Returns an object with this nesting depth. */
function nested(levels: number): object {
  return levels === 1 ? {} : { a: nested(levels - 1) }
}

/** Returns an object of exactly this many bytes of JSON. */
function sized(bytes: number): object {
  return { a: 'x'.repeat(bytes - '{"a":""}'.length) }
}

/** Returns a text of this many characters that an index cannot compress. */
function scattered(chars: number): string {
  const codes = Array.from({ length: chars }, (_, at) => 0x10000 + ((at * 7919 * 104_729) % 0xf0000))
  return String.fromCodePoint(...codes)
}

/** Returns the files below a folder that contain a text unencrypted. */
function filesWith(text: string, folder = DATA): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile() && readFileSync(path).includes(text))
}

const NAMES_REFUSED = ['', ' \t\n', 'x'.repeat(256), '🪨'.repeat(256), 12, null, ['x'], true]
const METADATA_REFUSED = [sized(FREE_FORM_BYTES + 1), nested(33), { a: nested(40) }, [], 'x', 5]

afterAll(() => rmSync(DATA, { recursive: true, force: true }))

onEachApp(
  (app) => {
    const account = async () => {
      const { call, userId } = await app().newAccount()
      const create = (body: object) => call('POST', ALL, { name: 'Notes', owner_id: 'o1', ...body })
      return { call, create, userId }
    }
    const idsOf = (body: { sandboxes: { sandbox_id: string }[] }) => body.sandboxes.map((each) => each.sandbox_id)

    it('creates a sandbox of the account, with the limits of its tier, and returns its location', async () => {
      const { call, create, userId } = await account()
      const readOnly = { user_id: 'acct_x', status: 'archived', sandbox_id: MISSING, access: 'viewer', unknown: 1 }
      const made = await create({ metadata: { a: [1, null, { b: 'ü' }] }, ...readOnly, is_external: true })
      expect(made.status).toBe(201)
      expect(made.body).toMatchObject({
        sandbox_id: expect.stringMatching(/^sbx_[0-9a-v]{26}$/),
        user_id: userId,
        owner_id: 'o1',
        name: 'Notes',
        tier: 'free',
        status: 'active',
        storage_provider_type: 'platform_s3',
        metadata: { a: [1, null, { b: 'ü' }] },
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        access: 'owner',
        is_external: false,
      })
      expect(made.body).not.toHaveProperty('unknown')
      expect(made.headers.location).toBe(`${ALL}/${made.body.sandbox_id}`)
      expect((await call('GET', `${ALL}/${made.body.sandbox_id}`)).body).toEqual(made.body)
      const records: Record<string, number> = { free: 100_000, pro: 10_000_000, enterprise: 16_000_000 }
      for (const tier of Object.keys(records)) {
        const { body } = await create({ name: tier, tier })
        expect(body).toMatchObject({ tier, limits: { max_records: records[tier] }, metadata: {} })
        expect(Object.keys(body.limits)).toHaveLength(7)
      }
    })

    it('accepts every field up to its limit and not beyond, and names the field', async () => {
      const { call, create } = await account()
      const refused: [string, unknown[]][] = [
        ['name', [undefined, ...NAMES_REFUSED]],
        ['owner_id', [undefined, '', 'x'.repeat(256), 12, null]],
        ['tier', ['gold', 'FREE', '', null, 1]],
        ['metadata', [null, ...METADATA_REFUSED]],
      ]
      for (const [field, values] of refused) {
        for (const value of values) {
          const { status, body } = await create({ [field]: value })
          expect(status, `${field} ${JSON.stringify(value)}`).toBe(422)
          expect(body).toMatchObject({ error: 'validation_error', errors: [{ loc: ['body', field] }] })
          expect(Object.keys(body.errors[0]).sort()).toEqual(['loc', 'msg', 'type'])
        }
      }
      const infinite = await call('POST', ALL, '{"name":"Notes","owner_id":"o","metadata":{"a":1e400}}')
      expect(infinite.status).toBe(422)
      expect((await call('GET', ALL)).body.count).toBe(0)
      const taken = [
        { name: 'x' },
        { name: 'x'.repeat(255) },
        { name: '🪨'.repeat(255) },
        { name: ' padded ' },
        { owner_id: 'y'.repeat(255) },
        { owner_id: '🪨'.repeat(255) },
        { owner_id: scattered(255), name: scattered(255) },
        { owner_id: 'not a UUID' },
        { owner_id: '7B0E4C1E-6A3F-4F0E-9A3E-2F5D8C1B9A10' },
        { owner_id: 'sized', metadata: sized(FREE_FORM_BYTES) },
        { owner_id: 'nested', metadata: nested(32) },
      ]
      for (const body of taken) {
        const made = await create(body)
        expect(made, JSON.stringify(body)).toMatchObject({ status: 201, body })
        expect((await call('GET', `${ALL}/${made.body.sandbox_id}`)).body).toEqual(made.body)
      }
    })

    it('reports all validation errors at once', async () => {
      const { call } = await account()
      const { body } = await call('POST', ALL, { name: '', tier: 'gold', metadata: [] })
      const fields = body.errors.map((each: { loc: string[] }) => each.loc.join('.')).sort()
      expect(fields).toEqual(['body.metadata', 'body.name', 'body.owner_id', 'body.tier'])
      expect(JSON.stringify(body)).not.toContain('gold')
    })

    it('keeps (owner_id, name) unique in an account, compared exactly', async () => {
      const [{ create }, other] = [await account(), await account()]
      expect((await create({ name: 'Café' })).status).toBe(201)
      const again = await create({ name: 'Café', tier: 'pro' })
      expect(again).toMatchObject({ status: 409, body: { error: 'conflict', reason: 'duplicate_name' } })
      for (const name of ['café', 'Café'.normalize('NFD'), 'Café ', ' Café']) {
        expect(await create({ name }), name).toMatchObject({ status: 201, body: { name } })
      }
      expect((await create({ name: 'Café', owner_id: 'O1' })).status).toBe(201)
      expect((await other.create({ name: 'Café' })).status).toBe(201)
    })

    it('creates one of twenty that race for a name', async () => {
      const { call, create } = await account()
      const answers = await Promise.all(Array.from({ length: 20 }, () => create({ name: 'Race' })))
      expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)])
      const refused = answers.filter(({ status }) => status === 409)
      expect(new Set(refused.map(({ body }) => body.reason))).toEqual(new Set(['duplicate_name']))
      expect((await call('GET', ALL)).body.count).toBe(1)
    })

    it('changes given fields; null and omitted keep, metadata is replaced as a whole', async () => {
      const { call, create } = await account()
      const { body: made } = await create({ metadata: { a: 1, b: { c: 2 } } })
      const path = `${ALL}/${made.sandbox_id}`
      const ignored = { tier: 'pro', user_id: 'x', owner_id: 'o2', status: 'archived', created_at: null }
      for (const change of [{}, { name: null }, { metadata: null }, { name: null, metadata: null }, ignored]) {
        expect(await call('PATCH', path, change)).toMatchObject({ status: 200, body: made })
      }
      expect((await call('PATCH', path, { name: 'New' })).body).toEqual({ ...made, name: 'New' })
      const replaced = await call('PATCH', path, { metadata: { b: {} } })
      expect(replaced.body).toEqual({ ...made, name: 'New', metadata: { b: {} } })
      expect((await call('PATCH', path, { metadata: {} })).body.metadata).toEqual({})
      expect((await call('GET', path)).body).toEqual({ ...made, name: 'New', metadata: {} })
    })

    it('applies the limits of a create to a change, and changes nothing on an error', async () => {
      const { call, create } = await account()
      const { body: made } = await create({ metadata: { kept: true } })
      await create({ name: 'Taken' })
      const path = `${ALL}/${made.sandbox_id}`
      for (const name of NAMES_REFUSED.filter((each) => each !== null)) {
        const { status, body } = await call('PATCH', path, { name, metadata: {} })
        expect([status, body.errors?.[0].loc], String(name)).toEqual([422, ['body', 'name']])
      }
      for (const metadata of METADATA_REFUSED) {
        const { status, body } = await call('PATCH', path, { name: 'Other', metadata })
        expect([status, body.errors?.[0].loc]).toEqual([422, ['body', 'metadata']])
      }
      const renamed = await call('PATCH', path, { name: 'Taken', metadata: {} })
      expect(renamed).toMatchObject({ status: 409, body: { reason: 'duplicate_name' } })
      expect((await call('GET', path)).body).toEqual(made)
      expect((await call('PATCH', path, { name: made.name })).status).toBe(200)
    })

    it('answers two concurrent changes with 200, and ends as one of them', async () => {
      const { call, create } = await account()
      const path = `${ALL}/${(await create({})).body.sandbox_id}`
      const changes = ['A', 'B'].map((name) => ({ name, metadata: { name } }))
      const answers = await Promise.all(changes.map((change) => call('PATCH', path, change)))
      expect(answers.map(({ status }) => status)).toEqual([200, 200])
      const { name, metadata } = (await call('GET', path)).body
      expect(changes).toContainEqual({ name, metadata })
    })

    it('lists newest first, filtered, in pages without gaps or duplicates', async () => {
      const [{ call, create }, other] = [await account(), await account()]
      const ids: string[] = []
      for (let at = 0; at < 5; at += 1) ids.unshift((await create({ name: `N${at}` })).body.sandbox_id)
      const apart = (await create({ name: 'Apart', owner_id: 'o2' })).body.sandbox_id
      await other.create({ name: 'Foreign' })
      expect(idsOf((await call('GET', ALL)).body)).toEqual([apart, ...ids])
      expect(idsOf((await call('GET', `${ALL}?owner_id=o1&status=active`)).body)).toEqual(ids)
      expect(idsOf((await call('GET', `${ALL}?owner_id=o2&no_such_key=1`)).body)).toEqual([apart])
      expect((await call('GET', `${ALL}?status=suspended`)).body).toEqual({ sandboxes: [], count: 0 })
      expect((await call('GET', `${ALL}?owner_id=O1`)).body).toEqual({ sandboxes: [], count: 0 })
      const seen: string[] = []
      const sizes: number[] = []
      let next: string | undefined
      do {
        const cursor = next === undefined ? '' : `&cursor=${next}`
        const { body } = await call('GET', `${ALL}?owner_id=o1&limit=2${cursor}`)
        expect(body.count).toBe(body.sandboxes.length)
        sizes.push(body.count)
        seen.push(...idsOf(body))
        next = body.next_cursor
        // A sandbox created during paging is newer than the page, so it does not shift the pages.
        await create({ name: `Later ${sizes.length}` })
      } while (next !== undefined)
      expect(seen).toEqual(ids)
      expect(sizes).toEqual([2, 2, 1])
    })

    it('rejects invalid filters with 422 and foreign cursors with 400', async () => {
      const [{ call, create }, other] = [await account(), await account()]
      for (const name of ['A', 'B', 'C']) await create({ name })
      await other.create({ owner_id: 'theirs' })
      expect((await call('GET', `${ALL}?owner_id=theirs`)).body.count).toBe(0)
      const { next_cursor: cursor } = (await call('GET', `${ALL}?limit=1`)).body
      const limits = ['0', '-1', '1001', '1e3', 'abc', '', '1.5', '%201'].map((limit) => `limit=${limit}`)
      for (const query of [...limits, 'status=bogus', 'status=active&status=active', 'owner_id=', 'limit=1&limit=2']) {
        const refused = await call('GET', `${ALL}?${query}`)
        expect(refused, query).toMatchObject({
          status: 422,
          body: { errors: [{ loc: ['query', query.split('=')[0]] }] },
        })
      }
      const flipped = `${cursor.slice(0, -1)}${cursor.endsWith('A') ? 'B' : 'A'}`
      const { body: page } = await other.call('GET', `${ALL}?cursor=${cursor}`)
      expect(page).toMatchObject({ error: 'bad_request', reason: 'invalid_cursor' })
      for (const query of ['cursor=abc', 'cursor=', `cursor=${flipped}`, `owner_id=o1&cursor=${cursor}`]) {
        const refused = await call('GET', `${ALL}?${query}`)
        expect(refused, query).toMatchObject({ status: 400, body: { reason: 'invalid_cursor' } })
      }
      expect((await call('GET', `${ALL}?limit=1000&cursor=${cursor}`)).body.count).toBe(2)
    })

    it('deletes a sandbox with all its content: no path leads to it and no file contains a byte of it', async () => {
      const { call, userId } = await app().newAccount()
      const [doomed, kept] = [await newSandbox(call, 'Doomed'), await newSandbox(call, 'Kept')]
      const canary = `zyx${doomed.id.slice(-12)}wv`
      const record = { external_id: '1', type: 'message', text: `The word is ${canary}.`, author: `Ann ${canary}` }
      const job = await putRecords(call, doomed, [record])
      await putRecords(call, kept, [{ external_id: '1', type: 'message', text: `Kept ${userId}` }])
      await call('POST', `${doomed.storage}/projects`, { name: 'P', data_source_ids: [doomed.source] })
      expect(filesWith(canary)).not.toEqual([])
      const deleted = await call('DELETE', doomed.storage)
      expect(deleted).toMatchObject({ status: 200, body: { success: true, message: expect.any(String) } })
      expect(deleted.body.deleted).toMatchObject({ records: 1, entities: 1, sql: expect.any(Number) })
      expect(Object.keys(deleted.body.deleted).sort()).toEqual(['entities', 'links', 'objects', 'records', 'sql'])
      expect(filesWith(canary)).toEqual([])
      for (const path of ['', '/sources', `/sources/${doomed.source}`, '/projects', '/entities', '/export']) {
        expect((await call('GET', `${doomed.storage}${path}`)).status, path).toBe(404)
      }
      expect((await call('GET', `${doomed.storage}/ingest/${job.job_id}`)).status).toBe(404)
      expect((await call('POST', `${doomed.query}/discover`, { query: canary })).status).toBe(404)
      expect((await call('DELETE', doomed.storage)).status).toBe(404)
      expect(idsOf((await call('GET', ALL)).body)).toEqual([kept.id])
      const reborn = await newSandbox(call, 'Doomed')
      const found = await call('POST', `${reborn.query}/discover`, { query: canary })
      expect(found.body).toMatchObject({ items: [], count: 0 })
      expect(filesWith(userId).length).toBeGreaterThan(0)
      expect((await call('POST', `${kept.query}/discover`, { query: userId })).body.count).toBe(1)
    })

    it('deletes a sandbox in use: every running request gets a reply, and nothing comes back', async () => {
      const { call } = await app().newAccount()
      const { id, storage, source, records, query } = await newSandbox(call, 'Busy')
      const canary = `qxz${id.slice(-12)}zq`
      const record = (at: number) => ({ external_id: String(at), type: 'note', text: `${canary} ${at}` })
      const answers = await Promise.all([
        ...[1, 2, 3].map((at) => call('POST', records, { records: [record(at)] }, { prefer: 'wait=1' })),
        call('DELETE', storage),
        call('POST', `${query}/discover`, { query: canary }),
        call('DELETE', storage),
        call('POST', `${storage}/projects`, { name: 'P', data_source_ids: [source] }),
        call('POST', `${storage}/sources`, { provider: 'slack', name: 'Late' }),
        call('PATCH', storage, { name: 'Late' }),
        ...[4, 5, 6].map((at) => call('POST', records, { records: [record(at)] })),
      ])
      const statuses = answers.map(({ status }) => status)
      expect(statuses.filter((status) => ![200, 201, 202, 404].includes(status))).toEqual([])
      expect([statuses[3], statuses[5]].sort()).toEqual([200, 404])
      expect((await call('GET', storage)).status).toBe(404)
      await expect.poll(() => filesWith(canary)).toEqual([])
      expect(app().logged.filter((line) => line.includes('"level":"error"'))).toEqual([])
    })
  },
  { CAIRN_DATA: DATA },
)
