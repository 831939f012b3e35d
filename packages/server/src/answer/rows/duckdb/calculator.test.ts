import type { Cell, Column, ColumnKind, View } from '@cairnstore/engine/tables'
import { DuckDBInstance } from '@duckdb/node-api'
import { describe, expect, it } from 'vitest'
import { createCalculator } from './calculator.ts'

const ROWS_MANY = 20_000
const OWN_TABLES = (
  'duckdb_tables duckdb_columns duckdb_views duckdb_databases duckdb_schemas duckdb_logs duckdb_indexes ' +
  'duckdb_constraints duckdb_types sqlite_master sqlite_schema pragma_database_list pg_class pg_tables pg_settings'
).split(' ')

function column(name: string, kind: ColumnKind): Column {
  return { name, words: [], kind, isPerson: false, labels: new Map(), spellings: new Map(), cells: [] }
}

function viewOf(type: string, empty: Column[], cells: Cell[][]): View {
  const columns = empty.map((each, index) => ({ ...each, cells: cells.map((row) => row[index] ?? null) }))
  const rows = cells.map((_, at) => ({
    recordId: `rec_${at}`,
    citedId: `rec_${at}`,
    externalId: `${at}`,
    title: '',
    occurredAt: null,
  }))
  return { type, nouns: [], columns, rows, people: { labels: new Map(), spellings: new Map() } }
}

const issues = viewOf(
  'issue',
  [column('author', 'text'), column('due "date"', 'time'), column('labels', 'list'), column('points', 'number')],
  [
    ['Ana', Date.parse('2026-06-01'), ['bug', 'ui'], 3],
    ['Ben', Date.parse('2026-07-01'), ['bug'], 5],
    ['Ana', null, [], null],
  ],
)
const many = viewOf(
  'message',
  [column('n', 'number')],
  Array.from({ length: ROWS_MANY }, (_, at) => [at]),
)

/** Record types whose names differ only in case, or resemble a table of the engine except for look-alike letters. */
const alike = ['Issue', 'duc\u212adb_columns'].map((type) => viewOf(type, [column('author', 'text')], [['Cid']]))

const calculator = createCalculator()
const run = (text: string) => calculator.select([issues, many, ...alike], text)

