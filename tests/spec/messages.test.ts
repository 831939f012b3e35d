import { expect, it } from 'vitest'
import { newSandbox, onEachApp } from '../harness/test-app.ts'

const WAIT = { prefer: 'wait=30' }
const user = (content: string, more: object = {}) => ({ role: 'user', content, ...more })
const assistant = (content: string, more: object = {}) => ({ role: 'assistant', content, ...more })

onEachApp((app) => {
  const open = async () => {
    const account = await app().newAccount()
    const sandbox = await newSandbox(account.call)
    const { call } = account
    const path = `${sandbox.storage}/messages`
    const say = async (session_id: string, messages: object[], more: object = {}) => {
      const answer = await call('POST', path, { session_id, messages, ...more }, WAIT)
      expect(answer.status, JSON.stringify(answer.body)).toBe(200)
      return answer.body.result as { received: number; written: number; unchanged: number }
    }
    const texts = async (query = '') => {
      const { body } = await call('GET', `${sandbox.storage}/records${query}`)
      const ids = (body.records as { record_id: string }[]).map(({ record_id: id }) => id)
      const records = await Promise.all(ids.map((id) => call('GET', `${sandbox.storage}/records/${id}`)))
      return records.map((record) => record.body.text as string).reverse()
    }
    return { ...account, sandbox, path, say, texts }
  }

  it('of a session become records in order, and sending them again changes nothing', async () => {
    const { say, texts, sandbox, call } = await open()
    const first = [user('When is the launch?', { name: 'Priya Raman' }), assistant('On 3 June.')]
    expect(await say('s1', first)).toMatchObject({ received: 2, written: 2 })
    app().clock.advance(60_000)
    const whole = [...first, user('  '), user('Who tells the press?')]
    expect(await say('s1', whole)).toMatchObject({ received: 3, written: 1, unchanged: 2 })
    expect(await say('s1', whole)).toMatchObject({ written: 0, unchanged: 3 })
    expect(await texts()).toEqual(['When is the launch?', 'On 3 June.', 'Who tells the press?'])
    const { body } = await call('GET', `${sandbox.storage}/records?q=launch`)
    const { body: record } = await call('GET', `${sandbox.storage}/records/${body.records[0].record_id}`)
    expect(record).toMatchObject({
      type: 'message',
      author: 'Priya Raman',
      properties: { session: 's1', role: 'user' },
      occurred_at: new Date(app().clock.now().getTime() - 60_000).toISOString(),
    })
    const { body: found } = await call('POST', `${sandbox.query}/discover`, { query: 'When is the launch?' })
    expect(found.count).toBeGreaterThan(0)
  })

  it('are identified by their ids, which survive an edit, and are separate in similar sessions', async () => {
    const { say, texts } = await open()
    expect(await say('s/1', [user('Red.', { id: 'm1' })])).toMatchObject({ written: 1 })
    expect(await say('s/1', [user('Red.', { id: 'm1' })], { first_place: 7 })).toMatchObject({ unchanged: 1 })
    expect(await say('s/1', [user('Blue.', { id: 'm1' })])).toMatchObject({ written: 1 })
    expect(await texts()).toEqual(['Blue.'])
    expect(await say('s', [user('Blue.', { id: '1/m1' })])).toMatchObject({ written: 1 })
    expect((await texts()).length).toBe(2)
  })

  it('with equal text at two positions stay two', async () => {
    const { say, texts } = await open()
    expect(await say('s', [user('Yes.'), assistant('Sure?'), user('Yes.')])).toMatchObject({ written: 3 })
    expect(await say('s', [user('No.')])).toMatchObject({ written: 1 })
    expect(await say('s', [user('Yes.')], { first_place: 3 })).toMatchObject({ written: 1 })
    expect((await texts()).filter((text) => text === 'Yes.').length).toBe(3)
    expect((await texts()).length).toBe(5)
  })

  it('stay deleted when the session comes again', async () => {
    const { say, texts, call, sandbox } = await open()
    await say('s', [user('The code is 4711.'), user('Thanks.')])
    const { body } = await call('GET', `${sandbox.storage}/records?q=4711`)
    expect((await call('DELETE', `${sandbox.storage}/records/${body.records[0].record_id}`)).status).toBe(200)
    app().clock.advance(60_000)
    expect(await say('s', [user('The code is 4711.'), user('Thanks.')])).toMatchObject({ written: 0, unchanged: 2 })
    expect(await texts()).toEqual(['Thanks.'])
  })

  it('are rejected if invalid, and belong to the named project or that of a limited caller', async () => {
    const { call, path, sandbox, say } = await open()
    const message = user('Hello.')
    const wrong: object[] = [
      { messages: [message] },
      { session_id: 's', messages: [] },
      { session_id: 's', messages: [{ content: 'x' }] },
      { session_id: 's', messages: [{ ...message, role: 'king' }] },
      { session_id: 's', messages: [{ ...message, created_at: '2026-13-01' }] },
      { session_id: 's', messages: [message], first_place: -1 },
    ]
    for (const body of wrong) expect((await call('POST', path, body)).status, JSON.stringify(body)).toBe(422)
    const project_id = `prj_${'0'.repeat(26)}`
    expect((await call('POST', path, { session_id: 's', messages: [message], project_id })).status).toBe(404)
    const accepted = await call('POST', path, { session_id: 's', messages: [message] })
    expect(accepted).toMatchObject({ status: 202, body: { status: 'queued', sandbox_id: sandbox.id } })
    const { body: mine } = await call('POST', `${sandbox.storage}/projects`, { name: 'Mine' })
    const friend = await app().newAccount()
    const grant = { user_id: friend.userId, role: 'editor', project_id: mine.project_id }
    await call('POST', `${sandbox.storage}/connections`, grant)
    const seen = async () => (await friend.call('GET', `${sandbox.storage}/records`)).body.count
    await say('elsewhere', [user('Hidden.')])
    expect(await seen()).toBe(0)
    const theirs = { session_id: 'theirs', messages: [user('Open.')] }
    expect((await friend.call('POST', path, theirs, WAIT)).body.result).toMatchObject({ written: 1 })
    expect(await seen()).toBe(1)
    const overwriting = { session_id: 'elsewhere', messages: [user('Hidden.')] }
    expect((await friend.call('POST', path, overwriting, WAIT)).body.result).toMatchObject({ written: 0, failed: 1 })
  })

  it('of a conversation are summarized in order of time, including those that do not name the topic', async () => {
    const { sandbox, call } = await open()
    const said = (external_id: string, day: string, author: string, text: string, thread_id = 'pump') => {
      return {
        external_id,
        type: 'message',
        author,
        text,
        occurred_at: `2026-06-${day}T08:00:00Z`,
        properties: { thread_id },
      }
    }
    const thread = [
      said('m1', '12', 'Jon Ellis', 'The pump leaks again at the joint.'),
      said('m2', '13', 'Tarek Haddad', 'They think the gasket has the wrong size.'),
      said('m3', '14', 'Odile Bernard', 'The warranty covers it for two years.'),
      said('m4', '16', 'Tarek Haddad', 'A new gasket is in, and it is dry.'),
    ]
    const others = Array.from({ length: 30 }, (_, at) =>
      said(`n${at}`, '15', 'Wanda Nowak', `Plot ${at} is watered by hand.`, 'water'),
    )
    const records = [...thread.toReversed(), ...others]
    await call('POST', sandbox.records, { records }, WAIT)
    const { body } = await call('POST', `${sandbox.query}/search`, { query: 'Sum up the thread about the pump.' })
    const at = thread.map(({ text }) => body.answer.indexOf(text.slice(0, -1)))
    expect(at, body.answer).toEqual(at.toSorted((one, other) => one - other))
    expect(at[0], body.answer).toBeGreaterThan(0)
    expect(body.answer).not.toContain('Plot')
    const about = { query: 'Sum up the thread about the crane.' }
    expect((await call('POST', `${sandbox.query}/search`, about)).body.answered).toBe(false)
  })
})
