import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { withKey } from '../../harness/keyed.ts'
import { type Answer, type Call, newSandbox, onEachApp, putRecords, type TestSandbox } from '../../harness/test-app.ts'

interface Suggestion {
  suggestion_id: string
  state: string
  entities: { canonical_id: string; name: string }[]
  likelihood: number
}

const mail = (id: string, name: string, email: string) => ({
  external_id: id,
  type: 'message',
  text: `The report of ${id}.`,
  author: { name, identifiers: { email } },
})
/** A person with a rare surname, and an initial that may denote the same person. */
const QUIROGAS = [mail('m1', 'Tuuli Quiroga', 'tuuli@corvid.io'), mail('m2', 'T. Quiroga', 'tq7@gmail.com')]
const ORLOVAS = [mail('m3', 'Bram Orlovasky', 'bram@corvid.io'), mail('m4', 'B. Orlovasky', 'bo9@gmail.com')]
const NDJSON = { 'content-type': 'application/x-ndjson', prefer: 'wait=30' }

onEachApp((app) => {
  const list = async (call: Call, { storage }: TestSandbox, more = ''): Promise<Suggestion[]> =>
    (await call('GET', `${storage}/merge-suggestions${more}`)).body.merge_suggestions
  const settled = async (call: Call, { storage }: TestSandbox) => {
    const resolution = async () => (await call('GET', `${storage}/entities?limit=1`)).body.resolution
    await expect.poll(resolution).toBe('settled')
  }
  const decide = (call: Call, { storage }: TestSandbox, verb: string, { suggestion_id: id }: Suggestion) =>
    call('POST', `${storage}/merge-suggestions/${id}/${verb}`)
  const entity = async (call: Call, { storage }: TestSandbox, id?: string): Promise<Answer['body']> =>
    (await call('GET', `${storage}/entities/${id}`)).body
  const start = async (records: object[] = QUIROGAS) => {
    const { call, userId } = await app().newAccount()
    const sandbox = await newSandbox(call)
    await putRecords(call, sandbox, records)
    await settled(call, sandbox)
    return { call, userId, sandbox }
  }
  /** Triggers record linkage again and waits for it. */
  const compareAgain = async (call: Call, sandbox: TestSandbox, id: string) => {
    await putRecords(call, sandbox, [mail(id, 'Alma Nkosi', `alma-${id}@corvid.io`)])
    await settled(call, sandbox)
  }

  it('a possible duplicate is suggested with likelihood and reason, and can be merged and undone', async () => {
    const { call, sandbox } = await start([...QUIROGAS, ...ORLOVAS])
    const open = await list(call, sandbox)
    expect(open.map(({ entities }) => entities.map(({ name }) => name).sort())).toEqual(
      expect.arrayContaining([
        ['T. Quiroga', 'Tuuli Quiroga'],
        ['B. Orlovasky', 'Bram Orlovasky'],
      ]),
    )
    const [first, second] = open as [Suggestion, Suggestion]
    expect(first).toMatchObject({ state: 'open', decided_by: null, merge_id: null, reason: expect.stringMatching(/./) })
    expect(first).toHaveProperty('evidence.agree')
    for (const { likelihood } of open) {
      expect(likelihood).toBeGreaterThan(0.3)
      expect(likelihood).toBeLessThan(0.95)
    }
    expect(await list(call, sandbox, '?min_likelihood=0.99')).toEqual([])
    expect((await call('GET', `${sandbox.storage}/merge-suggestions?state=maybe`)).status).toBe(422)
    const page = (await call('GET', `${sandbox.storage}/merge-suggestions?limit=1`)).body
    expect(page).toMatchObject({ count: 1, merge_suggestions: [first] })
    expect(await list(call, sandbox, `?limit=1&cursor=${page.next_cursor}`)).toEqual([second])

    const accepted = await decide(call, sandbox, 'accept', first)
    const ids = first.entities.map(({ canonical_id: id }) => id)
    expect(accepted).toMatchObject({ status: 200, body: { state: 'accepted', canonical_id: ids[0] } })
    const { merge_id: mergeId } = accepted.body
    expect(await entity(call, sandbox, ids[1])).toMatchObject({
      canonical_id: ids[0],
      merge_history: [{ merge_id: mergeId, kind: 'person' }],
    })
    expect((await decide(call, sandbox, 'accept', first)).body).toMatchObject({ state: 'accepted', merge_id: null })
    expect((await decide(call, sandbox, 'dismiss', first)).status).toBe(409)
    expect(await list(call, sandbox, '?state=accepted')).toMatchObject([{ merge_id: mergeId, entities: [{}] }])
    expect(await list(call, sandbox)).toEqual([second])

    expect((await call('POST', `${sandbox.storage}/entities/${ids[0]}/merges/${mergeId}/undo`)).status).toBe(200)
    await compareAgain(call, sandbox, 'm9')
    expect((await list(call, sandbox)).map(({ suggestion_id: id }) => id)).toEqual([second.suggestion_id])
    expect(await list(call, sandbox, '?state=dismissed')).toMatchObject([{ suggestion_id: first.suggestion_id }])
  })

  it('a dismissed pair stays separate, also after an export and import, until a person merges it', async () => {
    const { call, sandbox } = await start()
    const [suggestion] = (await list(call, sandbox)) as [Suggestion]
    expect((await decide(call, sandbox, 'dismiss', suggestion)).body).toMatchObject({ state: 'dismissed' })
    expect((await decide(call, sandbox, 'dismiss', suggestion)).status).toBe(200)
    await compareAgain(call, sandbox, 'm9')
    expect(await list(call, sandbox)).toEqual([])
    const lines = String((await call('GET', `${sandbox.storage}/export`)).body)
    expect(lines).toContain('"kind":"decision","are":"two"')
    const away = await newSandbox(call, 'Away')
    expect((await call('POST', `${away.storage}/import`, lines, NDJSON)).status).toBe(200)
    await settled(call, away)
    expect(await list(call, away)).toEqual([])
    expect((await decide(call, sandbox, 'accept', suggestion)).body).toMatchObject({ state: 'accepted' })
  })

  it('is deleted when no evidence supports it any more', async () => {
    const { call, sandbox } = await start([...QUIROGAS, ...ORLOVAS])
    const gone = (await list(call, sandbox)).find(({ entities }) => entities[0]?.name.endsWith('Quiroga'))
    const { body } = await call('GET', `${sandbox.storage}/records`)
    const record = body.records.find(({ external_id: id }: { external_id: string }) => id === 'm2')
    expect((await call('DELETE', `${sandbox.storage}/records/${record.record_id}`)).status).toBe(200)
    expect(await list(call, sandbox)).toHaveLength(1)
    expect((await decide(call, sandbox, 'accept', gone as Suggestion)).status).toBe(404)
    await putRecords(call, sandbox, [mail('m4', 'Alma Nkosi', 'alma@corvid.io')])
    await settled(call, sandbox)
    expect(await list(call, sandbox)).toEqual([])
  })

  it('a project lists only suggestions within it, and a limited caller decides nothing', async () => {
    const { call, sandbox } = await start()
    const { body: project } = await call('POST', `${sandbox.storage}/projects`, {
      name: 'Chat',
      data_source_ids: [sandbox.source],
    })
    const within = `?project_id=${project.project_id}`
    const grantee = await app().newAccount()
    const grant = { user_id: grantee.userId, role: 'editor', project_id: project.project_id }
    expect((await call('POST', `${sandbox.storage}/connections`, grant)).status).toBe(201)
    const [seen] = (await list(grantee.call, sandbox)) as [Suggestion]
    expect(await list(call, sandbox, within)).toEqual([seen])
    expect((await decide(grantee.call, sandbox, 'accept', seen)).status).toBe(403)
    // The same person in a record outside the project.
    const { body: source } = await call('POST', `${sandbox.storage}/sources`, { provider: 'notes', name: 'Notes' })
    const outside = { ...sandbox, records: `${sandbox.storage}/sources/${source.data_source_id}/records` }
    await putRecords(call, outside, [mail('n1', 'Tuuli Quiroga', 'tuuli@corvid.io')])
    await settled(call, sandbox)
    expect(await list(call, sandbox)).toHaveLength(1)
    expect(await list(call, sandbox, within)).toEqual([])
    expect(await list(grantee.call, sandbox)).toEqual([])
    for (const verb of ['accept', 'dismiss']) expect((await decide(grantee.call, sandbox, verb, seen)).status).toBe(404)
    const stranger = await app().newAccount()
    expect((await decide(stranger.call, sandbox, 'accept', seen)).status).toBe(404)
  })

  it('its evidence is encrypted with the customer-managed key, and follows a key change', async () => {
    const { call: plain, userId } = await app().newAccount()
    const [key, next] = [Buffer.alloc(32, 'one'), Buffer.alloc(32, 'two')]
    const call = withKey(plain, key)
    const sandbox = await newSandbox(plain)
    await putRecords(call, sandbox, QUIROGAS)
    await expect.poll(() => list(call, sandbox)).toHaveLength(1)
    const kept = await app().cairn.app.sql.transact(userId, async (tx) => {
      const rows = sql<{ row: string }>`select row_to_json(t)::text as row from merge_suggestion t`
      return (await rows.execute(tx)).rows.map(({ row }) => row).join()
    })
    expect(kept).toContain('sealed')
    expect(kept).not.toMatch(/alike|name/)
    const denied = await plain('GET', `${sandbox.storage}/merge-suggestions`)
    expect(denied).toMatchObject({ status: 403, body: { error: 'encryption_key_required' } })
    const rotation = { 'x-new-encryption-key': next.toString('base64') }
    expect((await call('POST', `${sandbox.storage}/rotate-key`, undefined, rotation)).status).toBe(200)
    const after = withKey(plain, next)
    const [suggestion] = (await list(after, sandbox)) as [Suggestion]
    expect(suggestion).toHaveProperty('evidence.agree')
    expect((await decide(after, sandbox, 'accept', suggestion)).body).toMatchObject({ state: 'accepted' })
  })
})
