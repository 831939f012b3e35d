// Runs the suites that have a command of their own. Usage: node tests/run.mjs NAME [COUNT [SEED]]
//   postgres  what `npm test` runs, on a real PostgreSQL that it starts itself
//   e2e       what takes long or needs whole processes, on both SQL engines
//   fuzz      requests derived from the OpenAPI document, valid ones and ones with one broken rule, to a real process
//   polling   a day of 200 polling sources with failing hosts and dying processes, on both SQL engines
//   pgbouncer what shares a PostgreSQL with others through Debian's PgBouncer in transaction mode
//   model     random steps of several accounts beside a small model of the storage API, on both SQL engines
import { spawnSync } from 'node:child_process'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

const [name = '', count, seed] = process.argv.slice(2)
const BOTH = 'pglite,postgres'
/** @type {Record<string, { paths: string[], env: Record<string, string> }>} */
const RUNS = {
  postgres: { paths: [], env: { TEST_ENGINES: 'postgres' } },
  e2e: { paths: ['tests/e2e'], env: { LONG_TESTS: 'on', TEST_ENGINES: BOTH } },
  fuzz: { paths: ['tests/fuzz'], env: { LONG_TESTS: 'on', FUZZ_REQUESTS: count ?? '20000', ...seeded('FUZZ_SEED') } },
  polling: {
    paths: ['tests/polling'],
    env: {
      LONG_TESTS: 'on',
      TEST_ENGINES: process.env.TEST_ENGINES ?? BOTH,
      POLLING_SOURCES: count ?? '200',
      ...seeded('POLLING_SEED'),
    },
  },
  pgbouncer: { paths: ['tests/pgbouncer'], env: { LONG_TESTS: 'on' } },
  model: {
    paths: ['tests/model'],
    env: { LONG_TESTS: 'on', TEST_ENGINES: BOTH, MODEL_STEPS: count ?? '5000', ...seeded('MODEL_SEED') },
  },
}

/** @param {string} variable */
function seeded(variable) {
  return seed === undefined ? {} : { [variable]: seed }
}

const run = RUNS[name]
if (!run) throw new Error(`There is no run "${name}"; there are ${Object.keys(RUNS).join(', ')}.`)
const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...run.paths], {
  cwd: dirname(dirname(fileURLToPath(import.meta.url))),
  stdio: 'inherit',
  env: { ...process.env, ...run.env },
})
process.exitCode = status ?? 1
