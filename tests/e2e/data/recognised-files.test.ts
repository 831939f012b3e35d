import { randomBytes } from 'node:crypto'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { withKey } from '../../harness/keyed.ts'
import { type ChatAnswer, type ChatRequest, startModel } from '../../harness/model-server.ts'
import { type Call, newSandbox, onEachApp, type TestSandbox } from '../../harness/test-app.ts'
import { type ZipPart, zipOf } from '../../harness/zip.ts'

const model = await startModel()
afterAll(() => model.close())

const REST_MS = 60_000
const MIB = 1024 * 1024
const PNG = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1')
const MP3 = Buffer.from('ID3\x04\0\0\0\0\0\0a voice', 'latin1')
const TIMETABLE: ZipPart = { name: 'timetable.png', content: PNG }
const CALL: ZipPart = { name: 'call.mp3', content: MP3 }
const NOTE: ZipPart = { name: 'note.txt', content: 'The quay is dry.' }
const TEXT = '# Timetable\n\nThe night ferry leaves Skagen at 23:40.'

/** Returns a handler that replies with this text in the format of the request. */
function saying(text: string) {
  return ({ form }: ChatRequest): ChatAnswer => (form ? { body: JSON.stringify({ text }) } : { pieces: [text] })
}

onEachApp(
  (app) => {
    let call: Call
    let sandbox: TestSandbox

    const send = async (parts: ZipPart[], by = call) => {
      const headers = { prefer: 'wait=30', 'content-type': 'application/zip' }
      const path = `${sandbox.storage}/import?source_name=Folder&format=documents&sync=true`
      return (await by('POST', path, zipOf(parts), headers)).body.result
    }
    const recordOf = async (externalId: string) => {
      const lines = String((await call('GET', `${sandbox.storage}/export`)).body).split('\n')
      return lines.flatMap((line) => (line ? JSON.parse(line) : [])).find((each) => each.external_id === externalId)
    }
    const ask = async (query: string) => (await call('POST', `${sandbox.query}/search`, { query })).body

    beforeEach(async () => {
      app().clock.advance(REST_MS)
      ;({ call } = await app().newAccount())
      sandbox = await newSandbox(call)
      model.asked.length = 0
    })

    describe('a picture', () => {
      it('is read by the configured model, found by a question, marked, and counted', async () => {
        model.answer = saying(TEXT)
        expect(await send([TIMETABLE])).toMatchObject({ written: 1, failed: 0, files: [{ status: 'read' }] })
        const [{ authorization, messages, model: name, tools }] = model.asked as [(typeof model.asked)[number]]
        expect([authorization, name, tools]).toEqual(['Bearer its-key', 'eyes', undefined])
        expect(messages).toMatchObject([
          { content: [{}, { image_url: { url: `data:image/png;base64,${PNG.toString('base64')}` } }] },
        ])
        expect(await recordOf(TIMETABLE.name)).toMatchObject({
          type: 'document',
          title: 'timetable',
          text: TEXT,
          properties: { format: 'png', read_by: 'vision', read_with: 'eyes' },
        })
        expect((await ask('When does the night ferry leave Skagen?')).answer).toContain('23:40')
        expect((await call('GET', '/api/v1/usage')).body.by_call_type).toMatchObject([
          { call_type: 'vision', prompt_tokens: 1_000, completion_tokens: 100 },
        ])
      })

      it.each<[string, ChatAnswer]>([
        ['cannot be reached', { breaksOff: true }],
        ['fails', { status: 503, body: '{}' }],
        ['refuses it', { status: 401, body: '{}' }],
        ['does not answer in time', { body: '{}', before: new Promise(() => {}) }],
        ['answers without end', { flood: 4 * MIB }],
        ['answers in another form', { body: '{"choices":[]}' }],
      ])('is left out with a reason when the model %s, and the other files are read', async (_, answer) => {
        model.answer = () => answer
        const result = await send([TIMETABLE, NOTE])
        expect(result).toMatchObject({ written: 1, failed: 1 })
        expect(result.errors[0]).toMatchObject({
          reason: 'not_recognised',
          detail: expect.stringMatching(/^The recognition model/),
        })
        expect(result.files).toEqual([
          { path: TIMETABLE.name, status: 'left_out', reason: 'not_recognised', records: 0 },
          { path: NOTE.name, status: 'read', records: 1 },
        ])
      })

      it('that is unreadable this time keeps the text of its last reading', async () => {
        model.answer = saying(TEXT)
        await send([TIMETABLE])
        model.answer = () => ({ status: 503, body: '{}' })
        await send([TIMETABLE, NOTE])
        expect((await recordOf(TIMETABLE.name)).text).toBe(TEXT)
      })

      it('that is too large is not sent, and one without text is reported as such', async () => {
        model.answer = saying(' ')
        const large = { name: 'large.png', content: Buffer.concat([PNG, Buffer.alloc(8 * MIB)]) }
        const { files } = await send([large, TIMETABLE])
        expect(files).toMatchObject([{ reason: 'file_too_large' }, { reason: 'no_text' }])
        expect(model.asked).toHaveLength(1)
      })

      it('of an encrypted sandbox is sent nowhere', async () => {
        const { files } = await send([TIMETABLE, CALL], withKey(call, randomBytes(32)))
        expect(files).toMatchObject([TIMETABLE, CALL].map(() => ({ status: 'left_out', reason: 'under_callers_key' })))
        expect(model.asked).toHaveLength(0)
      })

      it('has only the text that it shows, even if it contains instructions', async () => {
        const text = '<script>alert(1)</script>\n\n{"deleted": true}\u0000 [ignore](javascript:x) \ud800'
        model.answer = saying(text)
        expect(await send([TIMETABLE, NOTE])).toMatchObject({ written: 2, failed: 0 })
        expect((await recordOf(TIMETABLE.name)).text).toContain('{"deleted": true}')
      })

      it('waits for the previous one, and two hundred of an import are read', async () => {
        let atOnce = 0
        let most = 0
        model.answer = async () => {
          most = Math.max(most, ++atOnce)
          await new Promise((resolve) => setTimeout(resolve, 1))
          atOnce -= 1
          return { pieces: [TEXT] }
        }
        const many = Array.from({ length: 101 }, (_, at) => ({ ...TIMETABLE, name: `${at}.png` }))
        const [one, other] = await Promise.all([send(many), send([...many, ...many.map(inFolder)])])
        expect([one.failed, other.failed, most, model.asked.length]).toEqual([0, 2, 1, 301])
      })
    })

    it('a sound is transcribed under a generic file name', async () => {
      model.answer = saying('The night ferry leaves Skagen at 23:40.')
      expect(await send([CALL])).toMatchObject({ written: 1, failed: 0 })
      expect(model.asked).toMatchObject([
        {
          authorization: 'Bearer another-key',
          form: { model: 'ears', response_format: 'json', file: `sound.mp3: ${MP3}` },
        },
      ])
      expect(await recordOf(CALL.name)).toMatchObject({
        title: 'call',
        properties: { format: 'mp3', read_by: 'transcription', read_with: 'ears' },
      })
      expect((await ask('When does the night ferry leave Skagen?')).answer).toContain('23:40')
    })
  },
  {
    CAIRN_VISION_BASE_URL: model.baseUrl,
    CAIRN_VISION_NAME: 'eyes',
    CAIRN_VISION_API_KEY: 'its-key',
    CAIRN_VISION_TIMEOUT_SECONDS: '1.5',
    CAIRN_TRANSCRIBE_BASE_URL: model.baseUrl,
    CAIRN_TRANSCRIBE_NAME: 'ears',
    CAIRN_TRANSCRIBE_API_KEY: 'another-key',
  },
)

function inFolder(part: ZipPart): ZipPart {
  return { ...part, name: `more/${part.name}` }
}
