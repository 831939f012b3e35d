import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Answer, type Call, newSandbox, onEachApp, type TestSandbox } from '../harness/test-app.ts'
import { questions, REFERENCE_DATE, refused } from '../questions/all.ts'
import { faultsOf } from '../questions/compare.ts'

const FOLDER = join(dirname(fileURLToPath(import.meta.url)), '../../examples/workspace')
const workspace = JSON.parse(readFileSync(join(FOLDER, 'workspace.json'), 'utf8')) as {
  sources: { provider: string; name: string; file: string }[]
}
const NDJSON = { 'content-type': 'application/x-ndjson', prefer: 'wait=60' }

/** Wordings that must be answered rightly; the rest must be refused, never answered wrongly. */
const RIGHT_MIN = 0.95

onEachApp((app) => {
  let call: Call
  let sandbox: TestSandbox

  const ask = (query: string, preset = 'sql'): Promise<Answer> =>
    call('POST', `${sandbox.query}/search`, { query, preset, reference_date: REFERENCE_DATE })

  beforeAll(async () => {
    call = (await app().newAccount()).call
    sandbox = await newSandbox(call)
    for (const { file, provider, name } of workspace.sources) {
      const { body: source } = await call('POST', `${sandbox.storage}/sources`, { provider, name })
      const path = `${sandbox.storage}/sources/${source.data_source_id}/records`
      expect((await call('POST', path, readFileSync(join(FOLDER, file)), NDJSON)).body.status).toBe('completed')
    }
  })

  describe('rows', () => {
    it('answers questions for counts, lists, groups and extremes rightly or not at all', async () => {
      const wrong: string[] = []
      const notAnswered: string[] = []
      let count = 0
      for (const { answer, wordings } of questions) {
        for (const wording of wordings) {
          const { body } = await ask(wording)
          count += 1
          if (body.warnings.length > 0) notAnswered.push(wording)
          else wrong.push(...faultsOf(answer, body).map((fault) => `${wording}: ${fault}`))
        }
      }
      const right = (count - wrong.length - notAnswered.length) / count
      const told = JSON.stringify({ right, wrong, notAnswered }, null, 1)
      expect(wrong, told).toEqual([])
      expect(right, told).toBeGreaterThanOrEqual(RIGHT_MIN)
    })

    it('refuses what rows cannot answer', async () => {
      const answered: string[] = []
      for (const query of refused) {
        const { status, body } = await ask(query)
        expect([status, body.preset, body.columns, body.rows]).toEqual([200, 'sql', [], []].map((each) => each))
        if (body.warnings.length === 0) answered.push(`${query} ${body.answer}`)
      }
      expect(answered).toEqual([])
    })
  })
})
