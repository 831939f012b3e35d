import { describe, expect, it } from 'vitest'
import { newSandbox, onEachApp, type TestApp } from '../harness/test-app.ts'

const SANDBOXES = '/api/v1/storage/sandboxes'
const DAY_MS = 24 * 60 * 60 * 1000

describe('a repeated request', () => {
  onEachApp((app: () => TestApp) => {
    const keyed = (key: string) => ({ 'idempotency-key': key })

    it('the same key and body get the first reply again, and nothing is created twice', async () => {
      const { call } = await app().newAccount()
      const body = { name: 'Once', owner_id: 'o' }
      const first = await call('POST', SANDBOXES, body, keyed('k-1'))
      const again = await call('POST', SANDBOXES, body, keyed('"k-1"'))
      expect([first.status, again.status]).toEqual([201, 201])
      expect(again.body).toEqual(first.body)
      expect(again.headers.location).toBe(first.headers.location)
      expect(first.headers['idempotent-replayed']).toBeUndefined()
      expect(again.headers['idempotent-replayed']).toBe('true')
      expect((await call('GET', SANDBOXES)).body.count).toBe(1)
    })

    it('the same key with another body is 422, and the first effect stays', async () => {
      const { call } = await app().newAccount()
      await call('POST', SANDBOXES, { name: 'One', owner_id: 'o' }, keyed('k-2'))
      const other = await call('POST', SANDBOXES, { name: 'Two', owner_id: 'o' }, keyed('k-2'))
      expect([other.status, other.body.reason]).toEqual([422, 'idempotency_key_reused'])
      expect((await call('GET', SANDBOXES)).body.count).toBe(1)
    })

    it('the same key and body with another query is 422; ignored parameters do not count', async () => {
      const { call } = await app().newAccount()
      const { storage } = await newSandbox(call)
      const register = async (name: string) =>
        (await call('POST', `${storage}/sources`, { provider: 'slack', name })).body.data_source_id
      const [one, other] = [await register('One'), await register('Other')]
      const body = { records: [{ external_id: 'r1', type: 'note', text: 'x' }] }
      const send = (query: string) => call('POST', `${storage}/import?${query}`, body, keyed('k-query'))
      const first = await send(`data_source_id=${one}`)
      expect(first.status).toBe(202)
      const again = await send(`unknown=1&data_source_id=${one}`)
      expect([again.status, again.headers['idempotent-replayed']]).toEqual([202, 'true'])
      for (const query of [`data_source_id=${other}`, `data_source_id=${one}&format=cairn`, '']) {
        const refused = await send(query)
        expect([refused.status, refused.body.reason], query).toEqual([422, 'idempotency_key_reused'])
      }
    })

    it('a path is the same in every accepted spelling', async () => {
      const { call } = await app().newAccount()
      const { id } = await newSandbox(call)
      const body = { provider: 'slack', name: 'Chat' }
      const spelled = (sandbox: string, noun: string) => `/api/v1/storage/sandboxes/${sandbox}/${noun}`
      const encoded = (text: string) => text.replace(/[a-z]/, (char) => `%${char.charCodeAt(0).toString(16)}`)
      const first = await call('POST', spelled(id, 'sources'), body, keyed('k-spelled'))
      expect(first.status).toBe(201)
      for (const path of [spelled(encoded(id), 'sources'), spelled(id, '%73ources'), spelled(id, '%73our%63es?x=1')]) {
        const again = await call('POST', path, body, keyed('k-spelled'))
        expect([again.status, again.body.data_source_id], path).toEqual([201, first.body.data_source_id])
        expect(again.headers['idempotent-replayed']).toBe('true')
      }
      for (const path of [`${spelled(id, 'sources')}/`, spelled(id, 'SOURCES')]) {
        expect([path, (await call('POST', path, body, keyed('k-spelled'))).status]).toEqual([path, 404])
      }
    })

    it('a key is scoped to one path, one credential and one tenant', async () => {
      const [{ call }, other] = await Promise.all([app().newAccount(), app().newAccount()])
      const body = { name: 'Same', owner_id: 'o' }
      await call('POST', SANDBOXES, body, keyed('k-3'))
      const theirs = await other.call('POST', SANDBOXES, body, keyed('k-3'))
      expect([theirs.status, theirs.headers['idempotent-replayed']]).toEqual([201, undefined])
      const { storage } = await newSandbox(call, 'Elsewhere')
      const elsewhere = await call('POST', `${storage}/projects`, { name: 'Same' }, keyed('k-3'))
      expect([elsewhere.status, elsewhere.headers['idempotent-replayed']]).toEqual([201, undefined])
    })

    it('20 concurrent duplicates have one effect: the others get its reply or a request to wait', async () => {
      const { call } = await app().newAccount()
      const body = { name: 'Raced', owner_id: 'o' }
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => call('POST', SANDBOXES, body, keyed('k-race'))),
      )
      const made = answers.filter(({ status, headers }) => status === 201 && !headers['idempotent-replayed'])
      expect(made).toHaveLength(1)
      for (const { status, body, headers } of answers) {
        if (status === 201) expect(body).toEqual(made[0]!.body)
        else expect([status, body.reason, headers['retry-after']]).toEqual([409, 'idempotency_key_in_use', '1'])
      }
      expect((await call('GET', SANDBOXES)).body.count).toBe(1)
    })

    it('a key expires after 24 hours', async () => {
      const { call } = await app().newAccount()
      const { storage } = await newSandbox(call)
      await call('POST', `${storage}/projects`, { name: 'Daily' }, keyed('k-day'))
      app().clock.advance(DAY_MS + 1)
      const next = await call('POST', `${storage}/projects`, { name: 'Daily' }, keyed('k-day'))
      expect([next.status, next.headers['idempotent-replayed']]).toEqual([201, undefined])
      expect((await call('GET', `${storage}/projects`)).body.count).toBe(2)
    })

    it('a key of 256 characters, or with spaces, is 400 without effect', async () => {
      const { call } = await app().newAccount()
      for (const key of ['x'.repeat(256), 'two words', 'schlüssel', '"']) {
        const { status, body } = await call('POST', SANDBOXES, { name: 'N', owner_id: 'o' }, keyed(key))
        expect([status, body.reason]).toEqual([400, 'invalid_header'])
      }
      expect((await call('GET', SANDBOXES)).body.count).toBe(0)
      expect((await call('POST', SANDBOXES, { name: 'N', owner_id: 'o' }, keyed('x'.repeat(255)))).status).toBe(201)
    })

    it('a repeated registration returns the same source without its secret', async () => {
      const { call } = await app().newAccount()
      const { storage } = await newSandbox(call)
      const body = { provider: 'slack', name: 'Live', ingestion_mode: 'realtime' }
      const first = await call('POST', `${storage}/sources`, body, keyed('k-src'))
      const again = await call('POST', `${storage}/sources`, body, keyed('k-src'))
      expect(first.body.webhook_signing_secret).toMatch(/\S{40,}/)
      expect(again.body).toEqual({ ...first.body, webhook_signing_secret: null })
      expect(again.headers['idempotent-replayed']).toBe('true')
    })

    it('a repeated API key creation never returns the key, and no stored reply contains it', async () => {
      const { call, userId } = await app().newAccount()
      const first = await call('POST', '/api/v1/api-keys', { name: 'k' }, keyed('k-key'))
      const again = await call('POST', '/api/v1/api-keys', { name: 'k' }, keyed('k-key'))
      expect(again.body).toEqual({ ...first.body, key: null })
      const rows = await app().cairn.app.sql.transact(userId, (tx) =>
        tx.selectFrom('idempotency').select('body').execute(),
      )
      expect(rows.map(({ body }) => String(body)).join()).not.toContain(first.body.key)
    })

    it('a permanent rejection is repeated; a validation error does not use up the key', async () => {
      const { call } = await app().newAccount()
      const body = { name: 'Taken', owner_id: 'o' }
      await call('POST', SANDBOXES, body)
      const refused = await call('POST', SANDBOXES, body, keyed('k-409'))
      const again = await call('POST', SANDBOXES, body, keyed('k-409'))
      expect([refused.status, again.status, again.body.reason]).toEqual([409, 409, 'duplicate_name'])
      expect(again.headers['idempotent-replayed']).toBe('true')
      await call('POST', SANDBOXES, { owner_id: 'o' }, keyed('k-422'))
      expect((await call('POST', SANDBOXES, { name: 'Right', owner_id: 'o' }, keyed('k-422'))).status).toBe(201)
    })

    it('records and texts are imported once, as JSON, as a stream, and with a wait', async () => {
      const { call } = await app().newAccount()
      const { storage, records } = await newSandbox(call)
      const record = { external_id: 'a', type: 'note', text: 'Once' }
      const ndjson = { ...keyed('k-nd'), 'content-type': 'application/x-ndjson' }
      const sends = [
        () => call('POST', records, { records: [record] }, keyed('k-json')),
        () => call('POST', records, `${JSON.stringify(record)}\n`, ndjson),
        () => call('POST', `${storage}/ingest`, { text: 'Once' }, keyed('k-text')),
      ]
      for (const send of sends) {
        const [first, again] = [await send(), await send()]
        expect(first.status).toBe(202)
        expect(again.body).toEqual(first.body)
        expect(again.headers['idempotent-replayed']).toBe('true')
      }
      const waiting = { ...keyed('k-wait'), prefer: 'wait=30' }
      const done = await call('POST', `${storage}/ingest`, { text: 'Waited for' }, waiting)
      expect(await call('POST', `${storage}/ingest`, { text: 'Waited for' }, waiting)).toMatchObject({
        status: 200,
        body: done.body,
      })
      const other = await call('POST', records, `${JSON.stringify({ ...record, text: 'Other' })}\n`, ndjson)
      expect([other.status, other.body.reason]).toEqual([422, 'idempotency_key_reused'])
    })

    it('a request of a killed process blocks its key for one minute', async () => {
      const { call, userId } = await app().newAccount()
      await call('POST', SANDBOXES, { name: 'First', owner_id: 'o' }, keyed('k-dead'))
      await app().cairn.app.sql.transact(userId, (tx) =>
        tx.updateTable('idempotency').set({ status: null, body: null, claim: 'of a dead process' }).execute(),
      )
      const send = () => call('POST', SANDBOXES, { name: 'Second', owner_id: 'o' }, keyed('k-dead'))
      expect((await send()).body.reason).toBe('idempotency_key_in_use')
      app().clock.advance(60_001)
      expect((await send()).status).toBe(201)
    })

    it('no operation stores its reply after its effect', () => {
      expect(app().logged.filter((line) => line.includes('the handler stored no response'))).toEqual([])
    })
  })
})
