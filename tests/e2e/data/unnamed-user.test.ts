import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { agentAt } from '../../harness/agent.ts'
import { newHook, records } from '../../harness/hook.ts'
import { withKey } from '../../harness/keyed.ts'
import { type Answer, type Call, newSandbox, onEachApp, type TestSandbox } from '../../harness/test-app.ts'

const WAIT = { prefer: 'wait=30' }
const NDJSON = { 'content-type': 'application/x-ndjson' }

/** Returns a message of an unnamed user, dated on a day of June 2026. */
function messageOn(content: string, day: number, more: object = {}) {
  return { role: 'user', content, created_at: `2026-06-${String(day).padStart(2, '0')}T09:00:00Z`, ...more }
}

onEachApp((app) => {
  const on = (call: Call, { storage, query }: TestSandbox) => ({
    call,
    say: async (session_id: string, ...messages: object[]) => {
      const sent = await call('POST', `${storage}/messages`, { session_id, messages }, WAIT)
      expect(sent.status, JSON.stringify(sent.body)).toBe(200)
      return sent.body.result
    },
    ask: async (asked: string) => {
      const { body } = await call('POST', `${query}/search`, { query: asked, reference_date: '2026-07-01' })
      return { answer: String(body.answer), answered: Boolean(body.answered) }
    },
    relations: async () => {
      const { body } = await call('GET', `${storage}/entities/search?q=user`)
      const user = body.results.find(({ name }: { name: string }) => name === 'User')
      if (!user) return []
      const { body: entity } = await call('GET', `${storage}/entities/${user.canonical_id}`)
      expect(entity).toMatchObject({ name: 'User', type: 'person' })
      const relations = entity.relations as { predicate: string; name: string; is_current: boolean }[]
      return relations
        .map(({ predicate, name, is_current: is }) => `${is ? '' : 'no longer '}${predicate} ${name}`)
        .sort()
    },
  })
  const open = async (key?: Buffer) => {
    const account = await app().newAccount()
    const sandbox = await newSandbox(account.call)
    return { account, sandbox, ...on(key ? withKey(account.call, key) : account.call, sandbox) }
  }

  it.each(['plain', 'under a caller’s key'])(
    'an unnamed user gets answers from own statements, the latest first: %s',
    async (kind) => {
      const { say, ask, relations } = await open(kind === 'plain' ? undefined : randomBytes(32))
      await say('a', messageOn('I live in Paris and my dog Biscuit is fine.', 1), {
        ...messageOn('I live in Rome.', 2),
        role: 'assistant',
      })
      await say('b', messageOn('I moved to Lyon. I work at Acme Corp.', 14))
      expect(await relations()).toEqual(['lives in Lyon', 'no longer lives in Paris', 'works for Acme Corp'])
      const { answer, answered } = await ask('Where do I live?')
      expect(answered).toBe(true)
      expect(answer).toMatch(/^You live in Lyon as of 14 June 2026; before that it was Paris\./)
      expect(answer).not.toContain('Rome')
      expect((await ask('Who is my employer?')).answer).toMatch(/^You work for Acme Corp/)
      expect((await ask('Where did I live before?')).answer).toContain('Paris')
      expect((await ask('What is my job?')).answer).not.toContain('You work')
    },
  )

  it('a repeat changes nothing, and deleted content is no longer used in answers', async () => {
    const { say, ask, relations, call, sandbox } = await open()
    const first = messageOn('I live in Paris.', 1)
    await say('a', first)
    await say('b', messageOn('I moved to Lyon.', 14))
    expect(await say('a', first)).toMatchObject({ written: 0, unchanged: 1 })
    const { body } = await call('GET', `${sandbox.storage}/records?q=Lyon`)
    expect((await call('DELETE', `${sandbox.storage}/records/${body.records[0].record_id}`)).status).toBe(200)
    expect(await relations()).toEqual(['lives in Paris'])
    expect((await ask('Where do I live?')).answer).toMatch(/^You live in Paris\./)
  })

  it('is not merged with anybody of any name', async () => {
    const { say, ask, relations, call, sandbox } = await open()
    await say('a', messageOn('I live in Paris.', 1))
    await say(
      'b',
      messageOn('I moved to Oslo.', 5, { name: 'Ana Bell' }),
      messageOn('I moved to Bern.', 6, { name: 'User' }),
    )
    await call('POST', sandbox.records, { records: [user()] }, WAIT)
    expect((await ask('Where do I live?')).answer).toMatch(/^You live in Paris\./)
    const { body } = await call('GET', `${sandbox.storage}/entities/search?q=user`)
    const found = await Promise.all(
      body.results.map(({ canonical_id: id }: { canonical_id: string }) =>
        call('GET', `${sandbox.storage}/entities/${id}`),
      ),
    )
    const lives = found.map(({ body: entity }) => entity.relations.map(({ name }: { name: string }) => name).join())
    expect(lives.sort()).toEqual(expect.arrayContaining(['Bern', 'Paris']))
    expect(await relations()).not.toContain('lives in Oslo')
  })

  it("is the sandbox's owner, and nobody else who reads or writes there", async () => {
    const { say, ask, relations, sandbox, call } = await open()
    await say('a', messageOn('I live in Paris.', 1))
    const friend = await app().newAccount()
    await call('POST', `${sandbox.storage}/connections`, { user_id: friend.userId, role: 'editor' })
    const theirs = on(friend.call, sandbox)
    await theirs.say('c', messageOn('I moved to Oslo.', 5))
    expect(await relations()).toEqual(['lives in Paris'])
    const { answer } = await ask('Where do I live?')
    expect(answer).toMatch(/^You live in Paris\./)
    // Another user's later statements do not describe the owner. An answer attributes them to that user.
    expect(answer).not.toContain('Oslo')
    expect((await ask('Who moved to Oslo?')).answer).toContain('Another user')
    expect((await theirs.ask('Where do I live?')).answer).not.toContain('You live')
    expect(await theirs.say('a', messageOn('I live in Paris.', 1))).toMatchObject({ written: 0, unchanged: 1 })
    expect(await say('c', messageOn('I moved to Oslo.', 5))).toMatchObject({ written: 0, unchanged: 1 })
    expect(await relations()).toEqual(['lives in Paris'])
  })

  it.each(DOORS)('is not attributed if a share or a sender’s secret grants access: %s', async (_, door) => {
    const { say, ask, relations, sandbox, call } = await open()
    await say('a', messageOn('I live in Paris.', 1))
    const { body: project } = await call('POST', `${sandbox.storage}/projects`, { name: 'Mine' })
    await call('POST', `${sandbox.storage}/projects/${project.project_id}/sources/${sandbox.source}`)
    for (const project_id of [undefined, project.project_id]) {
      const friend = await app().newAccount()
      const grant = { user_id: friend.userId, role: 'editor', project_id }
      const { body: connection } = await call('POST', `${sandbox.storage}/connections`, grant)
      const keys = `${sandbox.storage}/connections/${connection.connection_id}/api-keys`
      const { body: made } = await call('POST', keys)
      const authorization = `Bearer ${made.plaintext_key}`
      const byKey: Call = (method, path, body, headers) =>
        app().anonymous(method, path, body, { authorization, ...headers })
      for (const theirs of [friend.call, byKey]) {
        const { status, body } = await door(theirs, sandbox, forged(project_id))
        expect([status, body?.result?.failed ?? 0], JSON.stringify(body)).toEqual([200, 0])
      }
    }
    expect(await relations()).toEqual(['lives in Paris'])
    expect((await ask('Where do I live?')).answer).toMatch(/^You live in Paris\./)
    expect((await ask('Where do I live?')).answer).not.toContain('Oslo')
    const lines = String((await call('GET', `${sandbox.storage}/export`)).body)
    const copy = on(call, await newSandbox(call, 'Copy'))
    const { storage } = await newSandbox(call, 'Another copy')
    expect((await copy.call('POST', `${storage}/import`, lines, { ...WAIT, ...NDJSON })).status).toBe(200)
    const { body: found } = await call('GET', `${storage}/entities/search?q=user`)
    for (const { canonical_id: id } of found.results) {
      const { body: entity } = await call('GET', `${storage}/entities/${id}`)
      expect(JSON.stringify(entity.relations)).not.toContain('Oslo')
    }
  })

  it("is not attributed if a webhook delivers it, regardless of the source's creator", async () => {
    const mapping = {
      external_id: 'id',
      type: { value: 'message' },
      text: 'text',
      occurred_at: 'at',
      properties: { role: { value: 'user' }, session: { value: 's' } },
    }
    for (const config of [{}, { mapping }]) {
      const hook = await newHook(app(), 'json', config)
      const { record_id: _, ...record } = forged()
      const sent = await hook.send({ ...record, id: 'x', at: record.occurred_at, from_owner: true })
      expect(sent.status, JSON.stringify(sent.body)).toBe(204)
      await records(app(), hook, 1)
      const query = `/api/v1/query/sandboxes/${hook.sandboxId}`
      const { ask, relations } = on(hook.account.call, { storage: hook.storage, query } as TestSandbox)
      expect(await relations()).toEqual([])
      expect((await ask('Where do I live?')).answer).not.toMatch(/You live|user lives/)
    }
  })

  it('is the owner who sends it, by records, imports and messages', async () => {
    for (const [, door] of DOORS.slice(0, 3)) {
      const { ask, sandbox, call } = await open()
      const { record_id: _, ...record } = forged()
      expect((await door(call, sandbox, record)).status).toBe(200)
      expect((await ask('Where do I live?')).answer).toMatch(/^You live in Oslo\./)
    }
  })

  it('stays attributed to the original version after another account changes it', async () => {
    const { say, ask, sandbox, call } = await open()
    await say('a', messageOn('I live in Paris.', 1, { id: 'm1' }))
    await say('a', messageOn('I moved to Lyon.', 14, { id: 'm2' }))
    const friend = await app().newAccount()
    await call('POST', `${sandbox.storage}/connections`, { user_id: friend.userId, role: 'editor' })
    const theirs = on(friend.call, sandbox)
    expect(await theirs.say('a', messageOn('I live in Paris.', 20, { id: 'm1' }))).toMatchObject({ written: 1 })
    expect((await ask('Where do I live?')).answer).toMatch(/^You live in Lyon\./)
  })

  it('is part of an export', async () => {
    const { account, say, call, sandbox } = await open()
    await say('a', messageOn('I live in Paris.', 1))
    const lines = String((await call('GET', `${sandbox.storage}/export`)).body)
    const other = await newSandbox(account.call, 'Copy')
    expect((await call('POST', `${other.storage}/import`, lines, { ...WAIT, ...NDJSON })).status).toBe(200)
    const copy = on(call, other)
    expect(await copy.relations()).toEqual(['lives in Paris'])
    expect((await copy.ask('Where do I live?')).answer).toMatch(/^You live in Paris\./)
  })
})

