import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { type Hook, issue, newHook, records } from '../../harness/hook.ts'
import { keyForgotten, withKey } from '../../harness/keyed.ts'
import { type Call, onEachApp } from '../../harness/test-app.ts'

const DAY_MS = 86_400_000
const ISSUES = { 'x-github-event': 'issues' }
const WORDS = 'The launch moved to the third of June.'

const RECORDS_MAX = 5
const LIMIT = { max_records: RECORDS_MAX }
const LIMITS = { free: LIMIT, pro: LIMIT, enterprise: LIMIT }

/** Returns the listed deliveries of a hook, newest first. */
async function fates(hook: Hook, call: Call = hook.account.call, query = '') {
  const { status, body } = await call('GET', `${hook.storage}/sources/${hook.sourceId}/deliveries${query}`)
  expect(status).toBe(200)
  return body
}

const shown = (body: { deliveries: Record<string, unknown>[] }) =>
  body.deliveries.map(({ fate, reason, records: count }) => [fate, reason, count])

onEachApp(
  (app) => {
    it('an unrecognized event becomes a record if it has text, else it is ignored with a reason', async () => {
      const hook = await newHook(app(), 'github')
      const said = [
        { id: 'n1', note: WORDS },
        { kind: 'deal', customer: { remark: 'They signed for two more years' }, sender: { token: 'x', login: 'ada' } },
      ]
      for (const body of said) expect((await hook.send(body)).status).toBe(204)
      for (const body of [{ a: 1 }, { ref: 'v1', repository: { description: 'All about the API of Acme' } }]) {
        expect((await hook.send(body)).status).toBe(204)
      }
      expect((await hook.send({ zen: 'Keep it', hook_id: 1 }, { 'x-github-event': 'ping' })).status).toBe(204)
      expect((await hook.send({ action: 'created' }, { 'x-github-event': 'star' })).status).toBe(204)
      const kept = await records(app(), hook, 2)
      expect(kept.map(({ text }) => text).join()).toContain(WORDS)
      expect(kept.map(({ text }) => text).join()).toContain('customer.remark: They signed for two more years')
      expect(JSON.stringify(kept)).not.toContain('sender.token')
      const body = await fates(hook)
      expect(shown(body)).toEqual([
        ['ignored', 'no_knowledge', 0],
        ['ignored', 'handshake', 0],
        ['ignored', 'unknown_event', 0],
        ['ignored', 'unknown_event', 0],
        ['written', null, 1],
        ['written', null, 1],
      ])
      expect(body.count).toBe(6)
      const [newest] = body.deliveries
      expect(newest.delivery_id).toMatch(/^dlv_/)
      expect(newest).toMatchObject({ received_at: expect.stringMatching(/Z$/), detail: expect.stringMatching(/\.$/) })
    })

    it('every product’s source stores unrecognized text', async () => {
      for (const provider of ['slack', 'linear', 'gitlab', 'jira']) {
        const hook = await newHook(app(), provider)
        const bodies = [{ text: WORDS }, { type: 'news_of_the_future', event: { type: 'future', body: WORDS } }]
        for (const body of bodies) expect((await hook.send(body)).status).toBe(204)
        const kept = await records(app(), hook, 2)
        for (const { text } of kept) expect(text, provider).toContain(WORDS)
      }
    })

    it('a delivery reports whether it changed anything, or failed and why', async () => {
      const hook = await newHook(app(), 'github')
      await hook.send(issue(1, 'Keys'), { ...ISSUES, 'webhook-id': 'one' })
      const [{ title }] = await records(app(), hook, 1)
      expect(title).toBe('Keys')
      await hook.send(issue(1, 'Keys'), { ...ISSUES, 'webhook-id': 'two' })
      expect((await hook.send(issue(1, 'Keys'), { ...ISSUES, 'webhook-id': 'two' })).status).toBe(200)
      for (let number = 2; number <= RECORDS_MAX + 1; number += 1) {
        await hook.send(issue(number, `Keys ${number}`), ISSUES)
        await records(app(), hook, Math.min(number, RECORDS_MAX))
      }
      await hook.send({ ...issue(1, 'Keys'), action: 'deleted' }, { ...ISSUES, 'webhook-id': 'three' })
      await records(app(), hook, RECORDS_MAX - 1)
      expect(shown(await fates(hook))).toEqual([
        ['written', null, 1],
        ['failed', 'quota_exceeded', 1],
        ...Array.from({ length: RECORDS_MAX - 1 }, () => ['written', null, 1]),
        ['unchanged', null, 1],
        ['written', null, 1],
      ])
    })

    it('they are listed page by page for seven days', async () => {
      const hook = await newHook(app(), 'github')
      for (let number = 0; number < 5; number += 1) await hook.send({ number }, { 'x-github-event': 'star' })
      const first = await fates(hook, undefined, '?limit=2')
      const second = await fates(hook, undefined, `?limit=3&cursor=${encodeURIComponent(first.next_cursor)}`)
      const ids = [...first.deliveries, ...second.deliveries].map(({ delivery_id }) => delivery_id)
      expect(new Set(ids).size).toBe(5)
      expect(ids).toEqual(ids.toSorted().reverse())
      expect(second.next_cursor).toBeUndefined()
      app().clock.advance(7 * DAY_MS + 1)
      expect((await fates(hook)).count).toBe(0)
    })

    it('in an encrypted sandbox they are listed without the key, wait for it, and show no content', async () => {
      const hook = await newHook(app(), 'github')
      const keyed = withKey(hook.account.call, randomBytes(32))
      const text = { text: 'The first of all.' }
      expect((await keyed('POST', `${hook.storage}/ingest`, text, { prefer: 'wait=30' })).status).toBe(200)
      await keyForgotten(app(), hook.sandboxId)
      await hook.send(issue(1, 'Keys'), ISSUES)
      await hook.send({ note: WORDS })
      const waiting = await fates(hook)
      expect(shown(waiting)).toEqual([
        ['queued', null, 1],
        ['queued', null, 1],
      ])
      expect(JSON.stringify(waiting)).not.toMatch(/Keys|launch|issue/)
      const rows = await app().cairn.app.sql.transact(hook.account.userId, (tx) =>
        tx.selectFrom('delivery').selectAll().execute(),
      )
      expect(JSON.stringify(rows)).not.toMatch(/Keys|launch|issue/)
      const asked = { query: 'When is the launch?' }
      // Each request with the key triggers processing of the waiting deliveries.
      const afterAnother = async () => {
        await keyed('POST', `${hook.storage.replace('/storage/', '/query/')}/discover`, asked)
        return shown(await fates(hook)).flat()
      }
      await expect.poll(afterAnother, { interval: 500 }).not.toContain('queued')
      expect(shown(await fates(hook))).toEqual([
        ['written', null, 1],
        ['written', null, 1],
      ])
    })

    it('a grant on one project shows only the deliveries of its sources', async () => {
      const hook = await newHook(app(), 'github')
      await hook.send({ action: 'created' }, { 'x-github-event': 'star' })
      const { call } = hook.account
      const own = (await call('POST', `${hook.storage}/projects`, { name: 'A', data_source_ids: [hook.sourceId] })).body
      const other = (await call('POST', `${hook.storage}/projects`, { name: 'B', data_source_ids: [] })).body
      for (const [project, status] of [
        [own, 200],
        [other, 404],
      ] as const) {
        const person = await app().newAccount()
        const grant = { user_id: person.userId, role: 'viewer', project_id: project.project_id }
        expect((await call('POST', `${hook.storage}/connections`, grant)).status).toBe(201)
        const seen = await person.call('GET', `${hook.storage}/sources/${hook.sourceId}/deliveries`)
        expect(seen.status).toBe(status)
      }
    })

    it('failed deliveries are listed as such, and so are those waiting when their source was purged', async () => {
      const hook = await newHook(app(), 'github')
      const keyed = withKey(hook.account.call, randomBytes(32))
      await keyed('POST', `${hook.storage}/ingest`, { text: 'The first of all.' }, { prefer: 'wait=30' })
      await keyForgotten(app(), hook.sandboxId)
      await hook.send(issue(1, 'Keys'), ISSUES)
      const { sql } = app().cairn.app
      await sql.transact(hook.account.userId, (tx) => tx.updateTable('inbox').set({ attempts: 5 }).execute())
      expect(shown(await fates(hook))).toEqual([['failed', 'not_applied', 1]])
      expect((await keyed('POST', `${hook.storage}/sources/${hook.sourceId}/purge`, {})).status).toBe(200)
      expect(shown(await fates(hook))).toEqual([['failed', 'source_purged', 1]])
    })
  },
  { CAIRN_LIMITS: JSON.stringify(LIMITS) },
)
