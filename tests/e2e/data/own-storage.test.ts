import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { BUCKET, type ObjectStore, openObjectStore, type StoreMode } from '../../harness/object-store.ts'
import { newSandbox, onEachApp, putRecords, type TestAccount } from '../../harness/test-app.ts'

const ALL = '/api/v1/storage/sandboxes'
const SECRET = 'test-secret-that-nobody-sees'
const QUESTION = { query: 'When does Harbour launch?', reference_date: '2026-07-31' }

let store: ObjectStore
beforeAll(async () => {
  store = await openObjectStore()
})
afterAll(() => store.close())
beforeEach(() => {
  store.mode = 'good'
  store.accessKeyId = 'test-access'
})

const storageOf = (more: object = {}) => ({
  provider_type: 'custom_s3',
  bucket: BUCKET,
  region: 'us-east-1',
  endpoint: store.endpoint,
  access_key_id: 'test-access',
  secret_access_key: SECRET,
  ...more,
})

const create = ({ call }: TestAccount, storage: unknown, headers = {}) =>
  call('POST', ALL, { name: 'Theirs', owner_id: 'o1', storage }, headers)

/** Creates a source and returns the paths of the sandbox. */
const placesOf = async ({ call }: TestAccount, id: string) => {
  const storage = `${ALL}/${id}`
  const { body } = await call('POST', `${storage}/sources`, { provider: 'slack', name: 'Chat' })
  const source: string = body.data_source_id
  const records = `${storage}/sources/${source}/records`
  return { id, storage, source, records, query: `/api/v1/query/sandboxes/${id}` }
}

const note = (text: string) => ({ external_id: text, type: 'note', text })

