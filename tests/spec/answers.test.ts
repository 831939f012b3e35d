import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { deleteExpiredAnswers } from '../../packages/server/src/store/answer-rows.ts'
import { agentAt } from '../harness/agent.ts'
import { withKey } from '../harness/keyed.ts'
import {
  type Call,
  newSandbox,
  onEachApp,
  putRecords,
  type TestAccount,
  type TestSandbox,
} from '../harness/test-app.ts'

const QUESTION = 'Where does the ferry Kestrel winter?'
const WINTER = {
  external_id: 'winter',
  type: 'note',
  title: 'Winter berths',
  text: 'The ferry Kestrel winters at the Old Quay.',
  author: 'Ana Lima',
}
const OTHER = { external_id: 'paint', type: 'note', text: 'The ferry Kestrel was painted green by Bo Lind.' }
const DAY_MS = 86_400_000
const NEVER = 'ans_00000000000000000000000000'

onEachApp((app) => {
  let owner: TestAccount
  let made = 0
  beforeEach(async () => {
    owner = await app().newAccount()
  })

  const start = async (call: Call = owner.call) => {
    made += 1
    const sandbox = await newSandbox(call, `Harbour ${made}`, 'enterprise')
    await putRecords(call, sandbox, [WINTER, OTHER])
    return sandbox
  }
  const ask = async (call: Call, { query: path }: TestSandbox, more: object = {}) =>
    (await call('POST', `${path}/search`, { query: QUESTION, ...more })).body
  const share = async ({ storage }: TestSandbox, how: object, account?: TestAccount) => {
    const grantee = account ?? (await app().newAccount())
    const { status } = await owner.call('POST', `${storage}/connections`, { user_id: grantee.userId, ...how })
    expect(status).toBe(201)
    return grantee
  }
  const recordId = async (call: Call, { storage }: TestSandbox, externalId: string): Promise<string> => {
    const { body } = await call('GET', `${storage}/records`)
    return body.records.find((each: { external_id: string }) => each.external_id === externalId).record_id
  }
  const read = (call: Call, { query: path }: TestSandbox, id: string) => call('GET', `${path}/answers/${id}`)
  const rate = (call: Call, { query: path }: TestSandbox, id: string, body: object) =>
    call('POST', `${path}/answers/${id}/feedback`, body)
  const rowsIn = async ({ id }: TestSandbox) => {
    const count = (table: 'answer' | 'answer_record' | 'answer_feedback') =>
      app().cairn.app.sql.transact(owner.userId, async (tx) => {
        const rows = await tx.selectFrom(table).select('sandbox_id').where('sandbox_id', '=', id).execute()
        return rows.length
      })
    return [await count('answer'), await count('answer_record'), await count('answer_feedback')]
  }

  describe('stored answers', () => {
    it('keep the settings of their question, which other questions do not have', async () => {
      const sandbox = await start()
      const settings = { reference_date: '2026-03-30', time_zone: 'Europe/Berlin', preset: 'fast' }
      const { answer_id: id } = await ask(owner.call, sandbox, settings)
      expect((await read(owner.call, sandbox, id)).body.settings).toEqual(settings)
      const { answer_id: other } = await ask(owner.call, sandbox)
      expect((await read(owner.call, sandbox, other)).body).not.toHaveProperty('settings')
    })

    it('are returned as they were given, listed newest first, and deleted', async () => {
      const sandbox = await start()
      const answer = await ask(owner.call, sandbox)
      expect(answer).toMatchObject({ outcome: 'answered', answer_id: expect.stringMatching(/^ans_/) })
      const { status, body } = await read(owner.call, sandbox, answer.answer_id)
      expect(status).toBe(200)
      expect(body).toEqual({
        answer_id: answer.answer_id,
        query: QUESTION,
        outcome: 'answered',
        project_id: null,
        shared: false,
        created_at: app().clock.now().toISOString(),
        expires_at: new Date(app().clock.now().getTime() + 30 * DAY_MS).toISOString(),
        asked_by: owner.userId,
        answer: answer.answer,
        citations: answer.citations,
      })
      const again = await ask(owner.call, sandbox, { statements: true, query: 'Who painted the ferry Kestrel?' })
      const path = `${sandbox.query}/answers`
      const first = (await owner.call('GET', `${path}?limit=1`)).body
      expect(first).toMatchObject({ count: 1, answers: [{ answer_id: again.answer_id }] })
      const second = (await owner.call('GET', `${path}?limit=1&cursor=${first.next_cursor}`)).body
      expect(second.answers).toMatchObject([{ answer_id: answer.answer_id, query: QUESTION, shared: false }])
      expect(second.next_cursor).toBeUndefined()
      expect((await read(owner.call, sandbox, again.answer_id)).body.statements).toEqual(again.statements)
      expect((await owner.call('DELETE', `${path}/${answer.answer_id}`)).body.success).toBe(true)
      expect((await read(owner.call, sandbox, answer.answer_id)).status).toBe(404)
      expect((await owner.call('DELETE', `${path}/${answer.answer_id}`)).status).toBe(404)
      expect((await read(owner.call, sandbox, NEVER)).status).toBe(404)
      expect((await owner.call('GET', `${path}/junk`)).status).toBe(404)
    })

    it('have an id with every way of asking, and none if they are not stored', async () => {
      const sandbox = await start()
      const items = [[await recordId(owner.call, sandbox, 'winter')]]
      const brief = (await owner.call('POST', `${sandbox.query}/interpret`, { query: QUESTION, items })).body
      expect((await read(owner.call, sandbox, brief.answer_id)).body).toMatchObject({ answer: brief.brief })
      const stream = { accept: 'text/event-stream' }
      for (const [path, body] of [
        ['search', { query: QUESTION }],
        ['interpret', { query: QUESTION, items }],
      ] as const) {
        const streamed = await owner.call('POST', `${sandbox.query}/${path}`, body, stream)
        const id = /"answer_id":"(\w+)"/.exec(streamed.body)![1]!
        expect((await read(owner.call, sandbox, id)).status).toBe(200)
        const unstored = await owner.call('POST', `${sandbox.query}/${path}`, { ...body, store: false }, stream)
        expect(unstored.body).not.toContain('answer_id')
      }
      const before = await rowsIn(sandbox)
      expect(await ask(owner.call, sandbox, { store: false })).not.toHaveProperty('answer_id')
      expect(await rowsIn(sandbox)).toEqual(before)
      const wrong = await owner.call('POST', `${sandbox.query}/search`, { query: QUESTION, store: 'no' })
      expect(wrong.status).toBe(422)
      const empty = await newSandbox(owner.call, 'Empty', 'enterprise')
      expect(await ask(owner.call, empty)).not.toHaveProperty('answer_id')
      expect(await rowsIn(empty)).toEqual([0, 0, 0])
    })

    it('are created by the MCP tool `ask` too', async () => {
      const sandbox = await start()
      const agent = agentAt(owner.call, `/mcp/${sandbox.id}`)
      const { structuredContent: answer } = await agent.run('ask', { question: QUESTION })
      expect((await read(owner.call, sandbox, answer.answer_id)).status).toBe(200)
    })

    it('are deleted with a cited record, but not with another', async () => {
      const sandbox = await start()
      const answer = await ask(owner.call, sandbox, { query: 'Where does the ferry winter?' })
      await rate(owner.call, sandbox, answer.answer_id, { verdict: 'wrong' })
      const other = await recordId(owner.call, sandbox, 'paint')
      expect(JSON.stringify(answer.citations)).not.toContain(other)
      const retrieved = async () => {
        const { body } = await owner.call('GET', `${sandbox.query}/feedback`)
        return body.feedback[0].retrieved.map((each: { record_id: string }) => each.record_id)
      }
      expect(await retrieved()).toContain(other)
      expect((await owner.call('DELETE', `${sandbox.storage}/records/${other}`)).status).toBe(200)
      expect((await read(owner.call, sandbox, answer.answer_id)).status).toBe(200)
      expect(await retrieved()).not.toContain(other)
      const cited = await recordId(owner.call, sandbox, 'winter')
      expect((await owner.call('DELETE', `${sandbox.storage}/records/${cited}`)).status).toBe(200)
      expect((await read(owner.call, sandbox, answer.answer_id)).status).toBe(404)
      expect((await owner.call('GET', `${sandbox.query}/answers`)).body.answers).toEqual([])
      expect(await rowsIn(sandbox)).toEqual([0, 0, 0])
    })

    it('are deleted when their source removes a record, or with a purged source or their sandbox', async () => {
      const sandbox = await start()
      await ask(owner.call, sandbox)
      await putRecords(owner.call, sandbox, [{ ...WINTER, deleted: true }])
      expect(await rowsIn(sandbox)).toEqual([0, 0, 0])
      await putRecords(owner.call, sandbox, [{ ...WINTER, external_id: 'again' }])
      const answer = await ask(owner.call, sandbox)
      await rate(owner.call, sandbox, answer.answer_id, { verdict: 'right' })
      const purge = await owner.call('POST', `${sandbox.storage}/sources/${sandbox.source}/purge`, {})
      expect([200, 202]).toContain(purge.status)
      await expect.poll(() => rowsIn(sandbox), { interval: 50 }).toEqual([0, 0, 0])
      const doomed = await start()
      const last = await ask(owner.call, doomed)
      await rate(owner.call, doomed, last.answer_id, { verdict: 'right' })
      expect((await owner.call('DELETE', doomed.storage)).status).toBe(200)
      expect(await rowsIn(doomed)).toEqual([0, 0, 0])
    })

    it('are not stored if a cited record is deleted before the reply', async () => {
      const sandbox = await start()
      const cited = await recordId(owner.call, sandbox, 'winter')
      const asking = Array.from({ length: 8 }, async (_, at) => {
        await sleep(at)
        return ask(owner.call, sandbox)
      })
      await owner.call('DELETE', `${sandbox.storage}/records/${cited}`)
      await Promise.all(asking)
      const [left] = await app().cairn.app.sql.transact(owner.userId, (tx) =>
        sql<{ count: number }>`select count(*)::integer as count from answer_record
          where sandbox_id = ${sandbox.id} and record_id = ${cited}`
          .execute(tx)
          .then(({ rows }) => rows),
      )
      expect(left).toEqual({ count: 0 })
    })

    it('are kept for thirty days', async () => {
      const sandbox = await start()
      const answer = await ask(owner.call, sandbox)
      app().clock.advance(30 * DAY_MS - 1)
      expect((await read(owner.call, sandbox, answer.answer_id)).status).toBe(200)
      await deleteExpiredAnswers(app().cairn.app)
      expect((await rowsIn(sandbox))[0]).toBe(1)
      app().clock.advance(1)
      expect((await read(owner.call, sandbox, answer.answer_id)).status).toBe(404)
      expect((await owner.call('GET', `${sandbox.query}/answers`)).body.count).toBe(0)
      await deleteExpiredAnswers(app().cairn.app)
      expect(await rowsIn(sandbox)).toEqual([0, 0, 0])
    })
  })

  describe('access to stored answers', () => {
    it("is limited to the account that asked, or with sharing to the sandbox's owner too", async () => {
      const sandbox = await start()
      const viewer = await share(sandbox, { role: 'viewer' })
      const editor = await share(sandbox, { role: 'editor' })
      const stranger = await app().newAccount()
      const answer = await ask(viewer.call, sandbox)
      const one = `${sandbox.query}/answers/${answer.answer_id}`
      for (const each of [owner, editor, stranger]) {
        for (const [method, path] of [
          ['GET', one],
          ['DELETE', one],
          ['POST', `${one}/share`],
          ['DELETE', `${one}/share`],
        ] as const) {
          expect((await each.call(method, path)).status, `${method} ${path}`).toBe(404)
        }
        expect((await rate(each.call, sandbox, answer.answer_id, { verdict: 'wrong' })).status).toBe(404)
        const { body } = await each.call('GET', `${sandbox.query}/answers`)
        expect(JSON.stringify(body)).not.toContain(answer.answer_id)
      }
      expect((await viewer.call('POST', `${one}/share`)).body.success).toBe(true)
      expect((await owner.call('GET', one)).body).toMatchObject({ shared: true, asked_by: viewer.userId })
      for (const each of [editor, stranger]) expect((await each.call('GET', one)).status).toBe(404)
      expect((await owner.call('DELETE', one)).status).toBe(404)
      expect((await viewer.call('DELETE', `${one}/share`)).body.success).toBe(true)
      expect((await owner.call('GET', one)).status).toBe(404)
      expect((await viewer.call('GET', one)).status).toBe(200)
    })

    it("ends when a cited record leaves the caller's access scope", async () => {
      const sandbox = await start()
      const { body: project } = await owner.call('POST', `${sandbox.storage}/projects`, {
        name: 'Winter',
        data_source_ids: [sandbox.source],
      })
      const member = await share(sandbox, { role: 'editor', project_id: project.project_id })
      const answer = await ask(member.call, sandbox)
      expect(answer.answer_id).toBeDefined()
      expect((await read(member.call, sandbox, answer.answer_id)).status).toBe(200)
      await rate(member.call, sandbox, answer.answer_id, { verdict: 'wrong', note: 'It winters at the New Quay.' })
      expect((await member.call('GET', `${sandbox.query}/feedback`)).body.count).toBe(1)
      const link = `${sandbox.storage}/projects/${project.project_id}/sources/${sandbox.source}`
      expect((await owner.call('DELETE', link)).status).toBe(200)
      expect((await read(member.call, sandbox, answer.answer_id)).status).toBe(404)
      expect((await member.call('GET', `${sandbox.query}/answers`)).body).toMatchObject({ count: 0, answers: [] })
      expect((await rate(member.call, sandbox, answer.answer_id, { verdict: 'right' })).status).toBe(404)
      expect((await member.call('GET', `${sandbox.query}/feedback`)).body).toMatchObject({ count: 0, feedback: [] })
      expect((await member.call('GET', `${sandbox.query}/feedback/questions.csv`)).body).not.toContain('Kestrel')
      expect((await owner.call('GET', `${sandbox.query}/feedback`)).body.count).toBe(1)
    })

    it('excludes answers about the whole sandbox for a caller limited to a project', async () => {
      const sandbox = await start()
      const { body: project } = await owner.call('POST', `${sandbox.storage}/projects`, {
        name: 'Winter',
        data_source_ids: [sandbox.source],
      })
      const editor = await share(sandbox, { role: 'editor', project_id: project.project_id })
      const query = 'Where is the lighthouse keeper Ulfberht?'
      const answer = await ask(owner.call, sandbox, { query })
      expect([answer.outcome, answer.citations]).toEqual(['nothing', []])
      await rate(owner.call, sandbox, answer.answer_id, { verdict: 'wrong' })
      for (const path of ['feedback', 'feedback/questions.csv']) {
        expect(JSON.stringify((await owner.call('GET', `${sandbox.query}/${path}`)).body)).toContain('Ulfberht')
        expect(JSON.stringify((await editor.call('GET', `${sandbox.query}/${path}`)).body)).not.toContain('Ulfberht')
      }
    })

    it('shows an owner who views as a grantee only the owner’s own answers in that scope', async () => {
      const sandbox = await start()
      const viewer = await share(sandbox, { role: 'viewer' })
      const theirs = await ask(viewer.call, sandbox)
      const mine = await ask(owner.call, sandbox)
      const as = `?as_user=${viewer.userId}`
      const { body } = await owner.call('GET', `${sandbox.query}/answers${as}`)
      expect(body.answers.map((each: { answer_id: string }) => each.answer_id)).toEqual([mine.answer_id])
      expect((await owner.call('GET', `${sandbox.query}/answers/${theirs.answer_id}${as}`)).status).toBe(404)
      const seen = await owner.call('POST', `${sandbox.query}/search${as}`, { query: QUESTION })
      expect(seen.body).not.toHaveProperty('answer_id')
    })

    it('ends with the account that asked', async () => {
      const sandbox = await start()
      const viewer = await share(sandbox, { role: 'viewer' })
      const theirs = await ask(viewer.call, sandbox)
      const mine = await ask(owner.call, sandbox)
      await viewer.call('POST', `${sandbox.query}/answers/${theirs.answer_id}/share`)
      await rate(owner.call, sandbox, mine.answer_id, { verdict: 'right' })
      expect((await app().admin('DELETE', `/api/v1/admin/accounts/${viewer.userId}`)).status).toBe(200)
      expect((await read(owner.call, sandbox, theirs.answer_id)).status).toBe(404)
      expect((await rowsIn(sandbox))[0]).toBe(1)
    })
  })

  describe('feedback', () => {
    it("replaces the account's earlier feedback, and is listed with the retrieved records", async () => {
      const sandbox = await start()
      const viewer = await share(sandbox, { role: 'viewer' })
      const answer = await ask(viewer.call, sandbox)
      const expected = await recordId(owner.call, sandbox, 'paint')
      await rate(viewer.call, sandbox, answer.answer_id, { verdict: 'right' })
      const note = 'It is the painter that I asked about.'
      const said = await rate(viewer.call, sandbox, answer.answer_id, {
        verdict: 'wrong',
        note,
        expected_record_ids: [expected, expected],
      })
      expect(said).toMatchObject({ status: 201, body: { verdict: 'wrong', note, expected_record_ids: [expected] } })
      expect((await read(viewer.call, sandbox, answer.answer_id)).body.feedback).toEqual(said.body)
      const path = `${sandbox.query}/feedback`
      const { body } = await owner.call('GET', path)
      expect(body.feedback).toEqual([
        {
          ...said.body,
          user_id: viewer.userId,
          query: QUESTION,
          outcome: 'answered',
          answer: answer.answer,
          asked_at: expect.any(String),
          retrieved: expect.arrayContaining([
            { record_id: await recordId(owner.call, sandbox, 'winter'), rank: expect.any(Number), cited: true },
          ]),
        },
      ])
      expect((await owner.call('GET', `${path}?verdict=right`)).body.count).toBe(0)
      expect((await owner.call('GET', `${path}?verdict=wrong`)).body.count).toBe(1)
      expect((await owner.call('GET', `${path}?verdict=bad`)).status).toBe(422)
      expect((await viewer.call('GET', path)).status).toBe(403)
      expect((await viewer.call('GET', `${path}/questions.csv`)).status).toBe(403)
    })

    it("is limited, and cannot name records outside its author's access scope", async () => {
      const sandbox = await start()
      const elsewhere = await start()
      const answer = await ask(owner.call, sandbox)
      const foreign = await recordId(owner.call, elsewhere, 'paint')
      for (const body of [
        {},
        { verdict: 'bad' },
        { verdict: 'wrong', note: 'x'.repeat(2_001) },
        { verdict: 'wrong', expected_record_ids: Array(51).fill('rec_1') },
        { verdict: 'wrong', expected_record_ids: ['x'.repeat(65)] },
        { verdict: 'wrong', expected_record_ids: [foreign] },
        { verdict: 'wrong', expected_record_ids: ['rec_00000000000000000000000000'] },
      ]) {
        expect((await rate(owner.call, sandbox, answer.answer_id, body)).status, JSON.stringify(body)).toBe(422)
      }
      expect((await rowsIn(sandbox))[2]).toBe(0)
    })

    it('on bad answers is exported as questions, escaped against formula injection', async () => {
      const sandbox = await start()
      const bad = await ask(owner.call, sandbox, { query: '=HYPERLINK("http://x.invalid","Where is Kestrel?")' })
      const good = await ask(owner.call, sandbox)
      const expected = await recordId(owner.call, sandbox, 'winter')
      const note = 'At the quay,\nnot "green".'
      await rate(owner.call, sandbox, bad.answer_id, { verdict: 'wrong', note, expected_record_ids: [expected] })
      await rate(owner.call, sandbox, good.answer_id, { verdict: 'right' })
      const { headers, body } = await owner.call('GET', `${sandbox.query}/feedback/questions.csv`)
      expect(headers['content-type']).toMatch(/^text\/csv/)
      expect(body).toBe(
        'question,expected,record,unanswerable,verdict,note\r\n' +
          `"'=HYPERLINK(""http://x.invalid"",""Where is Kestrel?"")",,${expected},,wrong,"At the quay,\n` +
          'not ""green""."\r\n',
      )
    })
  })

  describe('answers with a customer-managed key', () => {
    const keyed = async () => {
      const key = randomBytes(32)
      const call = withKey(owner.call, key)
      const sandbox = await newSandbox(owner.call)
      // Asked before the sandbox gets the customer-managed key.
      await ask(owner.call, sandbox)
      await putRecords(call, sandbox, [WINTER, OTHER])
      return { key, call, sandbox }
    }
    const stored = ({ id }: TestSandbox) =>
      app().cairn.app.sql.transact(owner.userId, async (tx) => {
        const answers = await tx.selectFrom('answer').select('content').where('sandbox_id', '=', id).execute()
        const said = await tx.selectFrom('answer_feedback').select('content').where('sandbox_id', '=', id).execute()
        return Buffer.concat([...answers, ...said].map(({ content }) => content)).toString('latin1')
      })

    it('are encrypted, and 403 without it', async () => {
      const { call, sandbox } = await keyed()
      const answer = await ask(call, sandbox)
      await rate(call, sandbox, answer.answer_id, { verdict: 'wrong', note: 'The Kestrel is green.' })
      expect(await stored(sandbox)).not.toMatch(/Kestrel|ferry|Quay|verdict|query/)
      expect((await read(call, sandbox, answer.answer_id)).body).toMatchObject({
        answer: answer.answer,
        feedback: { note: 'The Kestrel is green.' },
      })
      for (const path of [`answers/${answer.answer_id}`, 'answers', 'feedback', 'feedback/questions.csv']) {
        expect((await owner.call('GET', `${sandbox.query}/${path}`)).body.error).toBe('encryption_key_required')
      }
      expect((await call('GET', `${sandbox.query}/feedback`)).body.feedback).toHaveLength(1)
    })

    it('are decrypted with the next key after a change, and not with the previous one', async () => {
      const { call, sandbox, key } = await keyed()
      const answer = await ask(call, sandbox)
      await rate(call, sandbox, answer.answer_id, { verdict: 'partly', note: 'The Kestrel is green.' })
      const next = randomBytes(32)
      const rotated = await owner.call('POST', `${sandbox.storage}/rotate-key`, undefined, {
        'x-encryption-key': key.toString('base64'),
        'x-new-encryption-key': next.toString('base64'),
      })
      expect(rotated.status).toBe(200)
      expect((await read(call, sandbox, answer.answer_id)).status).toBe(403)
      const { body } = await read(withKey(owner.call, next), sandbox, answer.answer_id)
      expect(body).toMatchObject({ answer: answer.answer, feedback: { note: 'The Kestrel is green.' } })
    })
  })
})

onEachApp(
  (app) => {
    it('a service that stores no answers returns no ids', async () => {
      const { call } = await app().newAccount()
      const sandbox = await newSandbox(call)
      await putRecords(call, sandbox, [WINTER])
      const { body } = await call('POST', `${sandbox.query}/search`, { query: QUESTION })
      expect(body).toMatchObject({ outcome: 'answered' })
      expect(body).not.toHaveProperty('answer_id')
      expect((await call('GET', `${sandbox.query}/answers`)).body).toMatchObject({ count: 0, answers: [] })
    })
  },
  { CAIRN_ANSWER_DAYS: '0' },
)
