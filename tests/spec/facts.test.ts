import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { withKey } from '../harness/keyed.ts'
import { newPerson, SANDBOXES } from '../harness/postgres-people.ts'
import { type Call, newSandbox, onEachApp, type TestSandbox } from '../harness/test-app.ts'

const WAIT = { prefer: 'wait=30' }
const NDJSON = { 'content-type': 'application/x-ndjson' }
const ANA = 'Ana Bell'

interface StatedRelation {
  predicate: string
  direction: string
  name: string
  is_current: boolean
  record_id: string
  valid_from: string | null
  span: { start: number; end: number } | null
}

/** Returns a note of its author, dated on a day of June 2026. */
function note(id: string, text: string, day: number, author: unknown = ANA, more: object = {}) {
  const occurred_at = `2026-06-${String(day).padStart(2, '0')}T09:00:00.000Z`
  return { external_id: id, type: 'note', text, author, occurred_at, ...more }
}

onEachApp((app) => {
  const on = (call: Call, { storage, records, query }: TestSandbox) => ({
    call,
    put: async (...given: object[]) => {
      const { status, body } = await call('POST', records, { records: given }, WAIT)
      expect(status, JSON.stringify(body)).toBe(200)
      return body.result
    },
    idOf: async (name: string) => {
      const { body } = await call('GET', `${storage}/entities/search?q=${encodeURIComponent(name)}`)
      return body.results.find((hit: { name: string }) => hit.name === name)?.canonical_id as string
    },
    relations: async (id: string) =>
      (await call('GET', `${storage}/entities/${id}`)).body.relations as StatedRelation[],
    ask: async (asked: string) => {
      const { body } = await call('POST', `${query}/search`, { query: asked, reference_date: '2026-07-01' })
      return String(body.brief ?? body.answer)
    },
  })
  const open = async (key?: Buffer) => {
    const account = await app().newAccount()
    const sandbox = await newSandbox(account.call)
    return { sandbox, ...on(key ? withKey(account.call, key) : account.call, sandbox) }
  }
  const current = (relations: StatedRelation[]) =>
    relations.filter(({ is_current }) => is_current).map(({ predicate, name }) => `${predicate} ${name}`)

  it('a self-reported fact holds from its statement until a newer one', async () => {
    const { put, idOf, relations, ask, call, sandbox } = await open()
    await put(note('2', 'I moved to Lyon.', 20), note('1', "I'm based in Oslo, by the way.", 3))
    const id = await idOf(ANA)
    const stated = await relations(id)
    expect(stated.map(({ name, is_current }) => [name, is_current]).sort()).toEqual([
      ['Lyon', true],
      ['Oslo', false],
    ])
    for (const { span, record_id, name } of stated) {
      const { body } = await call('GET', `${sandbox.storage}/records/${record_id}`)
      expect(body.text.slice(span!.start, span!.end)).toContain(name)
      expect(body.facts).toMatchObject([{ subject: ANA, predicate: 'lives in', object: name, ...span }])
      expect(body.relations).toBeUndefined()
    }
    const brief = await ask('Where does Ana Bell live?')
    expect(brief.indexOf('Lyon')).toBeGreaterThanOrEqual(0)
    expect(brief.indexOf('Oslo') < 0 || brief.indexOf('Lyon') < brief.indexOf('Oslo'), brief).toBe(true)
    expect(await ask('Where did Ana Bell live before Lyon?')).toContain('Oslo')
    const { body: profile } = await call('GET', `${sandbox.storage}/entities/${id}/profile`)
    expect(profile.text).toContain(`${ANA} lives in Lyon`)
    expect(profile.text).toContain('no longer: lives in Oslo')
  })

  it('a fact that its subject ends is no longer current, whatever else it stated before', async () => {
    const { put, idOf, relations, ask, call, sandbox } = await open()
    await put(
      note('1', 'I work at Acme Corp.', 3),
      note('2', 'I got a new job at Fjordlab Systems.', 10),
      note('3', 'I left Acme Corp yesterday.', 20),
      note('4', 'Ana Bell leads Harbour.', 5, 'Bob Hale'),
      note('5', 'Ana Bell no longer leads Harbour.', 21, 'Bob Hale'),
      note('6', 'I left Globex Corp on a Monday.', 22, 'Bob Hale'),
    )
    const id = await idOf(ANA)
    expect(current(await relations(id))).toEqual(['works for Fjordlab Systems'])
    const { body: profile } = await call('GET', `${sandbox.storage}/entities/${id}/profile`)
    expect(profile.text).toContain(`${ANA} works for Fjordlab Systems`)
    expect(profile.text).not.toMatch(/Ana Bell (?:works for Acme|leads)/)
    expect(await ask('Where does Ana Bell work?')).not.toContain('works for Acme')
  })

  it('facts about others are attributed to them, in both directions, in addition to declared relations', async () => {
    const { put, idOf, relations } = await open()
    const harbour = { type: 'project', name: 'Harbour' }
    await put(
      note('1', 'Hello.', 1),
      note('2', 'Ana Bell works for Acme Corp.', 2, 'Bob Hale'),
      { ...note('3', 'Plan.', 3, 'Bob Hale'), entities: [harbour] },
      note('4', 'Ana Bell is now the lead of Harbour. The Harbour launch moved to 17 August.', 9, 'Bob Hale'),
      { ...note('5', 'Well.', 4, 'Bob Hale'), relations: [{ subject: ANA, predicate: 'leads', object: harbour }] },
      note('6', 'Tove Lind is the lead of Harbour.', 12, 'Bob Hale'),
    )
    const ana = await relations(await idOf(ANA))
    expect(current(ana)).toEqual(['works for Acme Corp'])
    expect(ana.filter(({ predicate, is_current }) => predicate === 'leads' && !is_current).length).toBe(1)
    expect(current(await relations(await idOf('Acme Corp')))).toEqual([`works for ${ANA}`])
    const harbours = current(await relations(await idOf('Harbour')))
    expect(harbours.sort()).toEqual(['launch date 2026-08-17', 'leads Tove Lind'])
  })

  it('is deleted with the record that states it, unless another states it too', async () => {
    const { put, idOf, relations } = await open()
    await put(note('1', 'I moved to Lyon.', 1), note('2', 'As you know, I live in Lyon.', 2), note('3', 'Hi.', 3))
    await put(note('4', 'I live in Lyon.', 4))
    const id = await idOf(ANA)
    expect(await relations(id)).toHaveLength(2)
    expect(await put(note('1', 'I moved to Lyon.', 1))).toMatchObject({ unchanged: 1 })
    await put(note('1', 'I moved.', 1))
    expect(current(await relations(id))).toEqual(['lives in Lyon'])
    await put({ external_id: '4', type: 'note', deleted: true })
    expect(await relations(id)).toEqual([])
  })

  it("messages of a session state facts of their speaker, an assistant's none about itself", async () => {
    const { call, sandbox, idOf, relations } = await open()
    const messages = [
      {
        role: 'user',
        name: ANA,
        content: 'I just moved to Lyon with my cat Luna.',
        created_at: '2026-06-01T10:00:00Z',
      },
      { role: 'assistant', name: 'Helper', content: 'I live in Paris.', created_at: '2026-06-01T10:01:00Z' },
    ]
    const say = async (said: object[]) => {
      const sent = await call('POST', `${sandbox.storage}/messages`, { session_id: 's', messages: said }, WAIT)
      expect(sent.status, JSON.stringify(sent.body)).toBe(200)
    }
    await say(messages)
    const later = (content: string, at: string) => ({ role: 'user', name: ANA, content, created_at: at })
    await say([later('I work at Acme Corp.', '2026-06-02T10:00:00Z')])
    await say([later('I started working at Fjordlab Systems.', '2026-06-03T10:00:00Z')])
    expect(current(await relations(await idOf(ANA))).sort()).toEqual(['lives in Lyon', 'works for Fjordlab Systems'])
    expect(await relations(await idOf('Helper'))).toEqual([])
  })

  it('is exported once, and in an encrypted sandbox needs the key', async () => {
    const { put, sandbox, call } = await open()
    await put(note('1', 'I moved to Lyon.', 1))
    const lines = String((await call('GET', `${sandbox.storage}/export`)).body)
    const other = await newSandbox(call, 'Copy')
    expect((await call('POST', `${other.storage}/import`, lines, { ...WAIT, ...NDJSON })).status).toBe(200)
    const copy = on(call, other)
    expect(await copy.relations(await copy.idOf(ANA))).toMatchObject([{ name: 'Lyon', is_current: true }])
    const keyed = await open(randomBytes(32))
    await keyed.put(note('1', 'I moved to Lyon.', 1))
    expect(current(await keyed.relations(await keyed.idOf(ANA)))).toEqual(['lives in Lyon'])
  })

  it('has the scope of its record', async () => {
    const [owner, guest] = [await newPerson(app()), await newPerson(app())]
    const path = `${SANDBOXES}/${await owner.newSandbox()}`
    const project_id = (await owner.post(`${path}/projects`, { name: 'Inside' })).body.project_id
    const source = (await owner.post(`${path}/sources`, { provider: 'notes', name: 'Notes' })).body.data_source_id
    const records = [
      note('1', "I'm based in Oslo.", 1, ANA, { project_id }),
      note('2', 'I moved to Lyon.', 2),
      note('3', 'Ana Bell works for Acme Corp.', 3, 'Bob Hale'),
    ]
    const headers = { authorization: `Bearer ${owner.key}`, prefer: 'wait=30' }
    const sent = await app().anonymous('POST', `${path}/sources/${source}/records`, { records }, headers)
    expect(sent.status, JSON.stringify(sent.body)).toBe(200)
    await owner.post(`${path}/connections`, { user_id: guest.userId, role: 'viewer', project_id })
    const id = (await owner.get(`${path}/entities/search?q=Ana`)).body.results[0].canonical_id
    expect(current((await owner.get(`${path}/entities/${id}`)).body.relations).sort()).toEqual([
      'lives in Lyon',
      'works for Acme Corp',
    ])
    const seen = await guest.get(`${path}/entities/${id}`)
    expect(current(seen.body.relations)).toEqual(['lives in Oslo'])
    expect(JSON.stringify(seen.body)).not.toMatch(/Lyon|Acme/)
  })
})
