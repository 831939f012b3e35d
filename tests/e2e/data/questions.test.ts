import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, it } from 'vitest'
import { type Answer, type Call, newSandbox, onEachApp, putRecords, type TestSandbox } from '../../harness/test-app.ts'
import { questions, REFERENCE_DATE, refused } from '../../questions/all.ts'
import { faultsOf } from '../../questions/compare.ts'
import { heldOut, heldOutRefused, PRACTICE_DATE, practice } from '../../questions/held-out.ts'
import type { Expected } from '../../questions/workspace-rows.ts'

const FOLDER = join(dirname(fileURLToPath(import.meta.url)), '../../../examples/workspace')
const workspace = JSON.parse(readFileSync(join(FOLDER, 'workspace.json'), 'utf8')) as {
  sources: { provider: string; name: string; file: string }[]
}
const NDJSON = { 'content-type': 'application/x-ndjson', prefer: 'wait=60' }

/** Minimum share of correct answers. The rest must have no answer; a wrong answer always fails. */
const RIGHT_MIN = 0.95

onEachApp((app) => {
  let call: Call
  let company: TestSandbox
  let vets: TestSandbox

  const ask = (at: TestSandbox, query: string, reference_date: string, preset = 'sql'): Promise<Answer> =>
    call('POST', `${at.query}/search`, { query, preset, reference_date })

  /** Returns the record ids that mention each cited entity. */
  const recordsCited = (body: Answer['body']): Promise<string[][]> =>
    Promise.all(
      body.citations.map(async ({ canonical_id: id }: { canonical_id: string }) => {
        const entity = await call('GET', `${company.storage}/entities/${id}`)
        return entity.body.records.map((record: { record_id: string }) => record.record_id)
      }),
    )

  /** Asks all questions. Fails for each wrong answer, and if too many have no answer. */
  async function assertRight(at: TestSandbox, date: string, asked: [Expected, string][]): Promise<void> {
    const wrong: string[] = []
    const notAnswered: string[] = []
    for (const [answer, wording] of asked) {
      const { body } = await ask(at, wording, date)
      if (body.warnings.length > 0) notAnswered.push(wording)
      else wrong.push(...faultsOf(answer, body).map((fault) => `${wording}: ${fault}`))
    }
    expect(wrong).toEqual([])
    const right = 1 - notAnswered.length / asked.length
    expect(right, notAnswered.join('\n')).toBeGreaterThanOrEqual(RIGHT_MIN)
  }

  async function assertRefused(at: TestSandbox, date: string, asked: string[]): Promise<void> {
    for (const query of asked) {
      const { status, body } = await ask(at, query, date)
      expect(status).toBe(200)
      expect(body, query).toMatchObject({ preset: 'sql', columns: [], rows: [], total_rows: 0, citations: [] })
      expect(body.warnings, query).toHaveLength(1)
    }
  }

  beforeAll(async () => {
    call = (await app().newAccount()).call
    company = await newSandbox(call, 'Company')
    for (const { file, provider, name } of workspace.sources) {
      const { body: source } = await call('POST', `${company.storage}/sources`, { provider, name })
      const path = `${company.storage}/sources/${source.data_source_id}/records`
      expect((await call('POST', path, readFileSync(join(FOLDER, file)), NDJSON)).body.status).toBe('completed')
    }
    vets = await newSandbox(call, 'Vets')
    await putRecords(call, vets, practice)
  })

  it('counts, lists, groups and extremes of the example are answered correctly or not at all', () =>
    assertRight(
      company,
      REFERENCE_DATE,
      questions.flatMap(({ answer, wordings }) => wordings.map((wording): [Expected, string] => [answer, wording])),
    ))

  it('answers questions over a workspace that it was not made with', () => assertRight(vets, PRACTICE_DATE, heldOut))

  it('abstains from what rows cannot answer', async () => {
    await assertRefused(company, REFERENCE_DATE, refused)
    await assertRefused(vets, PRACTICE_DATE, heldOutRefused)
  })

  it('cites the entities and records that the answer names', async () => {
    const { body } = await ask(company, 'Who closed the most issues?', REFERENCE_DATE)
    expect(body.citations[0]).toMatchObject({
      canonical_id: expect.stringMatching(/^ent_/),
      name: expect.stringMatching(/^Tom[aá]s Brand[aã]o$/),
      relevance: 1,
    })
    expect(body.citations[0].record_ids).not.toEqual([])
    const listed = (await ask(company, 'Which pull requests are drafts?', REFERENCE_DATE)).body
    const [id] = listed.rows[0]
    expect(await recordsCited(listed)).toEqual([expect.arrayContaining([id])])
    expect((await call('GET', `${company.storage}/records/${id}`)).body.external_id).toBe('quote-api/pull/244')
  })

  it('cites counted, grouped and summed records, the latest first and ten at most', async () => {
    const open = (await ask(company, 'How many issues are open?', REFERENCE_DATE)).body
    const listed = (await ask(company, 'Which issues are open?', REFERENCE_DATE)).body
    expect(open.rows).toEqual([[9]])
    const ids = open.citations.map((citation: { canonical_id: string }) => citation.canonical_id)
    expect(new Set(ids).size).toBe(9)
    expect(await recordsCited(open)).toEqual(listed.rows.map(([id]: [string]) => expect.arrayContaining([id])))
    expect((await ask(company, 'How many issues are open?', REFERENCE_DATE)).body.citations).toEqual(open.citations)
    const grouped = (await ask(company, 'How many issues per status?', REFERENCE_DATE)).body
    expect(grouped.citations).toHaveLength(10)
    const most = (await ask(company, 'Who closed the most issues?', REFERENCE_DATE)).body
    expect(most.citations.length).toBeGreaterThan(1)
    const none = (await ask(company, 'How many issues were closed in 2019?', REFERENCE_DATE)).body
    expect([none.rows, none.citations]).toEqual([[[0]], []])
  })

  it('auto uses rows for a matching question, and briefs for any other', async () => {
    const counted = (await ask(company, 'How many issues are open?', REFERENCE_DATE, 'auto')).body
    expect(counted).toMatchObject({ preset: 'sql', rows: [[9]], warnings: [] })
    const fast = (await ask(company, 'How many issues are open?', REFERENCE_DATE, 'fast')).body
    expect([fast.preset, fast.rows]).toEqual(['fast', undefined])
    const answer = (await ask(company, 'How many duplicate invoices were sent?', REFERENCE_DATE, 'auto')).body
    expect([answer.preset, answer.rows]).toEqual(['auto', undefined])
    expect(answer.answer).toContain('217')
  })

  it('counts current records, and only those of the project', async () => {
    const own = await newSandbox(call, 'Moving')
    const task = (at: number, status: string) => ({
      external_id: `k${at}`,
      type: 'task',
      title: `Task ${at}`,
      properties: { status },
    })
    const open = async (project_id?: string) => {
      const asked = { query: 'How many tasks are open?', preset: 'sql', project_id }
      return (await call('POST', `${own.query}/search`, asked)).body.rows[0]?.[0]
    }
    await putRecords(call, own, [task(1, 'open'), task(2, 'open'), task(3, 'done')])
    const { body: project } = await call('POST', `${own.storage}/projects`, { name: 'Empty' })
    expect(await open()).toBe(2)
    expect(await open(project.project_id)).toBeUndefined()
    await putRecords(call, own, [task(2, 'done')])
    expect(await open()).toBe(1)
    await putRecords(call, own, [{ external_id: 'k1', type: 'task', deleted: true }])
    expect(await open()).toBe(0)
  })

  it('treats hostile values and questions as text', async () => {
    const hostile = await newSandbox(call, 'Hostile')
    const states = ["open'); DROP TABLE t1; --", '__proto__', 'constructor', '%', 'open']
    const names = ['state', '__proto_', "a') x", 'of', 'most', 'number', 'x'.repeat(200)]
    const records = states.map((state, at) => ({
      external_id: `x${at}`,
      type: 'issue',
      title: `Issue ${at}`,
      properties: Object.fromEntries(names.map((name) => [name, state])),
    }))
    await putRecords(call, hostile, records)
    for (const query of [
      'How many issues have the state open?',
      "How many issues have the state open'); DROP TABLE t1; --?",
      `How many issues ${'that are open '.repeat(300)}`,
      `How many issues ${'of most number '.repeat(10)}`,
      'How many issues by __proto__?',
    ]) {
      expect((await ask(hostile, query, REFERENCE_DATE)).status).toBe(200)
    }
    expect((await ask(hostile, 'How many issues are there?', REFERENCE_DATE)).body.rows).toEqual([[states.length]])
  })
})