describe('an untrusted query', () => {
  it('counts, groups, joins and compares rows by type and column names', async () => {
    expect(await run('SELECT author, count(*) AS "issues" FROM issue GROUP BY author ORDER BY 2 DESC, 1')).toEqual({
      columns: ['author', 'issues'],
      rows: [
        ['Ana', 2],
        ['Ben', 1],
      ],
      total: 2,
      constants: [],
    })
    expect(
      await run(`
        WITH late AS (SELECT * FROM "issue" WHERE "due ""date""" >= DATE '2026-06-15')
        SELECT late.author, round(avg(late.points), 1) AS points, max(late."due ""date""") AS due,
          list_contains(late.labels, 'bug') AS bug
        FROM late JOIN issue ON late.author = issue.author GROUP BY ALL;`),
    ).toMatchObject({ rows: [['Ben', 5, '2026-07-01 00:00:00', true]], constants: ['2026-06-15', 'bug'] })
    expect(
      await run("SELECT DISTINCT unnest(labels) AS label FROM issue WHERE author ILIKE 'an%' ORDER BY 1"),
    ).toMatchObject({
      rows: [['bug'], ['ui']],
    })
  })

  it('returns a hundred rows and the total number', async () => {
    const found = await run('SELECT n FROM message ORDER BY n -- all of them')
    expect(found).toMatchObject({ total: ROWS_MANY, rows: expect.arrayContaining([[99]]) })
    expect('rows' in found && found.rows).toHaveLength(100)
  })

  it.each([
    ['two statements', 'SELECT 1 FROM issue; DROP TABLE held.t1'],
    ['another statement', "INSERT INTO issue VALUES ('x')"],
    ['a setting', 'PRAGMA database_list'],
    ['a change of settings', "SET temp_directory = '/tmp'"],
    ['another database', "ATTACH '/tmp/x.db'"],
    ['a file written', "COPY issue TO '/tmp/x.csv'"],
    ['an extension', 'INSTALL httpfs'],
    ['nothing at all', ''],
    ['no table', 'SELECT 1'],
    ['values of its own', 'SELECT * FROM (VALUES (1)) AS v'],
    ['a file', "SELECT * FROM '/etc/passwd'"],
    ['a file by a function', "SELECT * FROM read_text('/etc/passwd')"],
    ['a file in a column', "SELECT read_blob('/etc/passwd') FROM issue"],
    ['the environment', "SELECT getenv('HOME'), author FROM issue"],
    ['a setting by a function', "SELECT current_setting('memory_limit') FROM issue"],
    ['a made table', 'SELECT * FROM issue, range(1000000000)'],
    ['a long text', 'SELECT repeat(author, 100000000) FROM issue'],
    ['a text made long', 'SELECT author || author FROM issue'],
    ['somebody else’s rows', 'SELECT * FROM held.t1'],
    ['somebody else’s rows by their bare name', 'SELECT * FROM t1'],
    ['a name given later', 'WITH a AS (SELECT * FROM b), b AS (SELECT * FROM issue) SELECT * FROM a'],
    ['a name within what it names', 'WITH a AS (SELECT * FROM a) SELECT * FROM a, issue'],
    ['a name within a part of what it names', 'WITH a AS (SELECT * FROM (SELECT * FROM a)) SELECT * FROM a'],
    ['rows under a name given elsewhere', 'SELECT * FROM (WITH t1 AS (SELECT 1 FROM issue) SELECT * FROM t1), t1'],
    ['the catalogue', 'SELECT * FROM information_schema.tables'],
    ['the catalogue by its bare name', 'SELECT * FROM duckdb_tables'],
    ['the catalogue by a function', 'SELECT * FROM duckdb_tables()'],
    ['the catalogue by letters that look alike', 'SELECT * FROM duckdb_columns'],
    ['a description', 'DESCRIBE issue'],
    ['a recursion', 'WITH RECURSIVE a AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM a) SELECT x FROM a, issue'],
    ['all with all', 'SELECT count(*) FROM message a, message b, message c'],
    ['all with all in other words', 'SELECT count(*) FROM message a JOIN message b ON a.n <> b.n'],
    ['more tables than it needs', `SELECT 1 FROM issue ${'JOIN issue USING (author) '.repeat(9)}`],
    ['selects in selects', `${'SELECT * FROM ('.repeat(20)}SELECT * FROM issue${')'.repeat(20)}`],
    ['a flood of words', `SELECT ${'points + '.repeat(3_000)} 1 FROM issue`],
    ['a link to show', "SELECT 'https://evil.example' AS see FROM issue"],
    ['a link as a name', 'SELECT author AS "https://evil.example" FROM issue'],
    ['no SQL', 'How many issues are there?'],
  ])('is not run if it is or reads %s', async (_, text) => {
    expect(await run(text)).toEqual({ refused: expect.stringMatching(/was not run/) })
  })

  it.each(OWN_TABLES)('cannot access the engine’s %s under any name', async (table) => {
    const mixed = `${table[0]?.toUpperCase()}${table.slice(1)}`
    for (const text of [
      `WITH ${table} AS (SELECT * FROM ${table}) SELECT * FROM ${table}`,
      `WITH "${mixed}" AS (SELECT * FROM "${mixed}") SELECT * FROM ${table}`,
      `WITH ${table} AS MATERIALIZED (SELECT author FROM issue) SELECT * FROM ${table}`,
      `WITH ${table} AS (WITH ${table} AS (SELECT * FROM ${table}) SELECT * FROM ${table}) SELECT * FROM ${table}`,
      `WITH a AS (WITH ${table} AS (SELECT 1 FROM issue) SELECT * FROM issue) SELECT 1 FROM ${table}, a`,
      `SELECT * FROM issue WHERE author IN (WITH ${table} AS (SELECT 'Ana' FROM ${table}) SELECT * FROM ${table})`,
      `SELECT * FROM issue UNION ALL (WITH ${table} AS (SELECT * FROM ${table}) SELECT * FROM ${table})`,
      `SELECT ${table}.* FROM (SELECT * FROM ${table}) AS ${table}`,
    ]) {
      expect(await run(text), text).toEqual({ refused: expect.stringMatching(/was not run/) })
    }
  })

  it('reads a record type named like an engine table, and names that shadow others', async () => {
    const own = viewOf('duckdb_tables', [column('author', 'text')], [['Dan']])
    expect(await calculator.select([own], 'SELECT * FROM duckdb_TABLES')).toMatchObject({ rows: [['Dan']] })
    expect(await run('SELECT author FROM issue WHERE points = 5')).toMatchObject({ rows: [['Ben']] })
    expect(
      await run(`
        WITH issue AS (SELECT author FROM "ISSUE" WHERE author LIKE 'B%')
        SELECT author FROM (WITH Issue AS (SELECT * FROM issue) SELECT * FROM issue)`),
    ).toMatchObject({ rows: [['Ben']] })
  })

  it('knows the names of the engine’s own tables', async () => {
    const instance = await DuckDBInstance.create(':memory:')
    const connection = await instance.connect()
    const bare = "SELECT view_name FROM duckdb_views() WHERE schema_name IN ('main', 'pg_catalog') AND internal"
    const names = (await connection.runAndReadAll(bare)).getRowsJson().map(([name]) => String(name))
    expect(names).toEqual(expect.arrayContaining(['duckdb_tables', 'pg_class']))
    instance.closeSync()
    expect(names.filter((name) => !/^(duckdb|pg|pragma|sqlite)_/.test(name))).toEqual([])
  })

  it('waits among many queries, and is rejected among more', async () => {
    const all = await Promise.all(Array.from({ length: 24 }, () => run('SELECT count(*) AS n FROM issue')))
    expect(all.filter((each) => 'rows' in each)).toHaveLength(18)
    expect(all.at(-1)).toEqual({ refused: expect.stringMatching(/too many/) })
    expect(await run('SELECT count(*) AS n FROM issue')).toMatchObject({ rows: [[3]] })
  })

  it('is aborted if it takes too long or fails, without affecting later queries', async () => {
    const slow =
      'SELECT count(*) FROM message a JOIN message b ON a.n % 2 = b.n % 2 JOIN message c ON b.n % 2 = c.n % 2'
    expect(await run(slow)).toEqual({ refused: expect.stringMatching(/timed out/) })
    expect(await run('SELECT nothing FROM issue')).toEqual({ refused: expect.stringMatching(/query failed/) })
    expect(await run('SELECT count(*) AS n FROM issue')).toMatchObject({ rows: [[3]] })
  })
})
