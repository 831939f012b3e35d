import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { markSourceDeletions } from '../../packages/server/src/ingest/deleted-records.ts'
import { type Hook, issue, newHook, records } from '../harness/hook.ts'
import { withKey } from '../harness/keyed.ts'
import { newSandbox, onEachApp, type TestApp } from '../harness/test-app.ts'

const HOUR_S = 3_600
const SENT_S = 1_777_880_000

let events = 0
/** Sends a Slack event with a unique id. */
function sent(hook: Hook, event: object) {
  events += 1
  const envelope = { team_id: 'T1', type: 'event_callback', event_id: `Ev${events}`, event_time: SENT_S }
  return hook.send({ ...envelope, event })
}

const ts = (afterS = 0) => `${SENT_S + afterS}.000100`
const message = (text: string) => ({ type: 'message', channel: 'C1', user: 'U1', text, ts: ts(), event_ts: ts() })
const edit = (text: string) => ({
  ...{ type: 'message', subtype: 'message_changed', channel: 'C1', ts: ts(60), event_ts: ts(60) },
  message: { type: 'message', user: 'U1', text, ts: ts(), edited: { user: 'U1', ts: ts(60) } },
})
const removal = { type: 'message', subtype: 'message_deleted', channel: 'C1', deleted_ts: ts(), event_ts: ts(HOUR_S) }
const other = { ...message('The pier is open.'), ts: ts(5), event_ts: ts(5) }

async function textsOf(app: TestApp, hook: Hook, count: number): Promise<string[]> {
  return (await records(app, hook, count)).map(({ text }) => text)
}

onEachApp((app) => {
  it('a message deleted at its provider stays deleted, in any version and order of delivery', async () => {
    const first = await newHook(app(), 'slack')
    for (const event of [message('The code is 7741.'), edit('The code is 7742.'), other]) await sent(first, event)
    expect(await textsOf(app(), first, 2)).toContain('The code is 7742.')
    await sent(first, removal)
    expect(await textsOf(app(), first, 1)).toEqual(['The pier is open.'])
    for (const event of [
      message('The code is 7741.'),
      edit('The code is 7742.'),
      removal,
      message('The code is 7741.'),
    ]) {
      await sent(first, event)
      expect(await textsOf(app(), first, 1)).toEqual(['The pier is open.'])
    }
    const never = await newHook(app(), 'slack')
    await sent(never, removal)
    await records(app(), never, 0)
    for (const event of [message('The code is 7741.'), edit('The code is 7742.')]) await sent(never, event)
    await sent(never, other)
    expect(await textsOf(app(), never, 1)).toEqual(['The pier is open.'])
  })

  it('a deletion without a time counts from its receipt, and a later change is a new record', async () => {
    const hook = await newHook(app(), 'github')
    const headers = { 'x-github-event': 'issues' }
    await hook.send({ ...issue(1, 'Keys'), action: 'deleted' }, headers)
    await records(app(), hook, 0)
    await hook.send(issue(1, 'Keys'), headers)
    await hook.send(issue(2, 'Locks'), headers)
    expect((await records(app(), hook, 1)).map(({ title }) => title)).toEqual(['Locks'])
    const later = new Date(app().clock.now().getTime() + HOUR_S * 1_000).toISOString()
    await hook.send(issue(1, 'Keys', { updated_at: later }), headers)
    await records(app(), hook, 2)
    await hook.send(issue(1, 'Old keys'), headers)
    await hook.send(issue(3, 'Doors'), headers)
    expect((await records(app(), hook, 3)).map(({ title }) => title).sort()).toEqual(['Doors', 'Keys', 'Locks'])
  })

  it('a source’s deletion keeps a record out that a person deleted before', async () => {
    const hook = await newHook(app(), 'slack')
    await sent(hook, message('The code is 7741.'))
    const [{ record_id: id }] = await records(app(), hook, 1)
    expect((await hook.account.call('DELETE', `${hook.storage}/records/${id}`)).status).toBe(200)
    await sent(hook, removal)
    await sent(hook, edit('The code is 7742.'))
    await sent(hook, other)
    expect(await textsOf(app(), hook, 1)).toEqual(['The pier is open.'])
  })

  it('tombstones are encrypted with the customer-managed key, and follow a key change and deletion', async () => {
    const account = await app().newAccount()
    const [key, next] = [randomBytes(32), randomBytes(32)]
    let by = withKey(account.call, key)
    const { id: sandboxId, storage } = await newSandbox(by, 'Sealed')
    const source = { provider: 'slack', name: 'Hook', ingestion_mode: 'realtime' }
    const { body } = await by('POST', `${storage}/sources`, source)
    const authorization = `Bearer ${body.webhook_signing_secret}`
    const send = (payload: unknown, headers: Record<string, string> = {}) =>
      app().anonymous('POST', new URL(body.webhook_url).pathname, payload, { authorization, ...headers })
    const hook: Hook = {
      ...{ account: { ...account, call: (...given) => by(...given) }, sandboxId, storage, send },
      ...{ sourceId: body.data_source_id, path: '', secret: '' },
    }
    await sent(hook, removal)
    await records(app(), hook, 0)
    const change = { 'x-encryption-key': key.toString('base64'), 'x-new-encryption-key': next.toString('base64') }
    expect((await account.call('POST', `${storage}/rotate-key`, undefined, change)).status).toBe(200)
    by = withKey(account.call, next)
    await sent(hook, message('The code is 7741.'))
    await sent(hook, other)
    expect(await textsOf(app(), hook, 1)).toEqual(['The pier is open.'])
    expect(await marksOf(app(), hook)).toBe(1)
    expect((await by('DELETE', storage)).status).toBeLessThan(300)
    expect(await marksOf(app(), hook)).toBe(0)
  })

  it('the oldest tombstones of sources are dropped beyond a limit, and those of persons stay', async () => {
    const hook = await newHook(app(), 'slack')
    await sent(hook, message('The code is 7741.'))
    const [{ record_id: id }] = await records(app(), hook, 1)
    await hook.account.call('DELETE', `${hook.storage}/records/${id}`)
    const sandbox = { userId: hook.account.userId, sandboxId: hook.sandboxId }
    await app().cairn.app.sql.transact(sandbox.userId, async (tx) => {
      for (let at = 1; at <= 5; at += 1) {
        const gone = {
          recordId: `rec_${at}`,
          sourceId: hook.sourceId,
          externalId: `m${at}`,
          asOf: new Date(at).toISOString(),
        }
        await markSourceDeletions(tx, sandbox, [gone], { hash: () => at, seal: undefined, at: new Date(at), max: 3 })
      }
    })
    expect(await marksOf(app(), hook)).toBe(4)
  })
})

async function marksOf(app: TestApp, hook: Hook): Promise<number> {
  const { rows } = await app.cairn.app.sql.transact(hook.account.userId, (tx) =>
    sql<{
      count: number
    }>`select count(*)::int as count from deleted_record where sandbox_id = ${hook.sandboxId}`.execute(tx),
  )
  return rows[0]!.count
}
