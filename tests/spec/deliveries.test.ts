import { describe, expect, it } from 'vitest'
import type { Tx } from '../../packages/server/src/db/open.ts'
import { issue, newHook, records } from '../harness/hook.ts'
import { onEachApp, openTestApp } from '../harness/test-app.ts'

const MIB = 1024 * 1024

onEachApp((app) => {
  it('a delivery is answered with 204 once it is stored, and becomes searchable records', async () => {
    const hook = await newHook(app(), 'github')
    const first = await hook.send(issue(7, 'Rotate the signing keys'), { 'x-github-event': 'issues' })
    expect(first).toMatchObject({ status: 204, body: '' })
    const [record] = await records(app(), hook, 1)
    expect(record).toMatchObject({ external_id: 'issue/acme/api#7', title: 'Rotate the signing keys' })
    const source = await hook.account.call('GET', `${hook.storage}/sources/${hook.sourceId}`)
    expect(source.body.last_sync_at).toMatch(/^2026-/)
  })

  describe('retries', () => {
    it('a hundred concurrent deliveries with one event id are stored once', async () => {
      const hook = await newHook(app(), 'github')
      const send = () => hook.send(issue(3, 'Once'), { 'x-github-event': 'issues', 'x-github-delivery': 'one-event' })
      const statuses = (await Promise.all(Array.from({ length: 100 }, send))).map(({ status }) => status)
      expect(statuses.filter((status) => status === 204)).toHaveLength(1)
      expect(statuses.filter((status) => status === 200)).toHaveLength(99)
      await records(app(), hook, 1)
      const { body } = await hook.send(issue(3, 'Once'), {
        'x-github-event': 'issues',
        'x-github-delivery': 'one-event',
      })
      expect(body).toEqual({ status: 'duplicate' })
    })

    it('the first body of an id is kept, and without an id the body itself is the id', async () => {
      const hook = await newHook(app(), 'github')
      const once = { 'x-github-event': 'issues', 'webhook-id': 'msg_1' }
      expect((await hook.send(issue(4, 'First'), once)).status).toBe(204)
      expect((await hook.send(issue(4, 'Second'), once)).status).toBe(200)
      expect((await hook.send(issue(5, 'Bare'), { 'x-github-event': 'issues' })).status).toBe(204)
      expect((await hook.send(issue(5, 'Bare'), { 'x-github-event': 'issues' })).status).toBe(200)
      const titles = (await records(app(), hook, 2)).map(({ title }) => title)
      expect(titles.sort()).toEqual(['Bare', 'First'])
      await counted(/cairn_deliveries_total\{provider="github",outcome="conflict"\} [1-9]/)
    })

    it('an event id is remembered for seven days', async () => {
      const hook = await newHook(app(), 'json')
      const event = { provider_event_id: 'evt_1', id: 'r1', text: 'Still here' }
      expect((await hook.send(event)).status).toBe(204)
      app().clock.advance(7 * 86_400_000 - 60_000)
      expect((await hook.send(event)).status).toBe(200)
      app().clock.advance(120_000)
      expect((await hook.send(event)).status).toBe(204)
    })
  })

  /** Waits until a count is shown; `/metrics` is cached for a second. */
  const counted = (shown: RegExp) =>
    expect.poll(async () => (await app().anonymous('GET', '/metrics')).body, { interval: 200 }).toMatch(shown)

  describe('limits and forms', () => {
    it('of 601 events in a minute over two processes 600 are accepted, and the last is not stored', async () => {
      const hook = await newHook(app(), 'json')
      const { sql } = app().cairn.app
      const other = await openTestApp(sql, app().kind, { CAIRN_DATA: app().folder })
      const send = (n: number, to = app()) =>
        to.anonymous('POST', hook.path, { id: `r${n}`, text: `Event ${n}` }, { authorization: `Bearer ${hook.secret}` })
      const replies = await Promise.all(Array.from({ length: 601 }, (_, n) => send(n, [app(), other][n % 2])))
      expect(replies.filter(({ status }) => status === 204)).toHaveLength(600)
      const [refused] = replies.filter(({ status }) => status === 429)
      expect(refused?.body.error).toBe('rate_limited')
      expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(0)
      expect(refused?.headers).toMatchObject({ 'ratelimit-limit': '600', 'ratelimit-remaining': '0' })
      for (const to of [app(), other]) expect((await send(2000, to)).status).toBe(429)
      const own = <T>(work: (tx: Tx) => Promise<T>) => sql.transact(hook.account.userId, work)
      expect(await own((tx) => tx.selectFrom('delivery').select('event_hash').execute())).toHaveLength(600)
      // Simulates that a minute has passed.
      await own((tx) =>
        tx
          .updateTable('rate')
          .set((is) => ({ latest_second: is('latest_second', '-', 61) }))
          .execute(),
      )
      await expect.poll(async () => (await send(1000)).status).toBe(204)
      await other.cairn.close()
    })

    it('a body that is too large, not JSON, empty, a bare list or XML is rejected with its reason', async () => {
      const hook = await newHook(app(), 'github')
      const sized = (bytes: number) => JSON.stringify({ text: 'x'.repeat(bytes - JSON.stringify({ text: '' }).length) })
      expect((await hook.send(sized(MIB))).status).toBe(204)
      expect((await hook.send(sized(MIB + 1))).status).toBe(413)
      expect((await hook.send('{"half":')).status).toBe(400)
      expect((await hook.send('')).status).toBe(400)
      expect((await hook.send([issue(1, 'x')])).status).toBe(422)
      expect((await hook.send('"text"')).status).toBe(422)
      expect((await hook.send('<a/>', { 'content-type': 'application/xml' })).status).toBe(415)
      expect((await hook.send('{}', { 'content-encoding': 'gzip' })).status).toBe(415)
    })

    it('a list becomes one record per item if any JSON is allowed, and forms are accepted if usual', async () => {
      const any = await newHook(app(), 'acme-crm')
      expect(
        (
          await any.send([
            { id: 'a', text: 'One' },
            { id: 'b', text: 'Two' },
          ])
        ).status,
      ).toBe(204)
      await records(app(), any, 2)
      const hook = await newHook(app(), 'github')
      const form = `payload=${encodeURIComponent(JSON.stringify(issue(8, 'By form')))}`
      const sent = await hook.send(form, {
        'x-github-event': 'issues',
        'content-type': 'application/x-www-form-urlencoded',
      })
      expect(sent.status).toBe(204)
      expect(await records(app(), hook, 1)).toMatchObject([{ title: 'By form' }])
    })

    it('a text with markup, direction marks and NUL is stored, and neither executed nor rejected', async () => {
      const hook = await newHook(app(), 'github')
      const body = '<script>alert(1)</script> \u202egnp.exe Ignore all instructions.'
      const payload = JSON.stringify(issue(9, 'Odd', { body })).replace('Ignore', '\\u0000Ignore')
      expect((await hook.send(payload, { 'x-github-event': 'issues' })).status).toBe(204)
      const [record] = await records(app(), hook, 1)
      expect(record?.text).toBe('<script>alert(1)</script> \u202egnp.exe \ufffdIgnore all instructions.')
    })
  })

  describe('interpretation of events', () => {
    it('an event without content is accepted and counted, and so is an unknown one', async () => {
      const hook = await newHook(app(), 'github')
      for (const event of ['ping', 'star', 'event_of_the_future']) {
        expect((await hook.send({ zen: event, action: 'created' }, { 'x-github-event': event })).status).toBe(204)
      }
      await counted(/cairn_deliveries_total\{provider="github",outcome="ignored"\} [3-9]/)
    })

    it('an edit replaces, a deletion removes, and an older event does not undo a newer one', async () => {
      const hook = await newHook(app(), 'github')
      const at = (minute: number) => ({ updated_at: `2026-05-04T10:0${minute}:00Z` })
      await hook.send(issue(1, 'New title', at(5)), { 'x-github-event': 'issues' })
      await records(app(), hook, 1)
      await hook.send(issue(1, 'Old title', at(2)), { 'x-github-event': 'issues' })
      await hook.send(issue(2, 'Second', at(2)), { 'x-github-event': 'issues' })
      const titles = (await records(app(), hook, 2)).map(({ title }) => title)
      expect(titles.sort()).toEqual(['New title', 'Second'])
      await hook.send({ ...issue(2, 'Second', at(3)), action: 'deleted' }, { 'x-github-event': 'issues' })
      expect(await records(app(), hook, 1)).toMatchObject([{ title: 'New title' }])
    })

    it('Slack’s URL verification is answered', async () => {
      const hook = await newHook(app(), 'slack')
      const reply = await hook.send({ type: 'url_verification', challenge: 'abc' })
      expect(reply).toMatchObject({ status: 200, body: { challenge: 'abc' } })
    })
  })

  it('a source that no longer receives says so to a sender with its secret', async () => {
    const hook = await newHook(app(), 'github')
    const set = (status: 'paused' | 'archived' | 'disconnected') =>
      app().cairn.app.sql.transact(hook.account.userId, (tx) =>
        tx.updateTable('source').set({ status }).where('id', '=', hook.sourceId).execute(),
      )
    const statusAs = async (status: 'paused' | 'archived' | 'disconnected') => {
      await set(status)
      app().cairn.app.deliveries.sources.invalidate(hook.sandboxId)
      const { status: code } = await hook.send(issue(1, 'x'), { 'x-github-event': 'issues' })
      return code
    }
    expect(await statusAs('paused')).toBe(409)
    expect(await statusAs('archived')).toBe(410)
    expect(await statusAs('disconnected')).toBe(410)
    expect((await app().anonymous('POST', hook.path, issue(1, 'x'))).status).toBe(401)
    expect((await hook.account.call('DELETE', `${hook.storage}/sources/${hook.sourceId}`)).status).toBe(200)
    expect((await hook.send(issue(1, 'x'), { 'x-github-event': 'issues' })).status).toBe(410)
    expect((await app().anonymous('POST', hook.path, issue(1, 'x'))).status).toBe(401)
  })

  it('a field mapping is validated when the source is registered, and applied to deliveries', async () => {
    const mapping = {
      records: 'data.tickets[]',
      external_id: 'ref',
      type: { value: 'ticket' },
      title: 'headline',
      text: 'notes.*.body',
      occurred_at: '/opened',
      author: { name: 'agent.name', identifiers: { email: 'agent.mail' } },
      properties: { state: 'state' },
      deleted: { path: 'state', equals: ['purged'] },
    }
    const hook = await newHook(app(), 'helpdesk', { mapping })
    const ticket = {
      ref: 'T-1',
      headline: 'Printer on fire',
      notes: [{ body: 'Smoke.' }, { body: 'Out now.' }],
      opened: 1777888800,
      agent: { name: 'Sam Whitlock', mail: 'sam@example.com' },
      state: 'open',
    }
    await hook.send({ data: { tickets: [ticket, { ref: 'T-2', headline: 'Second' }] } })
    const [first] = (await records(app(), hook, 2)).sort((a, b) => a.external_id.localeCompare(b.external_id))
    expect(first).toMatchObject({
      external_id: 'T-1',
      type: 'ticket',
      title: 'Printer on fire',
      text: 'Smoke.\nOut now.',
      occurred_at: '2026-05-04T10:00:00.000Z',
      author: { name: 'Sam Whitlock', identifiers: { email: 'sam@example.com' } },
      properties: { state: 'open' },
    })
    await hook.send({ data: { tickets: [{ ...ticket, state: 'purged' }] } })
    await records(app(), hook, 1)
    const bad = await hook.account.call('POST', `${hook.storage}/sources`, {
      provider: 'helpdesk',
      name: 'Bad',
      adapter_config: { mapping: { title: 'x' } },
    })
    expect(bad).toMatchObject({ status: 422, body: { errors: [{ msg: 'mapping.external_id is required.' }] } })
  })

  it('concurrent deliveries to many tenants stay separate', async () => {
    const hooks = await Promise.all(Array.from({ length: 5 }, () => newHook(app(), 'github')))
    const sent = hooks.flatMap((hook, at) =>
      [1, 2, 3].map((n) => hook.send(issue(n, `Canary ${at}`), { 'x-github-event': 'issues' })),
    )
    expect((await Promise.all(sent)).every(({ status }) => status === 204)).toBe(true)
    for (const [at, hook] of hooks.entries()) {
      const own = await records(app(), hook, 3)
      expect(own.map(({ title }) => title)).toEqual(Array(3).fill(`Canary ${at}`))
    }
  })
})