onEachApp(
  (app) => {
    describe('an unusable bucket', () => {
      const modes: [StoreMode, string, RegExp][] = [
        ['liar', 'conditional put', /If-None-Match/],
        ['forbidden', 'put', /403 \(AccessDenied\)/],
      ]
      it.each(modes)('%s is rejected at the step “%s”, and nothing is created', async (mode, step, why) => {
        const account = await app().newAccount()
        store.mode = mode
        const refused = await create(account, storageOf())
        expect(refused.status).toBe(422)
        expect(refused.body).toMatchObject({
          error: 'validation_error',
          reason: 'storage_unfit',
          detail: expect.stringContaining(`“${step}”`),
          errors: [{ loc: ['body', 'storage'], msg: expect.stringMatching(why), type: expect.any(String) }],
        })
        expect((await account.call('GET', ALL)).body.count).toBe(0)
        store.mode = 'good'
        expect((await create(account, storageOf())).status).toBe(201)
      })

      it('a wrong key, a missing bucket and an unreachable store are rejected at the first step', async () => {
        const account = await app().newAccount()
        const refusals = [
          storageOf({ access_key_id: 'other' }),
          storageOf({ bucket: 'no-such-bucket' }),
          storageOf({ endpoint: 'http://127.0.0.1:9' }),
        ]
        for (const storage of refusals) {
          const { status, body } = await create(account, storage)
          expect([status, body.reason, body.detail.includes('“put”')]).toEqual([422, 'storage_unfit', true])
        }
        expect((await account.call('GET', ALL)).body.count).toBe(0)
      })

      it('a probe leaves nothing behind, whatever its result', async () => {
        const account = await app().newAccount()
        for (const mode of ['good', 'liar', 'whole', 'racy'] as const) {
          store.objects.clear()
          store.mode = mode
          await create(account, storageOf())
          expect([...store.objects.keys()], mode).toEqual([])
        }
      })

      it('a rejection is not stored for a repeat, because the bucket can be fixed', async () => {
        const account = await app().newAccount()
        const key = { 'idempotency-key': 'own-1' }
        store.mode = 'forbidden'
        expect((await create(account, storageOf(), key)).status).toBe(422)
        store.mode = 'good'
        const made = await create(account, storageOf(), key)
        expect(made.status).toBe(201)
        const again = await create(account, storageOf(), key)
        expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, 'true'])
        expect(again.body).toEqual(made.body)
      })
    })

    it('an endpoint that is no object store on the internet is rejected before anything is sent', async () => {
      const account = await app().newAccount()
      const before = store.requests
      const wrong = [
        'http://s3.example.com',
        'https://10.0.0.1',
        'https://169.254.169.254/latest',
        'https://[fd00:ec2::254]',
        'https://metadata.google.internal',
        'https://store',
        'https://1.1.1.1',
        'https://a:b@s3.example.com',
        'https://s3.example.com#x',
        'https://s3.example.com?x=1',
        'https://s3.example.com:22',
        'ftp://s3.example.com',
        'no url',
        '',
      ]
      for (const endpoint of wrong) {
        const { status, body } = await create(account, storageOf({ endpoint }))
        expect([status, body.errors[0].loc.at(-1)], endpoint).toEqual([422, 'endpoint'])
      }
      expect(store.requests).toBe(before)
    })

    it('each field is validated, and no error echoes what was sent', async () => {
      const account = await app().newAccount()
      const wrong: [string, unknown[]][] = [
        ['provider_type', ['platform', null, 1]],
        ['bucket', ['', 'A_B', '-x-', 'a/b', 'ab', null, 'x'.repeat(64)]],
        ['region', ['', 'us east', 'a.b', null, '../x']],
        ['prefix', ['a//b', '../a', 'a/./b', 'ü', 'a b', `x/sbx_${'0'.repeat(26)}/y`, 'x'.repeat(513)]],
        ['access_key_id', ['', null, 'a\nb', 'x'.repeat(1025)]],
        ['secret_access_key', ['', null, 'ü-secret', 5]],
      ]
      for (const [field, values] of wrong) {
        for (const value of values) {
          const { status, body } = await create(account, storageOf({ [field]: value }))
          expect([status, body.errors[0].loc.at(-1)], `${field} ${String(value)}`).toEqual([422, field])
          if (typeof value === 'string' && value.length > 3) expect(JSON.stringify(body)).not.toContain(value)
        }
      }
      expect((await create(account, null)).body.storage_provider_type).toBe('platform_s3')
    })

    it('all content of a sandbox is in its own bucket, separate from others, and is deleted with it', async () => {
      const account = await app().newAccount()
      store.objects.clear()
      const made = await create(account, storageOf({ prefix: '/knowledge/cairn/' }))
      expect(made.body).toMatchObject({
        storage_provider_type: 'custom_s3',
        storage: { bucket: BUCKET, region: 'us-east-1', endpoint: store.endpoint, prefix: 'knowledge/cairn' },
      })
      const other = await account.call('POST', ALL, { name: 'Beside', owner_id: 'o1', storage: storageOf() })
      const [one, two] = [await placesOf(account, made.body.sandbox_id), await placesOf(account, other.body.sandbox_id)]
      await putRecords(account.call, one, [note('Harbour launches on 17 August.')])
      await putRecords(account.call, two, [note('Harbour launches on 18 August.')])
      const ofOne = (key: string) => key.startsWith(`knowledge/cairn/${account.userId}/${one.id}/`)
      const ofTwo = (key: string) => key.startsWith(`${account.userId}/${two.id}/`)
      expect([...store.objects.keys()].every((key) => ofOne(key) || ofTwo(key))).toBe(true)
      const found = await account.call('POST', `${one.query}/discover`, QUESTION)
      expect(found.body.items.map((item: { summary: string }) => item.summary).join()).toContain('17 August')
      const objects = [...store.objects.keys()].filter(ofOne).length
      const { body } = await account.call('DELETE', one.storage)
      expect(body.deleted).toMatchObject({ records: 1, objects })
      expect(objects).toBeGreaterThan(2)
      expect([...store.objects.keys()].some(ofOne)).toBe(false)
      expect((await account.call('POST', `${two.query}/discover`, QUESTION)).body.count).toBe(1)
      await account.call('DELETE', two.storage)
      expect([...store.objects.keys()]).toEqual([])
    })

    it('credentials of a bucket are in no row, reply or log line', async () => {
      const account = await app().newAccount()
      const made = await create(account, storageOf(), { 'idempotency-key': 'own-2' })
      const places = await placesOf(account, made.body.sandbox_id)
      store.accessKeyId = 'another'
      await account.call('POST', places.records, { records: [note('a')] })
      expect((await create(account, storageOf())).status).toBe(422)
      await expect
        .poll(() =>
          app()
            .logged.filter((line) => line.includes(places.id))
            .join(),
        )
        .toContain('applying records in a customer bucket failed')
      const { sql } = app().cairn.app
      const rows = await sql.transact(account.userId, async (tx) => [
        ...(await tx.selectFrom('sandbox').selectAll().execute()),
        ...(await tx.selectFrom('idempotency').selectAll().execute()).map((row) => String(row.body)),
        ...(await tx.selectFrom('audit').selectAll().execute()),
      ])
      const shown = [rows, made.body, (await account.call('GET', ALL)).body, app().logged].map((each) =>
        JSON.stringify(each),
      )
      for (const text of shown) {
        expect(text).not.toContain(SECRET)
        expect(text).not.toContain('test-access')
      }
      store.accessKeyId = 'test-access'
      await account.call('DELETE', places.storage)
    })

    it('grantees of a sandbox see its kind of storage, but not its location', async () => {
      const [owner, friend] = [await app().newAccount(), await app().newAccount()]
      const { body } = await create(owner, storageOf())
      const path = `${ALL}/${body.sandbox_id}`
      await owner.call('POST', `${path}/connections`, { user_id: friend.userId, role: 'viewer' })
      const seen = (await friend.call('GET', path)).body
      expect([seen.storage_provider_type, seen.storage]).toEqual(['custom_s3', undefined])
      expect((await owner.call('GET', path)).body.storage.bucket).toBe(BUCKET)
    })

    it('an access key is replaced by one that opens the bucket, and only in a private bucket', async () => {
      const account = await app().newAccount()
      const { body } = await create(account, storageOf())
      const places = await placesOf(account, body.sandbox_id)
      await putRecords(account.call, places, [note('Harbour launches on 17 August.')])
      const access = { access_key_id: 'next-access', secret_access_key: 'next' }
      const refused = await account.call('PATCH', places.storage, { storage: access })
      expect([refused.status, refused.body.reason]).toEqual([422, 'storage_unfit'])
      store.accessKeyId = 'next-access'
      const changed = await account.call('PATCH', places.storage, { storage: access })
      expect([changed.status, changed.body.storage.bucket]).toEqual([200, BUCKET])
      await putRecords(account.call, places, [note('Harbour launches on 18 August.')])
      expect((await account.call('POST', `${places.query}/discover`, QUESTION)).body.count).toBe(2)
      const plain = await newSandbox(account.call, 'Plain')
      const none = await account.call('PATCH', plain.storage, { storage: access })
      expect([none.status, none.body.reason]).toEqual([409, 'no_own_storage'])
    })

    describe('a store that fails later', () => {
      const failing: StoreMode[] = ['forbidden', 'broken', 'short', 'silent']
      it.each(failing)('%s: its sandbox answers 503, others continue, and nothing accepted is lost', async (mode) => {
        const account = await app().newAccount()
        const made = await create(account, storageOf())
        const theirs = await placesOf(account, made.body.sandbox_id)
        const plain = await newSandbox(account.call, 'Plain')
        await putRecords(account.call, theirs, [note('Harbour launches on 17 August.')])
        store.mode = mode
        app().cairn.app.knowledge.forget({ userId: account.userId, sandboxId: theirs.id })
        const accepted = await account.call('POST', theirs.records, { records: [note('Harbour moves to May.')] })
        expect(accepted.status).toBe(202)
        const asked = Array.from({ length: 3 }, () => account.call('POST', `${theirs.query}/discover`, QUESTION))
        // While its questions wait for the store, other sandboxes ingest and answer.
        await putRecords(account.call, plain, [note('Harbour launches on 18 August.')])
        expect((await account.call('POST', `${plain.query}/discover`, QUESTION)).body.count).toBe(1)
        for (const { status, body, headers } of await Promise.all(asked)) {
          expect([status, body.error, body.reason]).toEqual([503, 'unavailable', 'storage_unavailable'])
          expect(headers['retry-after']).toBeDefined()
        }
        store.mode = 'good'
        const job = `${theirs.storage}/ingest/${accepted.body.job_id}`
        await expect.poll(async () => (await account.call('GET', job)).body.status, { interval: 500 }).toBe('completed')
        expect((await account.call('POST', `${theirs.query}/discover`, QUESTION)).body.count).toBe(2)
        await account.call('DELETE', theirs.storage)
      })

      it('a sandbox deleted meanwhile is unreachable at once, and its objects are deleted when possible', async () => {
        const account = await app().newAccount()
        store.objects.clear()
        const made = await create(account, storageOf())
        const theirs = await placesOf(account, made.body.sandbox_id)
        await putRecords(account.call, theirs, [note('Harbour launches on 17 August.')])
        store.mode = 'forbidden'
        const { status, body } = await account.call('DELETE', theirs.storage)
        expect([status, body.deleted.records, body.deleted.objects]).toEqual([200, 1, 0])
        expect((await account.call('GET', theirs.storage)).status).toBe(404)
        expect((await app().admin('DELETE', `/api/v1/admin/accounts/${account.userId}`)).status).toBe(200)
        store.mode = 'good'
        await expect.poll(() => store.objects.size, { interval: 500 }).toBe(0)
        const { sql } = app().cairn.app
        const left = () =>
          sql.transact(account.userId, async (tx) => [
            ...(await tx.selectFrom('erasure').select('id').execute()),
            ...(await tx.selectFrom('sealed_secret').select('ref').execute()),
            ...(await tx.selectFrom('data_key').select('user_id').execute()),
          ])
        await expect.poll(left, { interval: 1000 }).toEqual([])
      })
    })
  },
  { CAIRN_ALLOW_LOOPBACK: 'on' },
)
