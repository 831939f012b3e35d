import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { conceptVector, vectorsFor } from '../harness/concepts.ts'
import { keyForgotten, withKey } from '../harness/keyed.ts'
import { type ChatRequest, startModel } from '../harness/model-server.ts'
import { type Call, newSandbox, onEachApp, putRecords, type TestSandbox } from '../harness/test-app.ts'

const MODEL = fileURLToPath(new URL('../../packages/encoder/model', import.meta.url))
const LOOK_MS = 50

const model = await startModel()
afterAll(() => model.close())
const DIMENSIONS = 32

const RECORDS = [
  ['car', 'The automobile came back from the garage with faulty brakes.'],
  ['money', 'The funds for the spring are spent.'],
  ['doctor', 'A physician sees patients here on Tuesdays.'],
  ['printer', 'The printer hums in the corner.'],
].map(([external_id, text]) => ({ external_id, type: 'note', text }))
const PARAPHRASE = { query: 'Which vehicle is broken?' }

/** Waits until every record of a sandbox is embedded. */
async function untilRead(call: Call, sandbox: TestSandbox): Promise<{ model: string; records: number }> {
  for (;;) {
    const { reading } = (await call('GET', `${sandbox.storage}/usage`)).body
    if (reading.waiting === 0 && reading.records > 0) return reading
    await sleep(LOOK_MS)
  }
}

onEachApp(
  (app) => {
    describe('the encoder', () => {
      let call: Call
      let sandbox: TestSandbox

      beforeAll(async () => {
        call = (await app().newAccount()).call
        sandbox = await newSandbox(call, 'Notes')
        await putRecords(call, sandbox, RECORDS)
      })

      it('finds paraphrases, is not used by the fast preset, and usage shows its progress', async () => {
        expect(await untilRead(call, sandbox)).toMatchObject({
          model: expect.stringMatching(/^all-MiniLM-L6-v2@[0-9a-f]{12}$/),
          records: RECORDS.length,
        })
        const first = async (body: object) => {
          const reply = await call('POST', `${sandbox.query}/discover`, { ...PARAPHRASE, ...body })
          expect([reply.status, reply.headers.warning]).toEqual([200, undefined])
          return reply.body.items[0]?.external_id
        }
        expect(await first({})).toBe('car')
        expect(await first({ preset: 'fast' })).toBeUndefined()
        // The encoder's work is shown in the metrics.
        const figures = async () => (await app().anonymous('GET', '/metrics')).body as string
        for (const work of ['question', 'texts']) {
          await expect.poll(figures).toContain(`work="reader.${work}"`)
        }
      })

      it('answers paraphrased questions, and abstains if nothing is similar', async () => {
        const ask = async (query: string) => (await call('POST', `${sandbox.query}/search`, { query })).body
        expect(await ask(PARAPHRASE.query)).toMatchObject({
          answered: true,
          answer: expect.stringContaining('automobile'),
        })
        expect(await ask('What is the shoe size of the physician?')).toMatchObject({ answered: false, citations: [] })
      })

      it('uses only keywords for a question in another language', async () => {
        for (const query of ['Welches Fahrzeug ist kaputt und warum ist es nicht da?', 'どの車が壊れていますか']) {
          const { body } = await call('POST', `${sandbox.query}/discover`, { query })
          expect(body.items).toEqual([])
        }
      })

      it('re-embeds a newer version, and the meaning of the older one is no longer found', async () => {
        await putRecords(call, sandbox, [{ external_id: 'car', type: 'note', text: 'Lunch is at noon.' }])
        await untilRead(call, sandbox)
        const { body } = await call('POST', `${sandbox.query}/discover`, PARAPHRASE)
        expect(body.items.map((item: { external_id: string }) => item.external_id)).not.toContain('car')
      })

      it('has embedded the records that a sender waits for', async () => {
        const other = await newSandbox(call, `Notes of ${randomUUID()}`)
        const sent = await call('POST', other.records, { records: RECORDS }, { prefer: 'wait=60, reading' })
        expect([sent.status, sent.body.status]).toEqual([200, 'completed'])
        const { body: usage } = await call('GET', `${other.storage}/usage`)
        expect(usage.reading).toMatchObject({ records: RECORDS.length, waiting: 0 })
        const { body } = await call('POST', `${other.query}/discover`, PARAPHRASE)
        expect(body.items[0]?.external_id).toBe('car')
      })

      it('embeds encrypted records while a request has the key, and finds them like all others', async () => {
        const keyed = withKey(call, randomBytes(32))
        const sealed = await newSandbox(call, `Sealed ${randomUUID()}`)
        const sent = await keyed('POST', sealed.records, { records: RECORDS }, { prefer: 'wait=60, reading' })
        expect([sent.status, sent.body.status]).toEqual([200, 'completed'])
        const plain = await newSandbox(call, `Plain ${randomUUID()}`)
        await call('POST', plain.records, { records: RECORDS }, { prefer: 'wait=60, reading' })
        const found = async (by: Call, { query }: TestSandbox) => {
          const { status, headers, body } = await by('POST', `${query}/discover`, PARAPHRASE)
          expect([status, headers.warning]).toEqual([200, undefined])
          return body.items.map((item: { external_id: string; score: number }) => [item.external_id, item.score])
        }
        expect(await found(keyed, sealed)).toEqual(await found(call, plain))
        expect((await found(keyed, sealed))[0]?.[0]).toBe('car')
        const { body } = await keyed('POST', `${sealed.query}/search`, PARAPHRASE)
        expect(body).toMatchObject({ answered: true, answer: expect.stringContaining('automobile') })
        const nothing = await keyed('POST', `${sealed.query}/search`, {
          query: 'What is the shoe size of the physician?',
        })
        expect(nothing.body.answered).toBe(false)
        await keyForgotten(app(), sealed.id)
        const { body: usage } = await call('GET', `${sealed.storage}/usage`)
        expect(usage.reading).toMatchObject({ records: RECORDS.length, waiting: 0 })
        // After a key rotation all records are embedded again, although nothing is sent again.
        const next = randomBytes(32)
        await keyed('POST', `${sealed.storage}/rotate-key`, undefined, {
          'x-new-encryption-key': next.toString('base64'),
        })
        const renewed = withKey(call, next)
        await untilRead(call, sealed)
        expect(await found(renewed, sealed)).toEqual(await found(call, plain))
        // A record is also embedded if its sender does not wait.
        const late = { external_id: 'late', type: 'note', text: 'Lunch is at noon.' }
        await renewed('POST', sealed.records, { records: [late] })
        const readOf = async () => (await call('GET', `${sealed.storage}/usage`)).body.reading
        const read = { records: RECORDS.length + 1, waiting: 0 }
        await expect.poll(readOf).toMatchObject(read)
      })
    })
  },
  { CAIRN_ENCODER: MODEL },
)

