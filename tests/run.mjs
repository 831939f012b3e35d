// Runs the test suites that have their own command. Usage: node tests/run.mjs NAME [COUNT [SEED]]
//   postgres  suites of `npm test` that use an SQL engine, on a real PostgreSQL that it starts
//   console   the console in the installed Chromium, with a backend on both SQL engines
//   docs      snippets of the documentation, run in a shell and as programs
//   e2e       slow suites and suites with whole processes, on both SQL engines; COUNT from 0 to 1 draws that share
//             of the suites by the seed, each on one of the engines
//   fuzz      requests derived from the OpenAPI document, valid and with one broken rule, to a real process
//   oauth     consents for hosted MCP servers, with a certified authorization server, on both SQL engines
//   polling   a day of 200 polling sources with failing hosts and dying processes, on both SQL engines
//   pgbouncer suites that share a PostgreSQL through Debian's PgBouncer in transaction mode
//   model     random steps of several accounts, compared with a model of the storage API, on both SQL engines
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const [name = '', count, seed] = process.argv.slice(2)
const ENGINES = ['pglite', 'postgres']
const BOTH = ENGINES.join()
const root = dirname(dirname(fileURLToPath(import.meta.url)))
/** Provides the engine of TEST_ENGINES to suites. A suite that does not import it runs the same on both engines. */
const LENDS_ENGINES = join(root, 'tests/harness/postgres.ts')
/** Environment of runs whose length the caller chooses. */
const LONG = { LONG_TESTS: 'on', TEST_HANGS_MINUTES: '120' }
/** @type {Record<string, { paths: string[], env: Record<string, string> }>} */
const RUNS = {
  postgres: { paths: suitesOnSql(), env: { TEST_ENGINES: 'postgres' } },
  console: { paths: ['tests/console'], env: { LONG_TESTS: 'on', TEST_ENGINES: process.env.TEST_ENGINES ?? BOTH } },
  docs: { paths: ['tests/docs'], env: { LONG_TESTS: 'on' } },
  e2e: { paths: ['tests/e2e'], env: { LONG_TESTS: 'on', TEST_ENGINES: BOTH } },
  oauth: { paths: ['tests/oauth', 'packages/server/src/sources/oauth'], env: { LONG_TESTS: 'on', TEST_ENGINES: BOTH } },
  fuzz: { paths: ['tests/fuzz'], env: { ...LONG, FUZZ_REQUESTS: count ?? '20000', ...seeded('FUZZ_SEED') } },
  polling: {
    paths: ['tests/polling'],
    env: {
      ...LONG,
      TEST_ENGINES: process.env.TEST_ENGINES ?? BOTH,
      POLLING_SOURCES: count ?? '200',
      ...seeded('POLLING_SEED'),
    },
  },
  pgbouncer: { paths: ['tests/pgbouncer'], env: { LONG_TESTS: 'on' } },
  model: {
    paths: ['tests/model'],
    env: { ...LONG, TEST_ENGINES: BOTH, MODEL_STEPS: count ?? '5000', ...seeded('MODEL_SEED') },
  },
}

/** @param {string} variable */
function seeded(variable) {
  return seed === undefined ? {} : { [variable]: seed }
}

/** Returns the suites that depend on the engine of TEST_ENGINES, by their direct and transitive imports. */
function suitesOnSql() {
  /** @type {Map<string, boolean>} */
  const known = new Map([[LENDS_ENGINES, true]])
  const isOnSql = (/** @type {string} */ path) => {
    const before = known.get(path)
    if (before !== undefined) return before
    known.set(path, false)
    const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
    const imported = [...text.matchAll(/(?:from|import) '(\.[^']+)'/g)].map(([, to = '']) => join(dirname(path), to))
    known.set(path, imported.some(isOnSql))
    return known.get(path) === true
  }
  const files = ['packages', 'tests'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(root, folder, path)),
  )
  const suites = files.filter((path) => path.endsWith('.test.ts') && !path.includes('node_modules'))
  return suites.filter(isOnSql).map((path) => relative(root, path))
}

/** Returns the suites of a folder drawn for this engine: a share of all, assigned to the engines by the seed. */
function drawn(/** @type {string} */ folder, /** @type {number} */ share, /** @type {number} */ engine) {
  const isDrawn = (/** @type {string} */ file) => {
    const digest = createHash('sha256').update(`${seed} ${file}`).digest()
    return digest.readUInt8() % ENGINES.length === engine && digest.readUInt32BE(1) < share * 2 ** 32
  }
  const listed = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
  const files = listed.filter((file) => file.endsWith('.test.ts')).sort()
  return files.filter(isDrawn).map((file) => `${folder}/${file}`)
}

/** Runs these suites. Returns true if all pass. */
function hold(/** @type {string[]} */ paths, /** @type {Record<string, string>} */ env) {
  const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...paths], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  })
  return status === 0
}

const run = RUNS[name]
if (!run) throw new Error(`There is no run "${name}". Use one of ${Object.keys(RUNS).join(', ')}.`)
const share = name === 'e2e' && count !== undefined ? Number(count) : undefined
if (share !== undefined && !(share > 0 && share <= 1)) throw new Error('COUNT must be above 0 and at most 1.')
const holds =
  share === undefined
    ? [hold(run.paths, run.env)]
    : ENGINES.map((engine, place) => {
        const suites = drawn('tests/e2e', share, place)
        return suites.length === 0 || hold(suites, { ...run.env, TEST_ENGINES: engine })
      })
process.exitCode = holds.every(Boolean) ? 0 : 1
