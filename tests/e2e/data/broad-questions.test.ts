import { readFileSync } from 'node:fs'
import { splitSentences } from '@cairnstore/engine/text'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Call, newSandbox, onEachApp, putRecords, type TestSandbox } from '../../harness/test-app.ts'
import { HANDBOOK, HANDBOOK_RECORDS } from '../../questions/broad/handbook.ts'
import { HOLDINGS } from '../../questions/broad/holdings.ts'
import { LIBRARY, LIBRARY_RECORDS } from '../../questions/broad/library.ts'
import { NORHAVEN } from '../../questions/broad/norhaven.ts'
import type { BroadQuestion } from '../../questions/broad/question.ts'

const EXAMPLE = new URL('../../../examples/workspace/', import.meta.url)
const readExample = (file: string) => readFileSync(new URL(file, EXAMPLE), 'utf8')
/** Minimum share of questions whose first sentence contains the expected text. */
const ANSWERED_MIN = 0.9

onEachApp((app) => {
  let call: Call
  let sandboxes: { sandbox: TestSandbox; questions: readonly BroadQuestion[] }[]

  const fill = async (name: string, records: unknown[], questions: readonly BroadQuestion[]) => {
    const sandbox = await newSandbox(call, name)
    await putRecords(call, sandbox, records)
    return { sandbox, questions }
  }

  beforeAll(async () => {
    call = (await app().newAccount()).call
    const files = ['chat.ndjson', 'code-host.ndjson', 'tracker.ndjson']
    const lines = files.flatMap((file) => readExample(file).trim().split('\n'))
    sandboxes = [
      await fill(
        'Norhaven',
        lines.map((line) => JSON.parse(line)),
        NORHAVEN,
      ),
      await fill('Library', LIBRARY_RECORDS, LIBRARY),
      await fill('Handbook', HANDBOOK_RECORDS, HANDBOOK),
    ]
  })

  describe('questions about a person, an entity or the whole sandbox', () => {
    it('are answered in the first sentence', async () => {
      const missed: string[] = []
      let asked = 0
      for (const { sandbox, questions } of sandboxes) {
        for (const [query, says] of questions) {
          const { status, body } = await call('POST', `${sandbox.query}/search`, {
            query,
            reference_date: '2026-07-31',
          })
          expect(status).toBe(200)
          const [first = ''] = splitSentences(body.answer)
          asked += 1
          if (!says.test(first)) missed.push(`${query} – ${first}`)
        }
      }
      expect(asked).toBe(60)
      expect(missed.length / asked, missed.join('\n')).toBeLessThanOrEqual(1 - ANSWERED_MIN)
    })

    it.each(HOLDINGS)('“%s” is answered from the overview', async (query) => {
      for (const { sandbox } of sandboxes) {
        const { record_count: count } = (await call('GET', `${sandbox.storage}/overview`)).body
        const { body } = await call('POST', `${sandbox.query}/search`, { query, reference_date: '2026-07-31' })
        expect(body).toMatchObject({ answered: true, preset: 'auto' })
        expect(body.answer).toMatch(new RegExp(`^There are ${count} records here`))
      }
    })

    it('an overview is mostly about topics that several records share', async () => {
      const sandbox = await newSandbox(call, 'Shared')
      const about = (name: string) => [{ type: 'project', name }]
      await putRecords(call, sandbox, [
        { external_id: '1', type: 'note', text: 'The pump runs.', entities: about('Quillmoor') },
        { external_id: '2', type: 'note', text: 'The gate opens.', entities: about('Quillmoor') },
        { external_id: '3', type: 'note', text: 'The lamp is lit.', entities: about('Oddfellow') },
      ])
      const { body } = await call('POST', `${sandbox.query}/search`, { query: 'What do you know?' })
      expect(body.answer).toMatch(/^There are 3 records here, most about Quillmoor\./)
    })

    it('a list of records of a type is still answered from rows', async () => {
      const { body } = await call('POST', `${sandboxes[0]!.sandbox.query}/search`, { query: 'List the documents' })
      expect(body).toMatchObject({ preset: 'sql', total_rows: 3 })
    })
  })
})
