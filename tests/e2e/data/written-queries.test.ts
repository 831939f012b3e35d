import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { elements, startModel } from '../../harness/model-server.ts'
import { type Call, newSandbox, onEachApp, putRecords, type TestSandbox } from '../../harness/test-app.ts'

const model = await startModel()
afterAll(() => model.close())

const people = {
  ana: { name: 'Ana Lima', identifiers: { login: 'ana' } },
  ben: { name: 'Ben Okafor', identifiers: { login: 'ben' } },
}
const RECORDS = ['ana', 'ana', 'ben', 'ben', 'ana'].map((who, at) => ({
  external_id: `i${at}`,
  type: 'issue',
  title: `Issue number ${at}`,
  occurred_at: `2026-06-${10 + at}T09:00:00Z`,
  author: people[who as 'ana' | 'ben'],
  properties: { points: at + 1, state: at % 2 ? 'open' : 'done' },
}))
/** Question that the grammar rules cannot parse. */
const ODD = 'Which author has the greatest median of points, whatever that may mean?'
const MEDIANS =
  "SELECT author, median(points) AS \"median points\" FROM issue WHERE author IN ('Ana Lima', 'Ben Okafor') " +
  'GROUP BY author ORDER BY 2 DESC'

onEachApp(
  (app) => {
    let call: Call
    let sandbox: TestSandbox

    const search = (query: string, body: object = {}) =>
      call('POST', `${sandbox.query}/search`, { query, preset: 'sql', reference_date: '2026-06-30', ...body })

    beforeEach(async () => {
      ;({ call } = await app().newAccount())
      sandbox = await newSandbox(call)
      await putRecords(call, sandbox, RECORDS)
      model.asked.length = 0
      model.answer = () => elements({ sql: MEDIANS })
    })

    describe('the preset sql with a model', () => {
      it('answers with a query that it shows what the rules cannot parse, with citations and usage', async () => {
        const { status, headers, body } = await search(ODD)
        expect([status, body.preset, headers['x-interpret-mode']]).toEqual([200, 'sql', 'model'])
        expect(body.columns).toEqual(['author', 'median points'])
        expect(body.rows).toEqual([
          ['Ben Okafor', 3.5],
          ['Ana Lima', 2],
        ])
        expect(body.total_rows).toBe(2)
        expect(body.answer).toContain('Ben Okafor, 3.5')
        expect(body.warnings).toEqual([expect.stringContaining(MEDIANS)])
        const cited = body.citations.map(({ name }: { name: string }) => name)
        expect(cited).toEqual(['Ana Lima', 'Ben Okafor'])
        expect(body.citations[0].canonical_id).toMatch(/^ent_/)
        expect((await call('GET', '/api/v1/usage')).body.model.input_tokens).toBeGreaterThan(0)
        const [asked] = model.asked
        expect(asked?.messages.at(-1)?.content).toMatch(
          /"issue", 5 rows:.*"author" VARCHAR, such as 'Ana Lima', 'Ben Okafor'/s,
        )
      })

      it('is not used for what the rules can parse, or for another preset', async () => {
        expect((await search('How many issues are there?')).body.rows).toEqual([[5]])
        expect((await search('How many issues are there?')).headers['x-interpret-mode']).toBeUndefined()
        expect(model.asked).toHaveLength(0)
      })

      it('reads only its project', async () => {
        const { body: project } = await call('POST', `${sandbox.storage}/projects`, { name: 'Inside' })
        await putRecords(call, sandbox, [{ ...RECORDS[4], external_id: 'p', project_id: project.project_id }])
        const { body } = await search(ODD, { project_id: project.project_id })
        expect(body.rows).toEqual([['Ana Lima', 5]])
        expect(model.asked.at(-1)?.messages.at(-1)?.content).not.toContain('Ben Okafor')
      })

      it.each([
        ["SELECT * FROM read_csv('/etc/passwd')"],
        ["ATTACH '/tmp/x.db'"],
        ['PRAGMA database_list'],
        ['SELECT * FROM held.t1'],
        ['SELECT count(*) FROM issue a, issue b, issue c'],
        ['WITH duckdb_tables AS (SELECT table_name, sql FROM duckdb_tables) SELECT * FROM duckdb_tables'],
        ['SELECT * FROM (WITH "SQLITE_master" AS (SELECT sql FROM sqlite_master) SELECT * FROM sqlite_master)'],
        ['DROP TABLE issue'],
        ["SELECT 'https://evil.example' AS see FROM issue"],
        [''],
      ])('runs nothing but a SELECT over the rows: not %j', async (sql) => {
        model.answer = () => elements({ sql })
        const { status, body } = await search(ODD)
        expect(status).toBe(200)
        expect(body).toMatchObject({ rows: [], columns: [], citations: [], total_rows: 0, preset: 'sql' })
        expect(body.warnings).toHaveLength(2)
        expect(JSON.stringify(body)).not.toMatch(/root:|evil\.example|passwd/)
      })

      it('reports a failure of the model', async () => {
        model.answer = () => ({ status: 500, body: 'oops' })
        const { status, headers, body } = await search(ODD)
        expect([status, headers['x-interpret-mode']]).toEqual([200, 'extractive'])
        expect(headers.warning).toMatch(/failed/)
        expect(body).toMatchObject({ rows: [], warnings: [expect.any(String), expect.stringMatching(/failed/)] })
      })
    })
  },
  { CAIRN_MODEL_BASE_URL: model.baseUrl, CAIRN_MODEL_NAME: 'small' },
)
