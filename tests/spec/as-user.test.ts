import { type Operation, operations, takesAsUser } from '@cairnstore/contract'
import { beforeAll, expect, it } from 'vitest'
import { newId } from '../../packages/server/src/base/id.ts'
import { sampleOf } from '../harness/operation-samples.ts'
import { withToken } from '../harness/postgres-people.ts'
import { makeTenant, type OperationId, type Tenant } from '../harness/tenant.ts'
import { onEachApp, type TestAccount } from '../harness/test-app.ts'

const ALL = Object.entries(operations) as [OperationId, Operation][]
/**
 * Answers and evaluations belong to the caller who asked. An owner sees its own, in the access scope of the grantee.
 */
const OF_WHO_ASKED: readonly OperationId[] = ['listAnswers', 'getAnswer', 'listEvaluations', 'getEvaluation']
const TAKING = ALL.filter(([id, operation]) => takesAsUser(operation) && !OF_WHO_ASKED.includes(id)).map(([id]) => id)
const OTHERS = ALL.filter(
  ([, operation]) => !takesAsUser(operation) && !['public', 'sender', 'admin'].includes(operation.access),
).map(([id]) => id)
/** Only questions that the grantee itself asked have a stored answer. */
const ANSWER_ID = /,"answer_id":"\w+"/g
/** Fields that differ between two replies to the same request. */
const OF_THE_REQUEST = /"(?:request_id|execution_time_ms|next_cursor|cursor|at|freshness_seconds)":(?:"[^"]*"|[\d.]+)/g

onEachApp((app) => {
  let owner: TestAccount
  let tenant: Tenant
  let whole: TestAccount
  let limited: TestAccount
  let editor: TestAccount
  let connections: string

  beforeAll(async () => {
    owner = await app().newAccount()
    tenant = await makeTenant(owner.call, app().admin, 'viewed')
    connections = `/api/v1/storage/sandboxes/${tenant.ids.sandbox_id}/connections`
    const { project_id } = tenant.ids
    whole = await app().newAccount()
    limited = await app().newAccount()
    editor = await app().newAccount()
    await share(whole, { role: 'viewer' })
    await share(limited, { role: 'viewer', project_id })
    await share(editor, { role: 'editor' })
  })

  const share = async (account: TestAccount, how: object) => {
    const { status, body } = await owner.call('POST', connections, { user_id: account.userId, ...how })
    expect(status).toBe(201)
    return body.connection_id as string
  }
  const send = (account: TestAccount, id: OperationId, asUser?: string) => {
    const { method, url, body } = sampleOf(id, tenant.ids, 'as-user')
    const [path, query] = url.split('?')
    const given = new URLSearchParams(query)
    if (asUser !== undefined) given.append('as_user', asUser)
    return account.call(method, `${path}${given.size > 0 ? `?${given}` : ''}`, body)
  }
  const records = `/api/v1/storage/sandboxes/SANDBOX/records`
  const listed = (account: TestAccount, asUser: string) =>
    account.call('GET', `${records.replace('SANDBOX', tenant.ids.sandbox_id)}?as_user=${encodeURIComponent(asUser)}`)
  const events = async () => {
    const { body } = await owner.call('GET', `/api/v1/storage/sandboxes/${tenant.ids.sandbox_id}/audit?limit=1000`)
    return body.events as { event: string; subject_id: string; actor_user_id: string; request_id: string }[]
  }
  const readings = async () => (await events()).filter(({ event }) => event === 'sandbox.read_as')
  const shown = (body: unknown) => (JSON.stringify(body) ?? '').replace(ANSWER_ID, '').replace(OF_THE_REQUEST, '')

  it('every read returns to the owner what it returns to the grantee', async () => {
    const statuses: Record<string, number> = {}
    for (const grantee of [whole, limited, editor]) {
      for (const id of TAKING) {
        const [own, seen] = [await send(grantee, id), await send(owner, id, grantee.userId)]
        expect([seen.status, shown(seen.body)], id).toEqual([own.status, shown(own.body)])
        statuses[id] = own.status
      }
    }
    expect(Object.values(statuses).filter((status) => status === 200).length).toBeGreaterThan(20)
    expect([statuses.discover, statuses.search, statuses.listConnections]).toEqual([200, 200, 403])
  })

  it('as a project’s viewer, the owner sees only content of the project', async () => {
    const all = await owner.call('GET', records.replace('SANDBOX', tenant.ids.sandbox_id))
    const ids = (body: { records: { record_id: string }[] }) => body.records.map(({ record_id: id }) => id)
    expect(ids(all.body)).toContain(tenant.outside.record_id)
    const seen = await listed(owner, limited.userId)
    expect(ids(seen.body)).not.toContain(tenant.outside.record_id)
    expect(ids(seen.body).length).toBeGreaterThan(0)
    const one = `${records.replace('SANDBOX', tenant.ids.sandbox_id)}/${tenant.outside.record_id}`
    expect((await owner.call('GET', one)).status).toBe(200)
    expect((await owner.call('GET', `${one}?as_user=${limited.userId}`)).status).toBe(404)
  })

  it('only the owner may view as another, and only as a grantee', async () => {
    const stranger = await app().newAccount()
    const [own, before] = [owner.userId, (await readings()).length]
    for (const asking of [whole, limited, editor]) {
      for (const asked of [whole, limited, editor, owner]) expect((await listed(asking, asked.userId)).status).toBe(403)
    }
    expect((await listed(stranger, whole.userId)).status).toBe(404)
    const strange = ['nobody at all', '', '\u202e', 'x'.repeat(256)]
    for (const asked of [stranger.userId, own, newId('account', app().clock), ...strange]) {
      expect((await listed(owner, asked)).status, asked).toBe(404)
    }
    const both = `as_user=${whole.userId}&as_user=${editor.userId}`
    const twice = `${records.replace('SANDBOX', tenant.ids.sandbox_id)}?${both}`
    expect((await owner.call('GET', twice)).status).toBe(400)
    expect((await readings()).length).toBe(before)
  })

  it('a connection’s key does not act as the owner', async () => {
    const friend = await app().newAccount()
    const connection = await share(friend, { role: 'editor' })
    const { body } = await owner.call('POST', `${connections}/${connection}/api-keys`)
    const path = `${records.replace('SANDBOX', tenant.ids.sandbox_id)}?as_user=${whole.userId}`
    expect((await withToken(app(), body.plaintext_key).get(path)).status).toBe(403)
  })

  it('a revoked or expired grant shows nothing', async () => {
    const friend = await app().newAccount()
    const connection = await share(friend, { role: 'viewer' })
    expect((await listed(owner, friend.userId)).status).toBe(200)
    await owner.call('DELETE', `${connections}/${connection}`)
    expect((await listed(owner, friend.userId)).status).toBe(404)
  })

  it('only reads are possible as another user', async () => {
    const before = (await events()).map(({ request_id: id }) => id)
    for (const id of OTHERS) {
      const { status, body } = await send(owner, id, whole.userId)
      expect([status, body.error], id).toEqual([400, 'bad_request'])
    }
    expect((await events()).map(({ request_id: id }) => id)).toEqual(before)
  })

  it('the audit log has the actor and the viewed account of each request', async () => {
    const answer = await listed(owner, limited.userId)
    const [last] = await readings()
    expect(last).toMatchObject({
      actor_user_id: owner.userId,
      subject_id: limited.userId,
      request_id: answer.headers['x-request-id'],
    })
  })
})
