import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { everyRowOf } from '../../harness/canary.ts'
import { withKey } from '../../harness/keyed.ts'
import {
  type Call,
  newSandbox,
  onEachApp,
  putRecords,
  type TestAccount,
  type TestSandbox,
} from '../../harness/test-app.ts'
import { openWebhookReceiver, type Received, type WebhookReceiver } from '../../harness/webhook-receiver.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const SOON = { interval: 10 }

const note = (id: string, more: object = {}) => ({ external_id: id, type: 'note', title: `Note ${id}`, ...more })
const idOf = ({ headers }: Received) => headers['webhook-id']
const titlesOf = ({ body }: Received) => body.data.changes.map(({ title }: { title?: string }) => title)

onEachApp(
  (app) => {
    let account: TestAccount
    let call: Call
    let receiver: WebhookReceiver
    beforeAll(async () => {
      account = await app().newAccount()
      call = account.call
      receiver = await openWebhookReceiver()
    })
    afterAll(() => receiver.close())

    const events = ['record.added', 'record.changed', 'record.removed']
    /** Creates a sandbox with its own webhook at the receiver. */
    const start = async (more: object = {}, by = call) => {
      const sandbox = await newSandbox(by, `Sandbox ${randomBytes(4).toString('hex')}`)
      const path = `/${sandbox.id}`
      const made = await by('POST', `${sandbox.storage}/webhooks`, { url: `${receiver.url}${path}`, events, ...more })
      expect(made.status, JSON.stringify(made.body)).toBe(201)
      const one = `${sandbox.storage}/webhooks/${made.body.webhook_id}`
      const show = async () => (await by('GET', `${sandbox.storage}/webhooks`)).body.webhooks[0]
      const sent = () => receiver.received.filter((each) => each.path === path)
      return { sandbox, one, show, sent, made: made.body, secret: made.body.signing_secret as string }
    }
    const put = async (sandbox: TestSandbox, ...records: unknown[]) => {
      await putRecords(call, sandbox, records)
      app().cairn.app.deliverer.wake()
    }
    const pass = (ms: number) => {
      app().clock.advance(ms)
      app().cairn.app.deliverer.wake()
    }
    /** Verifies the message's signature with this secret and its age of at most five minutes. */
    const verify = (secret: string, { payload, headers }: Received) => {
      vi.setSystemTime(app().clock.now())
      try {
        return new Webhook(secret).verify(payload, headers as Record<string, string>)
      } finally {
        vi.useRealTimers()
      }
    }
    const statuses = new Map<string, number>()
    const answerAt = ({ id }: TestSandbox, status: number) => {
      statuses.set(`/${id}`, status)
      receiver.answer = ({ path }) => ({ status: statuses.get(path) ?? 204 })
    }

    it('changes after the registration are sent in order with Standard Webhooks signatures', async () => {
      const { sandbox, sent, secret, show } = await start()
      await put(sandbox, note('one', { url: 'https://n.example/1' }), note('two', { author: 'Ana Lima' }))
      await expect.poll(() => sent().flatMap(titlesOf), SOON).toEqual(['Note one', 'Note two'])
      const [first] = sent()
      expect(verify(secret, first!)).toEqual(first?.body)
      expect(() => verify(`whsec_${randomBytes(32).toString('base64')}`, first!)).toThrow()
      expect(first?.body).toMatchObject({
        type: 'sandbox.changed',
        data: { sandbox_id: sandbox.id, missed: false, changes: [{ change: 'added', url: 'https://n.example/1' }, {}] },
      })
      await put(sandbox, note('one', { text: 'Anew.' }), { external_id: 'two', type: 'note', deleted: true })
      await expect.poll(() => sent(), SOON).toHaveLength(2)
      expect(sent()[1]?.body.data.changes).toMatchObject([{ change: 'changed' }, { change: 'removed' }])
      await expect.poll(show, SOON).toMatchObject({ status: 'active', failures: 0 })
      const late = await call('POST', `${sandbox.storage}/webhooks`, { url: `${receiver.url}/late-${sandbox.id}` })
      await put(sandbox, note('three'))
      const ofLate = () => receiver.received.filter(({ path }) => path === `/late-${sandbox.id}`)
      await expect.poll(() => ofLate().flatMap(titlesOf), SOON).toEqual(['Note three'])
      expect(late.body.events).toHaveLength(7)
    })

    it('a message contains at most a hundred changes, and all arrive once', async () => {
      const { sandbox, sent } = await start()
      const many = Array.from({ length: 230 }, (_, at) => note(`n${at}`, { title: `Note ${at} ${'x'.repeat(999)}` }))
      await put(sandbox, ...many)
      await expect.poll(() => sent().flatMap(titlesOf), SOON).toHaveLength(230)
      expect(sent().map((each) => each.body.data.changes.length)).toEqual([100, 100, 30])
      const ids = sent().flatMap(({ body }) => body.data.changes.map(({ id }: { id: string }) => id))
      expect(new Set(ids).size).toBe(230)
      for (const title of sent().flatMap(titlesOf)) expect(title.length).toBeLessThan(300)
    })

    it('a message without a 2xx reply is sent again with the same id before any later one', async () => {
      const { sandbox, sent, show, one } = await start()
      answerAt(sandbox, 500)
      await put(sandbox, note('a'))
      await expect.poll(show, SOON).toMatchObject({ failures: 1, last_error: 'refused' })
      await put(sandbox, note('b'))
      pass(1_000)
      expect((await show()).next_attempt_at > app().clock.now().toISOString()).toBe(true)
      expect(sent()).toHaveLength(1)
      answerAt(sandbox, 200)
      pass(HOUR_MS)
      await expect.poll(() => sent(), SOON).toHaveLength(3)
      expect(sent().map(titlesOf)).toEqual([['Note a'], ['Note a'], ['Note b']])
      const [first, again, next] = sent().map(idOf)
      expect(again).toBe(first)
      expect(next).not.toBe(first)
      const listed = async () => (await call('GET', `${one}/deliveries`)).body.deliveries
      await expect.poll(listed, SOON).toHaveLength(3)
      expect(
        (await listed()).map((each: { outcome: string; status_code: number }) => [each.outcome, each.status_code]),
      ).toEqual([
        ['delivered', 200],
        ['delivered', 200],
        ['failed', 500],
      ])
      const pages = [(await call('GET', `${one}/deliveries?limit=2`)).body]
      pages.push((await call('GET', `${one}/deliveries?limit=2&cursor=${pages[0].next_cursor}`)).body)
      expect(pages.flatMap((page) => page.deliveries)).toEqual(await listed())
    })

    it('an endpoint that replies 410 or fails for five days is disabled, and continues from there later', async () => {
      const gone = await start()
      answerAt(gone.sandbox, 410)
      await put(gone.sandbox, note('g'))
      await expect.poll(async () => await gone.show(), SOON).toMatchObject({ status: 'disabled' })
      expect(await gone.show()).toMatchObject({ disabled_reason: 'gone', next_attempt_at: null })
      const failing = await start()
      answerAt(failing.sandbox, 503)
      await put(failing.sandbox, note('f'))
      for (let attempt = 1; attempt <= 20; attempt += 1) {
        await expect.poll(async () => await failing.show(), SOON).toMatchObject({ failures: attempt })
        expect((await failing.show()).status).toBe(attempt < 20 ? 'active' : 'disabled')
        pass(DAY_MS / 3)
      }
      expect(await failing.show()).toMatchObject({ disabled_reason: 'failing', last_error: 'refused' })
      const audit = (await call('GET', `${failing.sandbox.storage}/audit`)).body.events
      expect(audit[0]).toMatchObject({ event: 'webhook.disabled', subject_id: failing.made.webhook_id })
      for (const { sandbox, one, sent, show } of [gone, failing]) {
        answerAt(sandbox, 204)
        const before = sent().length
        await put(sandbox, note('later'))
        pass(DAY_MS)
        expect(sent()).toHaveLength(before)
        expect((await call('PATCH', one, { status: 'active' })).body).toMatchObject({ failures: 0, status: 'active' })
        await expect.poll(() => sent(), SOON).toHaveLength(before + 2)
        expect(idOf(sent()[before]!)).toBe(idOf(sent()[0]!))
        expect(titlesOf(sent()[before + 1]!)).toEqual(['Note later'])
        await expect.poll(show, SOON).toMatchObject({ disabled_reason: null, failures: 0 })
      }
    })

    it('a secret is shown once, and after a rotation both sign until the grace period ends', async () => {
      const { sandbox, one, sent, secret, show } = await start()
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
      expect(await show()).not.toHaveProperty('signing_secret')
      expect(await everyRowOf(app().cairn.app.sql, account.userId)).not.toContain(secret.slice('whsec_'.length))
      const rotated = await call('POST', `${one}/rotate-secret`, { grace_seconds: 3600 }, { 'idempotency-key': one })
      const fresh = rotated.body.signing_secret
      await put(sandbox, note('r1'))
      await expect.poll(() => sent(), SOON).toHaveLength(1)
      for (const each of [secret, fresh]) expect(verify(each, sent()[0]!)).toBeTruthy()
      const repeat = await call('POST', `${one}/rotate-secret`, { grace_seconds: 3600 }, { 'idempotency-key': one })
      expect(repeat.body.signing_secret).toBeNull()
      app().clock.advance(HOUR_MS)
      await put(sandbox, note('r2'))
      await expect.poll(() => sent(), SOON).toHaveLength(2)
      expect(verify(fresh, sent()[1]!)).toBeTruthy()
      expect(() => verify(secret, sent()[1]!)).toThrow()
      const test = (await call('POST', `${one}/test`)).body
      expect(test).toMatchObject({ outcome: 'delivered', status_code: 204, changes: 0 })
      expect(sent().at(-1)).toMatchObject({
        body: { type: 'webhook.test' },
        headers: { 'webhook-id': test.message_id },
      })
      expect(verify(fresh, sent().at(-1)!)).toBeTruthy()
    })

    it('a private address, another scheme or port, and a redirect are not followed', async () => {
      const { sandbox, one, sent, show } = await start()
      const refused = [
        'https://10.0.0.1/',
        'https://169.254.169.254/latest',
        'https://db.internal/',
        'https://[fd00::1]/',
      ]
      for (const url of [
        ...refused,
        'ftp://hooks.example.com/',
        'https://hooks.example.com:22/',
        'https://u:p@a.example/',
        ...['\r\nx: y', '\t', ' ', '\u0085'].map((each) => `https://hooks.example.com/a${each}b`),
        '//x',
      ])
        for (const [method, path] of [
          ['POST', `${sandbox.storage}/webhooks`],
          ['PATCH', one],
        ] as const) {
          const { status, body } = await call(method, path, { url })
          expect([status, body.reason, body.errors?.[0]?.loc], `${method} ${url}`).toEqual([
            422,
            'not_deliverable',
            ['body', 'url'],
          ])
        }
      const elsewhere = await openWebhookReceiver()
      receiver.answer = () => ({ status: 302, headers: { location: `${elsewhere.url}/` } })
      await put(sandbox, note('moved'))
      await expect.poll(show, SOON).toMatchObject({ last_error: 'redirected' })
      expect([sent().length, elsewhere.received.length]).toEqual([1, 0])
      await elsewhere.close()
      receiver.answer = () => ({ status: 204 })
    })

    it('an endpoint that does not reply delays no other', async () => {
      const other = await app().newAccount()
      let letGo = () => {}
      const held = new Promise<void>((resolve) => {
        letGo = resolve
      })
      const slow = [await start(), await start(), await start()]
      const quick = await start({}, other.call)
      const isSlow = (path: string) => slow.some(({ sandbox }) => path === `/${sandbox.id}`)
      receiver.answer = ({ path }) => ({ status: 204, ...(isSlow(path) && { before: held }) })
      for (const { sandbox } of slow) await put(sandbox, note('slow'))
      await expect.poll(() => slow.filter(({ sent }) => sent().length === 1), SOON).toHaveLength(2)
      await putRecords(other.call, quick.sandbox, [note('quick')])
      app().cairn.app.deliverer.wake()
      await expect.poll(() => quick.sent(), SOON).toHaveLength(1)
      expect(slow.filter(({ sent }) => sent().length > 0)).toHaveLength(2)
      letGo()
      await expect.poll(() => slow.filter(({ sent }) => sent().length === 1), SOON).toHaveLength(3)
      receiver.answer = () => ({ status: 204 })
    })

    it('a paused endpoint gets nothing until it is resumed; a deleted one loses its secret', async () => {
      const { sandbox, one, sent, made } = await start()
      await call('PATCH', one, { status: 'paused' })
      await put(sandbox, note('p'))
      expect((await call('PATCH', one, { events: ['record.removed'], status: 'active' })).body.events).toEqual([
        'record.removed',
      ])
      await put(sandbox, { external_id: 'p', type: 'note', deleted: true })
      await expect.poll(() => sent(), SOON).toHaveLength(1)
      expect(sent()[0]?.body.data.changes).toMatchObject([{ change: 'removed' }])
      const rows = () => everyRowOf(app().cairn.app.sql, account.userId)
      expect(await rows()).toContain(`webhook/${made.webhook_id}`)
      expect((await call('DELETE', one)).body.success).toBe(true)
      for (const again of [await call('DELETE', one), await call('PATCH', one, {}), await call('POST', `${one}/test`)])
        expect(again.status).toBe(404)
      await put(sandbox, note('q'))
      expect(await rows()).not.toContain(`webhook/${made.webhook_id}`)
      const other = await start()
      expect((await call('DELETE', other.sandbox.storage)).status).toBe(200)
      expect(await rows()).not.toContain(`webhook/${other.made.webhook_id}`)
      expect(sent()).toHaveLength(1)
    })

    it('with a customer-managed key a message contains ids but no encrypted content', async () => {
      const keyed = withKey(call, randomBytes(32))
      const { sandbox, sent } = await start({ events: [...events, 'entity.added'] })
      const record = note('sealed', { title: 'Nightjar', text: 'Nightjar is late.', author: 'Ana Nightjar' })
      await putRecords(keyed, sandbox, [record])
      await expect.poll(() => sent(), SOON).toHaveLength(1)
      expect(sent()[0]?.payload).not.toMatch(/nightjar|note|person/i)
      expect(sent()[0]?.body.data.changes).toMatchObject([{ change: 'added', kind: 'record' }, { kind: 'entity' }])
    })

    it('a sandbox has at most ten endpoints, and a repeated request creates no second one', async () => {
      const sandbox = await newSandbox(call, 'Ten')
      const make = (n: number) =>
        call(
          'POST',
          `${sandbox.storage}/webhooks`,
          { url: `https://h.invalid/${n}` },
          { 'idempotency-key': `hook-${n}` },
        )
      const made = (await make(0)).body
      expect((await make(0)).body).toEqual({ ...made, signing_secret: null })
      for (let n = 1; n < 10; n += 1) expect((await make(n)).status).toBe(201)
      expect(await make(10)).toMatchObject({ status: 403, body: { error: 'quota_exceeded' } })
      expect((await call('GET', `${sandbox.storage}/webhooks?limit=4`)).body).toMatchObject({ count: 4 })
    })
  },
  { CAIRN_ALLOW_LOOPBACK: 'on' },
)
