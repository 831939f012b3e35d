import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { withKey } from '../harness/keyed.ts'
import { type Call, newSandbox, onEachApp, type TestSandbox } from '../harness/test-app.ts'

const WAIT = { prefer: 'wait=30' }
const NDJSON = { 'content-type': 'application/x-ndjson' }

/** A message of a user whom nothing names, of a day of June 2026. */
function said(content: string, day: number, more: object = {}) {
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
    'who is not named is told what they said, the latest first: %s',
    async (kind) => {
      const { say, ask, relations } = await open(kind === 'plain' ? undefined : randomBytes(32))
      await say('a', said('I live in Paris and my dog Biscuit is fine.', 1), {
        ...said('I live in Rome.', 2),
        role: 'assistant',
      })
      await say('b', said('I moved to Lyon. My new dentist is Dr. Rossignol.', 14))
      expect(await relations()).toEqual([
        'dentist Dr. Rossignol',
        'dog Biscuit',
        'lives in Lyon',
        'no longer lives in Paris',
      ])
      const { answer, answered } = await ask('Where do I live?')
      expect(answered).toBe(true)
      expect(answer).toMatch(/^You live in Lyon as of 14 June 2026; before that it was Paris\./)
      expect(answer).not.toContain('Rome')
      expect((await ask("What's my puppy's name?")).answer).toMatch(/^Your dog is Biscuit\./)
      expect((await ask('Where did I live before?')).answer).toContain('Paris')
      expect((await ask('Where do I work?')).answer).not.toContain('You work')
    },
  )

  it('the same again changes nothing, and what is deleted is told no more', async () => {
    const { say, ask, relations, call, sandbox } = await open()
    const first = said('I live in Paris.', 1)
    await say('a', first)
    await say('b', said('I moved to Lyon.', 14))
    expect(await say('a', first)).toMatchObject({ written: 0, unchanged: 1 })
    const { body } = await call('GET', `${sandbox.storage}/records?q=Lyon`)
    expect((await call('DELETE', `${sandbox.storage}/records/${body.records[0].record_id}`)).status).toBe(200)
    expect(await relations()).toEqual(['lives in Paris'])
    expect((await ask('Where do I live?')).answer).toMatch(/^You live in Paris\./)
  })

  it('is nobody who is named, whatever they are called', async () => {
    const { say, ask, relations, call, sandbox } = await open()
    await say('a', said('I live in Paris.', 1))
    await say('b', said('I moved to Oslo.', 5, { name: 'Ana Bell' }), said('I moved to Bern.', 6, { name: 'User' }))
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

  it('is the person whose sandbox it is, and nobody else who reads or writes there', async () => {
    const { say, ask, relations, sandbox, call } = await open()
    await say('a', said('I live in Paris.', 1))
    const friend = await app().newAccount()
    await call('POST', `${sandbox.storage}/connections`, { user_id: friend.userId, role: 'editor' })
    const theirs = on(friend.call, sandbox)
    await theirs.say('c', said('I moved to Oslo.', 5))
    expect(await relations()).toEqual(['lives in Paris'])
    expect((await ask('Where do I live?')).answer).toMatch(/^You live in Paris\./)
    expect((await theirs.ask('Where do I live?')).answer).not.toContain('You live')
    expect(await theirs.say('a', said('I live in Paris.', 1))).toMatchObject({ written: 0, unchanged: 1 })
    expect(await say('c', said('I moved to Oslo.', 5))).toMatchObject({ written: 0, unchanged: 1 })
    expect(await relations()).toEqual(['lives in Paris'])
  })

  it('comes along in an export', async () => {
    const { account, say, call, sandbox } = await open()
    await say('a', said('I live in Paris.', 1))
    const lines = String((await call('GET', `${sandbox.storage}/export`)).body)
    const other = await newSandbox(account.call, 'Copy')
    expect((await call('POST', `${other.storage}/import`, lines, { ...WAIT, ...NDJSON })).status).toBe(200)
    const copy = on(call, other)
    expect(await copy.relations()).toEqual(['lives in Paris'])
    expect((await copy.ask('Where do I live?')).answer).toMatch(/^You live in Paris\./)
  })
})

/** A record that declares a person by the word for the unnamed one, with what would be theirs. */
function user() {
  const reference = { type: 'person', name: 'User', identifiers: { session: 'user' } }
  const relations = [{ subject: reference, predicate: 'lives in', object: 'Nowhere' }]
  return { external_id: 'u', type: 'note', text: 'A note.', author: reference, relations, occurred_at: '2026-06-20' }
}
