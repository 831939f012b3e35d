import { randomBytes } from 'node:crypto'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { conceptVector, untilVectored, vectorsFor } from '../../harness/concepts.ts'
import { type ChatAnswer, type ChatRequest, startModel } from '../../harness/model-server.ts'
import {
  type Call,
  newSandbox,
  onEachApp,
  putRecords,
  type TestAccount,
  type TestSandbox,
} from '../../harness/test-app.ts'

const model = await startModel()
afterAll(() => model.close())

const DIMENSIONS = 96
const REST_MS = 60_000
const honest = (request: ChatRequest) => vectorsFor(request, (text) => conceptVector(text, DIMENSIONS))

const RECORDS = [
  ['garage', 'The automobile came back with a malfunction of the brakes.'],
  ['purse', 'The funds for the spring are spent.'],
  ['clinic', 'A physician looks after us on Tuesdays.'],
  ['bakery', 'They bring a loaf each morning.'],
  ['office', 'The printer hums in the corner.'],
].map(([external_id, text], at) => ({ external_id, type: 'note', occurred_at: `2026-06-0${at + 1}T09:00:00Z`, text }))
/** Question that shares no word with the record it is about. */
const PARAPHRASE = { query: 'Which car is broken?', reference_date: '2026-06-30' }

onEachApp(
  (app) => {
    let account: TestAccount
    let call: Call
    let sandbox: TestSandbox

    const discover = (body: object = {}, of = sandbox, by = call) =>
      by('POST', `${of.query}/discover`, { ...PARAPHRASE, ...body })
    const found = async (body: object = {}, of = sandbox, by = call): Promise<string[]> => {
      const { status, body: reply } = await discover(body, of, by)
      expect(status).toBe(200)
      return reply.items.map((item: { external_id: string }) => item.external_id)
    }
    const filled = async (name: string, records: object[]) => {
      const made = await newSandbox(call, name)
      await putRecords(call, made, records)
      await untilVectored(app(), account.userId, made)
      return made
    }
    beforeEach(async () => {
      app().clock.advance(REST_MS)
      model.answer = honest
      account = await app().newAccount()
      call = account.call
      sandbox = await filled('Records', RECORDS)
      model.asked.length = 0
    })

    describe('vectors', () => {
      it('find paraphrases, and are not used by the fast preset', async () => {
        expect(await found({ preset: 'fast' })).not.toContain('garage')
        expect(model.asked).toHaveLength(0)
        expect(await found()).toEqual(['garage'])
        const { body } = await discover()
        expect(body.items[0]).toMatchObject({ score: 1, summary: expect.stringContaining('automobile') })
        expect(await discover()).toMatchObject({ body })
        expect(model.asked[0]).toMatchObject({ model: 'compare', input: ['ask: Which car is broken?'] })
        expect(model.asked[0]?.authorization).toBe('Bearer its-key')
        const { body: answer } = await call('POST', `${sandbox.query}/search`, PARAPHRASE)
        expect(answer.answer).toContain('automobile')
      })

      it('are billed to the account', async () => {
        await discover()
        const { body } = await call('GET', '/api/v1/usage')
        expect(body.model).toEqual({ input_tokens: 60, output_tokens: 0, cost_usd: 0.0006 })
      })

      it('rank below results that match all keywords', async () => {
        const query = 'Which printer in the corner is like a faulty vehicle?'
        expect((await found({ query, preset: 'fast' }))[0]).toBe('office')
        expect((await found({ query })).slice(0, 2).sort()).toEqual(['garage', 'office'])
      })

      it('are those of the newest version of a record, and of no removed one', async () => {
        const kept = { type: 'note', occurred_at: '2026-06-09T09:00:00Z' }
        const later = [
          { ...kept, external_id: 'garage', text: 'The parking lot is swept.' },
          { ...kept, external_id: 'yard', text: 'A sedan arrived with a defect of its lights.' },
        ]
        await putRecords(call, sandbox, later)
        await untilVectored(app(), account.userId, sandbox)
        expect(await found()).toEqual(['yard'])
        await putRecords(call, sandbox, [{ external_id: 'yard', type: 'note', deleted: true }])
        expect(await found()).toEqual([])
      })

      it('of records outside the scope are neither shown nor displace those in it', async () => {
        const { body: other } = await call('POST', `${sandbox.storage}/sources`, { provider: 'github', name: 'Other' })
        const theirs = { ...sandbox, records: `${sandbox.storage}/sources/${other.data_source_id}/records` }
        const crowd = Array.from({ length: 300 }, (_, at) => ({
          external_id: `crowd${at}`,
          type: 'note',
          text: `Vehicle ${at}: defect.`,
        }))
        await putRecords(call, theirs, crowd)
        const sources = { data_source_ids: [sandbox.source] }
        const { body: project } = await call('POST', `${sandbox.storage}/projects`, { name: 'Mine', ...sources })
        await untilVectored(app(), account.userId, sandbox)
        const all = await found({ limit: 20 })
        expect(all.filter((id) => id.startsWith('crowd')).length).toBeGreaterThan(all.length - 2)
        expect(await found({ project_id: project.project_id })).toEqual(['garage'])
        const guest = await app().newAccount()
        const grant = { user_id: guest.userId, role: 'viewer', project_id: project.project_id }
        expect((await call('POST', `${sandbox.storage}/connections`, grant)).status).toBe(201)
        expect(await found({}, sandbox, guest.call)).toEqual(['garage'])
        const alone = await filled('Alone', RECORDS)
        const scored = async (body: object, of: TestSandbox) =>
          (await discover(body, of)).body.items.map(({ external_id: id, score }: Record<string, unknown>) => [
            id,
            score,
          ])
        const query = 'Which car is broken, and who brings a loaf to the printer?'
        expect(await scored({ query, project_id: project.project_id }, sandbox)).toEqual(await scored({ query }, alone))
      })

      it('cover every passage of a long text', async () => {
        const filler = 'Every morning the crew washes the deck and counts the ropes. '.repeat(12)
        const text = Array.from(
          { length: 30 },
          (_, at) => `## Part ${at}\n\n${filler}${at === 17 ? 'The sedan was faulty.' : ''}\n\n`,
        ).join('')
        const ship = await filled('Ship', [{ external_id: 'log', type: 'document', title: 'Log', text }])
        const { body } = await discover({}, ship)
        expect(body.items.map((item: { external_id: string }) => item.external_id)).toEqual(['log'])
      })

      it('are not computed for encrypted content, and its questions are not sent to the model either', async () => {
        const key = { 'x-encryption-key': randomBytes(32).toString('base64') }
        const sealed = await newSandbox(call, 'Sealed')
        await call('POST', sealed.records, { records: RECORDS }, { ...key, prefer: 'wait=30' })
        // A later sandbox is embedded, so the encrypted one was skipped.
        await filled('Later', [{ external_id: 'later', type: 'note', text: 'The last of them.' }])
        const { status } = await call('POST', `${sealed.query}/discover`, PARAPHRASE, key)
        expect(status).toBe(200)
        expect(model.asked.flatMap(({ input = [] }) => input)).toEqual(['tell: The last of them.'])
      })

      const truths = Array.from({ length: DIMENSIONS }, () => true)
      it.each<[string, ChatAnswer]>([
        ['does not answer', { body: '{}', before: new Promise(() => {}) }],
        ['answers 429', { status: 429, body: '{}' }],
        ['answers 500', { status: 500, body: 'oops' }],
        ['answers with bad JSON', { body: '{"data"' }],
        ['gives a vector of another length', { body: '{"data":[{"index":0,"embedding":[1,2,3]}]}' }],
        ['gives no numbers', { body: JSON.stringify({ data: [{ index: 0, embedding: truths }] }) }],
        ['gives NaN', { body: '{"data":[{"index":0,"embedding":[NaN]}]}' }],
        ['sends 10 MB', { body: '{}', flood: 10 * 1024 * 1024 }],
        ['breaks off', { body: '{}', breaksOff: true }],
      ])('of a model that %s leave the answer as it is without them, with a warning', async (_, answer) => {
        const query = 'Who looks after the car on Tuesdays?'
        const { body: graph } = await discover({ query, preset: 'fast' })
        expect(graph.count).toBeGreaterThan(0)
        model.answer = () => answer
        const { status, headers, body } = await discover({ query })
        expect([status, body]).toEqual([200, graph])
        expect(headers.warning).toMatch(/^199 cairn "The embedding model/)
        const { body: searchReply } = await call('POST', `${sandbox.query}/search`, { ...PARAPHRASE, query })
        expect(searchReply.warnings).toEqual([expect.stringMatching(/The embedding model/)])
      })

      it('are computed when the model recovers', async () => {
        let refusals = 0
        const refusing: ChatAnswer[] = [{ status: 429, body: '{}' }, { body: '{"data":[]}' }]
        model.answer = (request) => refusing[refusals++] ?? honest(request)
        const late = await filled('Late', RECORDS)
        expect(refusals).toBeGreaterThan(refusing.length)
        expect(await found({}, late)).toEqual(['garage'])
      })

      it('are missing only for a text that the model rejects', async () => {
        const isTooMuch = ({ input = [] }: ChatRequest) => input.some((text) => text.includes('physician'))
        model.answer = (request) => (isTooMuch(request) ? { status: 400, body: '{}' } : honest(request))
        const most = await filled('Most', RECORDS)
        expect(await found({}, most)).toEqual(['garage'])
        expect(await found({ query: 'Our medic?' }, most)).not.toContain('clinic')
        expect(await found({ query: 'Our medic?' })).toEqual(['clinic'])
      })
    })
  },
  {
    CAIRN_EMBED_BASE_URL: model.baseUrl,
    CAIRN_EMBED_NAME: 'compare',
    CAIRN_EMBED_API_KEY: 'its-key',
    CAIRN_EMBED_DIMENSIONS: String(DIMENSIONS),
    CAIRN_EMBED_QUERY_PREFIX: 'ask:',
    CAIRN_EMBED_TEXT_PREFIX: 'tell:',
    CAIRN_EMBED_TIMEOUT_SECONDS: '0.5',
    CAIRN_EMBED_PRICE: '10',
    CAIRN_EMBED_REQUESTS_PER_MINUTE: '60000',
  },
)