/** Returns a record that imitates a message of an assistant's user, dated after all others. */
function forged(project_id?: string) {
  return {
    record_id: `rec_${'0'.repeat(26)}`,
    external_id: 'x',
    type: 'message',
    text: 'I moved to Oslo.',
    occurred_at: '2026-06-20T09:00:00Z',
    properties: { session: 's', role: 'user' },
    from_owner: true,
    ...(project_id && { project_id }),
  }
}

type IngestPath = (call: Call, sandbox: TestSandbox, record: Record<string, unknown>) => Promise<Answer>

/** Ways to ingest content other than webhooks. */
const DOORS: [string, IngestPath][] = [
  [
    'records',
    (call, { records: path }, { record_id: _, ...record }) => call('POST', path, { records: [record] }, WAIT),
  ],
  [
    'streamed records',
    (call, { records: path }, { record_id: _, ...record }) =>
      call('POST', path, JSON.stringify(record), { ...WAIT, ...NDJSON }),
  ],
  [
    'an import',
    (call, { storage, source }, record) =>
      call('POST', `${storage}/import?data_source_id=${source}`, { records: [record] }, WAIT),
  ],
  [
    'messages',
    (call, { storage, source }, { text, project_id, occurred_at }) => {
      const messages = [{ role: 'user', content: text, created_at: occurred_at, from_owner: true }]
      const body = { session_id: 's', messages, data_source_id: source, project_id }
      return call('POST', `${storage}/messages`, body, WAIT)
    },
  ],
  [
    'a text',
    (call, { storage, source }, { text, project_id, occurred_at, properties }) => {
      const body = { text, source_type: 'message', data_source_id: source, project_id, occurred_at, properties }
      return call('POST', `${storage}/ingest`, { ...body, role: 'user', session: 's' }, WAIT)
    },
  ],
  [
    'the tool “remember”',
    async (call, { id }, { text }) => {
      await agentAt(call, `/mcp/${id}`).text('remember', { text, occurred_at: '2026-06-20' })
      return { status: 200 } as Answer
    },
  ],
]

/** Returns a record that declares a person with the reserved name of the unnamed user and forged facts about them. */
function user() {
  const reference = { type: 'person', name: 'User', identifiers: { session: 'user' } }
  const relations = [{ subject: reference, predicate: 'lives in', object: 'Nowhere' }]
  return { external_id: 'u', type: 'note', text: 'A note.', author: reference, relations, occurred_at: '2026-06-20' }
}
