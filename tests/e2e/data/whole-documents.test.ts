import { expect, it } from 'vitest'
import { UNLIMITED } from '../../../packages/server/src/config/limits.ts'
import { lines, pdfOf } from '../../harness/documents.ts'
import { type Call, newSandbox, onEachApp, type TestSandbox } from '../../harness/test-app.ts'

const PAGES = 2_000
/** Number of lines per page; it makes the document long enough to be split into several parts. */
const LINES = 12
const ROWS = 20_000
const LONG_MS = 240_000

onEachApp(
  (app) => {
    const send = async (call: Call, { storage }: TestSandbox, body: Buffer | string, path: string) => {
      const sent = await call('POST', `${storage}/import?path=${path}`, body, {
        prefer: 'wait=60',
        'content-type': 'application/octet-stream',
      })
      const { job_id: id } = sent.body
      const job = async () => (await call('GET', `${storage}/ingest/${id}`)).body
      await expect.poll(async () => (await job()).status, { interval: 500 }).toBe('completed')
      return job()
    }

    it(
      'every page of a long document is found, and each part has the id of the document',
      async () => {
        const { call } = await app().newAccount()
        const sandbox = await newSandbox(call)
        const words = 'the quay was swept and the ropes were coiled before the boats came in with the tide'
        const pages = Array.from({ length: PAGES }, (_, at) =>
          lines([
            ...Array.from({ length: LINES }, (_, line) => `On day ${at}.${line} ${words}.`),
            ...(at === PAGES - 1 ? ['The keeper of the last lamp is called Zqornella.'] : []),
          ]),
        )
        const { result } = await send(call, sandbox, pdfOf(pages), 'harbour.pdf')
        expect(result.received).toBeGreaterThan(3)
        expect(result.files).toEqual([{ path: 'harbour.pdf', status: 'read', records: result.received }])
        const asked = { query: 'Who is the keeper of the last lamp?', statements: true }
        const { body } = await call('POST', `${sandbox.query}/search`, asked)
        expect(body.answer).toContain('Zqornella')
        const statement = body.statements.find(({ text }: { text: string }) => text.includes('Zqornella'))
        expect(statement.spans.map(({ locator }: { locator: string }) => locator)).toContain(`p. ${PAGES}`)
        const ids = new Set<string>()
        for (let cursor = ''; ; ) {
          const page = (await call('GET', `${sandbox.storage}/records?limit=100${cursor}`)).body
          for (const record of page.records) ids.add(record.external_id.split('#')[0])
          if (!page.next_cursor) break
          cursor = `&cursor=${page.next_cursor}`
        }
        expect([...ids]).toEqual(['harbour.pdf'])
      },
      LONG_MS,
    )

    it(
      'every row of a long table is a record, and the last is found and counted',
      async () => {
        const { call } = await app().newAccount()
        const sandbox = await newSandbox(call)
        const rows = Array.from(
          { length: ROWS },
          (_, at) => `B-${at + 1},${at === ROWS - 1 ? 'Zqornella' : 'Ana'},${at % 7}`,
        )
        const { result } = await send(call, sandbox, `Booking,Guest,Nights\n${rows.join('\n')}\n`, 'bookings.csv')
        expect(result.failed).toBe(0)
        const answerTo = async (query: string, preset = 'auto') =>
          (await call('POST', `${sandbox.query}/search`, { query, preset })).body.answer as string
        // The `sql` preset parses the rows of a large sandbox in the background, so poll.
        const counted = () => answerTo('How many bookings are there?', 'sql')
        await expect.poll(counted, { interval: 1_000 }).toMatch(/20[,. ]?000/)
        expect(await answerTo('Which booking is of the guest Zqornella?')).toContain(`B-${ROWS}`)
      },
      LONG_MS,
    )
  },
  { CAIRN_LIMITS: JSON.stringify(UNLIMITED) },
)
