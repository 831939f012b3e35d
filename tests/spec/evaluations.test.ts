import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import { startEvaluator } from '../../packages/server/src/answer/evaluation/evaluator.ts'
import { deleteExpiredEvaluations } from '../../packages/server/src/store/evaluation-rows.ts'
import { withKey } from '../harness/keyed.ts'
import {
  type Call,
  newSandbox,
  onEachApp,
  putRecords,
  type TestAccount,
  type TestSandbox,
} from '../harness/test-app.ts'

const WINTER = {
  external_id: 'winter',
  type: 'note',
  title: 'Winter berths',
  text: 'The ferry Kestrel winters at the Old Quay.',
  author: 'Ana Lima',
}
const PAINT = { external_id: 'paint', type: 'note', text: 'The ferry Kestrel was painted green by Bo Lind.' }
const WHERE = { question: 'Where does the ferry Kestrel winter?', expected: 'at an old quay' }
const COLOUR = { question: 'Who painted the ferry Kestrel?', expected: 'Bo Lind' }
const UNKNOWN = { question: 'Who built the lighthouse of Skagen?', unanswerable: true }
const NEVER = 'job_00000000000000000000000000'
const DAY_MS = 86_400_000
const WAIT_MS = 25
const WAITS_MAX = 1_200

onEachApp((app) => {
  let owner: TestAccount
  let made = 0
  beforeEach(async () => {
    owner = await app().newAccount()
  })

  const start = async (call: Call = owner.call) => {
    made += 1
    const sandbox = await newSandbox(call, `Evaluated ${made}`, 'enterprise')
    await putRecords(call, sandbox, [WINTER, PAINT])
    return sandbox
  }
  const begin = (call: Call, { query: path }: TestSandbox, questions: object[], settings?: object) =>
    call('POST', `${path}/evaluations`, { questions, ...(settings && { settings }) })
  const read = (call: Call, { query: path }: TestSandbox, id: string) => call('GET', `${path}/evaluations/${id}`)
  const ended = async (call: Call, sandbox: TestSandbox, id: string) => {
    for (let waits = 0; waits < WAITS_MAX; waits += 1) {
      const { body } = await read(call, sandbox, id)
      if (['completed', 'failed', 'cancelled'].includes(body.status)) return body
      await sleep(WAIT_MS)
    }
    throw new Error('the evaluation did not end')
  }
  const run = async (call: Call, sandbox: TestSandbox, questions: object[], settings?: object) => {
    const { status, body } = await begin(call, sandbox, questions, settings)
    expect(status, JSON.stringify(body)).toBe(202)
    return ended(call, sandbox, body.job_id)
  }
  const share = async ({ storage }: TestSandbox, how: object) => {
    const grantee = await app().newAccount()
    const { status, body } = await owner.call('POST', `${storage}/connections`, { user_id: grantee.userId, ...how })
    expect(status).toBe(201)
    return { ...grantee, grant: `${storage}/connections/${body.connection_id}` }
  }
  const recordId = async (call: Call, { storage }: TestSandbox, externalId: string): Promise<string> => {
    const { body } = await call('GET', `${storage}/records`)
    return body.records.find((each: { external_id: string }) => each.external_id === externalId).record_id
  }
  const rowsIn = async ({ id }: TestSandbox) => {
    const count = (table: 'evaluation' | 'evaluation_question' | 'evaluation_record') =>
      app().cairn.app.sql.transact(owner.userId, async (tx) => {
        const rows = await tx.selectFrom(table).select('sandbox_id').where('sandbox_id', '=', id).execute()
        return rows.length
      })
    return [await count('evaluation'), await count('evaluation_question'), await count('evaluation_record')]
  }

  describe('an evaluation', () => {
    it('asks every question in the background, grades the answers and checks their citations', async () => {
      const sandbox = await start()
      const winter = await recordId(owner.call, sandbox, 'winter')
      const questions = [
        { ...WHERE, record: winter },
        { ...COLOUR, expected: 'Ida Holm' },
        UNKNOWN,
        { ...WHERE, unanswerable: true },
        { ...UNKNOWN, unanswerable: false, expected: 'Someone' },
        { question: COLOUR.question },
      ]
      const { status, body: accepted } = await begin(owner.call, sandbox, questions, { detail_level: 'detailed' })
      expect(status).toBe(202)
      expect(accepted).toEqual({
        job_id: expect.stringMatching(/^job_/),
        status: 'queued',
        encrypted: false,
        sandbox_id: sandbox.id,
        project_id: null,
        status_url: `${sandbox.query}/evaluations/${accepted.job_id}`,
      })
      const { results, ...summary } = await ended(owner.call, sandbox, accepted.job_id)
      const now = app().clock.now()
      expect(summary).toEqual({
        evaluation_id: accepted.job_id,
        status: 'completed',
        error_message: null,
        settings: { detail_level: 'detailed', preset: 'auto', writer: true, judge: false },
        questions: 6,
        asked: 6,
        erased: 0,
        counts: { right: 1, partly: 0, wrong: 2, rightly_unanswered: 1, wrongly_unanswered: 1, ungraded: 1 },
        statements: expect.any(Number),
        unsupported: 0,
        writer: null,
        judge: null,
        created_at: now.toISOString(),
        started_at: now.toISOString(),
        completed_at: now.toISOString(),
        expires_at: new Date(now.getTime() + 30 * DAY_MS).toISOString(),
      })
      expect(results.map(({ grade }: { grade: string }) => grade)).toEqual([
        'right',
        'wrong',
        'rightly_unanswered',
        'wrong',
        'wrongly_unanswered',
        'ungraded',
      ])
      expect(results[0]).toMatchObject({
        position: 1,
        ...WHERE,
        record: winter,
        graded_by: 'match',
        outcome: 'answered',
        answer: expect.stringContaining('Old Quay'),
        written_by_model: false,
        cited: expect.arrayContaining([winter]),
        unsupported: [],
      })
      expect(results[0]).not.toHaveProperty('missing_records')
      const job = (await owner.call('GET', `${sandbox.storage}/ingest/${accepted.job_id}`)).body
      expect(job).toMatchObject({ job_type: 'evaluation', status: 'completed', result: { questions: 6, right: 1 } })
      const list = (await owner.call('GET', `${sandbox.query}/evaluations`)).body
      expect(list).toEqual({ evaluations: [summary], count: 1 })
      // The questions of an evaluation leave no stored answers.
      expect((await owner.call('GET', `${sandbox.query}/answers`)).body.answers).toEqual([])
    })

    it('is listed in pages and deleted, and only the newest are kept', async () => {
      const sandbox = await start()
      const ids: string[] = []
      for (let count = 0; count < 22; count += 1) {
        ids.push((await run(owner.call, sandbox, [UNKNOWN], { preset: 'fast' })).evaluation_id)
      }
      const path = `${sandbox.query}/evaluations`
      const first = (await owner.call('GET', `${path}?limit=15`)).body
      expect(first.evaluations.map((each: { evaluation_id: string }) => each.evaluation_id)).toEqual(
        ids.toReversed().slice(0, 15),
      )
      const second = (await owner.call('GET', `${path}?limit=15&cursor=${first.next_cursor}`)).body
      expect(second).toMatchObject({ count: 5 })
      expect(second.next_cursor).toBeUndefined()
      const last = ids.at(-1)!
      expect((await owner.call('DELETE', `${path}/${last}`)).body.success).toBe(true)
      for (const id of [last, NEVER, ids[0]!, 'junk']) {
        expect((await read(owner.call, sandbox, id)).status).toBe(404)
        expect((await owner.call('DELETE', `${path}/${id}`)).status).toBe(404)
      }
    })

    it('loses a question when a record that it cites or expects is deleted, and keeps the others', async () => {
      const sandbox = await start()
      const winter = await recordId(owner.call, sandbox, 'winter')
      const paint = await recordId(owner.call, sandbox, 'paint')
      const short = { ...WHERE, question: 'Where does the ferry winter?' }
      const { evaluation_id: id } = await run(owner.call, sandbox, [COLOUR, { ...UNKNOWN, record: paint }, short])
      expect((await owner.call('DELETE', `${sandbox.storage}/records/${paint}`)).status).toBeLessThan(300)
      const left = (await read(owner.call, sandbox, id)).body
      expect(left).toMatchObject({ questions: 3, asked: 1, erased: 2 })
      expect(left.results).toMatchObject([{ position: 3, cited: [winter] }])
      expect(JSON.stringify(left)).not.toContain('green')
      expect(await rowsIn(sandbox)).toEqual([1, 1, 1])
      expect((await owner.call('DELETE', sandbox.storage)).status).toBeLessThan(300)
      expect(await rowsIn(sandbox)).toEqual([0, 0, 0])
    })

    it('is deleted after the retention period of answers', async () => {
      const sandbox = await start()
      const { evaluation_id: id } = await run(owner.call, sandbox, [WHERE])
      app().clock.advance(30 * DAY_MS)
      expect((await read(owner.call, sandbox, id)).status).toBe(404)
      await deleteExpiredEvaluations(app().cairn.app)
      expect(await rowsIn(sandbox)).toEqual([0, 0, 0])
    })

    it('belongs to the account that started it, uses its access scope, and shows only what is in it now', async () => {
      const sandbox = await start()
      const editor = await share(sandbox, { role: 'editor' })
      const viewer = await share(sandbox, { role: 'viewer' })
      const own = await run(editor.call, sandbox, [WHERE])
      expect(own.counts.right).toBe(1)
      expect((await read(owner.call, sandbox, own.evaluation_id)).status).toBe(404)
      expect((await owner.call('GET', `${sandbox.query}/evaluations`)).body.evaluations).toEqual([])
      expect((await begin(viewer.call, sandbox, [WHERE])).status).toBe(403)
      const project = (await owner.call('POST', `${sandbox.storage}/projects`, { name: 'Nothing in it' })).body
      const limited = await share(sandbox, { role: 'editor', project_id: project.project_id })
      const scoped = await run(limited.call, sandbox, [WHERE])
      expect(scoped).toMatchObject({ counts: { wrongly_unanswered: 1 } })
      expect(JSON.stringify(scoped)).not.toContain('Old Quay')
      expect(
        (await begin(limited.call, sandbox, [WHERE], { project_id: 'prj_00000000000000000000000000' })).status,
      ).toBe(404)
    })

    it('is limited, and names invalid input', async () => {
      const sandbox = await start()
      const wrong = async (body: object) => (await owner.call('POST', `${sandbox.query}/evaluations`, body)).status
      expect(await wrong({ questions: [] })).toBe(422)
      expect(await wrong({ questions: Array.from({ length: 501 }, () => UNKNOWN) })).toBe(422)
      expect(await wrong({ questions: [{ question: '' }] })).toBe(422)
      expect(await wrong({ questions: [{ ...WHERE, expected: 'x'.repeat(2_001) }] })).toBe(422)
      expect(
        await wrong({ questions: [{ ...WHERE, record: 'rec_1 '.repeat(1) }], settings: { time_zone: 'Mars' } }),
      ).toBe(422)
      const many = Array.from({ length: 51 }, (_, at) => `rec_${at}`).join(' ')
      expect(await wrong({ questions: [{ ...WHERE, record: many }] })).toBe(422)
      expect((await begin(owner.call, sandbox, [WHERE], { preset: 'max' })).body.reason).toBe('preset_reserved')
      const judged = await begin(owner.call, sandbox, [WHERE], { judge: true })
      expect(judged).toMatchObject({ status: 409, body: { detail: expect.stringContaining('CAIRN_MODEL_BASE_URL') } })
      const empty = await newSandbox(owner.call, 'Empty', 'enterprise')
      expect((await begin(owner.call, empty, [WHERE])).body.detail).toContain('has no records')
      expect((await owner.call('POST', `${sandbox.storage}/suspend`)).status).toBe(200)
      expect((await begin(owner.call, sandbox, [WHERE])).status).toBe(409)
    })

    it('of a sandbox with a customer-managed key is encrypted, and continues when the key is sent again', async () => {
      const call = withKey(owner.call, randomBytes(32))
      const sandbox = await start(call)
      const { evaluation_id: id, counts } = await run(call, sandbox, [WHERE])
      expect(counts.right).toBe(1)
      expect((await read(owner.call, sandbox, id)).status).toBe(403)
      const rows = await app().cairn.app.sql.transact(owner.userId, (tx) =>
        tx.selectFrom('evaluation_question').select('content').where('sandbox_id', '=', sandbox.id).execute(),
      )
      expect(rows.map(({ content }) => content.toString('latin1')).join()).not.toMatch(/Kestrel|Old Quay/)
      const next = randomBytes(32)
      const changed = await call('POST', `${sandbox.storage}/rotate-key`, undefined, {
        'x-new-encryption-key': next.toString('base64'),
      })
      expect(changed.status).toBe(200)
      const shown = (await read(withKey(owner.call, next), sandbox, id)).body
      expect(shown.results).toMatchObject([{ ...WHERE, grade: 'right' }])
    })

    it('stops with a message if its account loses access', async () => {
      const sandbox = await start()
      const editor = await share(sandbox, { role: 'editor' })
      // Prevents questions from being asked before the grant is revoked.
      await app().cairn.app.evaluator.stop()
      const { body } = await begin(editor.call, sandbox, [WHERE])
      expect((await owner.call('DELETE', editor.grant)).status).toBeLessThan(300)
      const again = startEvaluator(app().cairn.app)
      const job = async () => (await owner.call('GET', `${sandbox.storage}/ingest/${body.job_id}`)).body
      for (let waits = 0; (await job()).status !== 'failed' && waits < WAITS_MAX; waits += 1) await sleep(WAIT_MS)
      await again.stop()
      expect(await job()).toMatchObject({
        status: 'failed',
        error_message: 'The account that started the evaluation can no longer edit this sandbox.',
      })
    })
  })
})