// A model server can delay its vectors as long as the test needs; the built-in model cannot.
onEachApp(
  (app) => {
    it('warns in time about records that are not embedded yet, with every affected question', async () => {
      const question = 'Why does the crate wait?'
      const vectors = (request: ChatRequest) => vectorsFor(request, (text) => conceptVector(text, DIMENSIONS))
      let release = () => {}
      const isReleased = new Promise<void>((resolve) => {
        release = resolve
      })
      model.answer = async (request) => {
        if (request.input?.some((text) => !text.includes(question))) await isReleased
        return vectors(request)
      }
      const { call } = await app().newAccount()
      const sandbox = await newSandbox(call, 'Crates')
      const records = Array.from({ length: 3 }, (_, at) => ({
        external_id: `${at}`,
        type: 'note',
        text: `Crate ${at} waits.`,
      }))
      const early = await call('POST', sandbox.records, { records }, { prefer: 'wait=1, reading' })
      expect(early.status).toBe(202)
      await call('POST', sandbox.records, { records }, { prefer: 'wait=60' })
      // Replies also carry the warning, unless they need no vectors.
      const said = /^\d+ records? (is|are) not embedded yet/
      const asked = { query: question }
      for (const way of ['search', 'context']) {
        const { body: answer } = await call('POST', `${sandbox.query}/${way}`, asked)
        expect(answer).toMatchObject({ warnings: [expect.stringMatching(said)] })
      }
      const { headers } = await call('POST', `${sandbox.query}/discover`, asked)
      expect(headers.warning).toMatch(/not embedded yet/)
      const fast = await call('POST', `${sandbox.query}/search`, { ...asked, preset: 'fast' })
      expect(fast.body.warnings).toEqual([])
      release()
      await untilRead(call, sandbox)
      expect((await call('POST', `${sandbox.query}/search`, asked)).body.warnings).toEqual([])
    })
  },
  {
    CAIRN_EMBED_BASE_URL: model.baseUrl,
    CAIRN_EMBED_NAME: 'compare',
    CAIRN_EMBED_DIMENSIONS: String(DIMENSIONS),
    CAIRN_EMBED_REQUESTS_PER_MINUTE: '60000',
  },
)
