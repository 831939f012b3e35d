import { configDefaults, defineConfig } from 'vitest/config'
import { RetriedTests } from './tests/harness/retried-tests.mjs'

/** What starts processes or sends thousands of requests has a command of its own: `npm run test:e2e` and others. */
const LONG = [
  'tests/console/**',
  'tests/docs/pages.test.ts',
  'tests/docs/receivers.test.ts',
  'tests/e2e/**',
  'tests/fuzz/**',
  'tests/model/**',
  'tests/polling/**',
  'tests/pgbouncer/**',
]

export default defineConfig({
  resolve: { conditions: ['cairn-source'] },
  // What runs the global setup has an environment of its own, which takes no other's conditions.
  environments: { __vitest__: { resolve: { conditions: ['cairn-source', 'node'] } } },
  ssr: { resolve: { conditions: ['cairn-source', 'node'] } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'tests/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...(process.env.LONG_TESTS === undefined ? LONG : [])],
    // Much of a suite's time is spent waiting for an engine, so there may be more suites than processors; each worker
    // loads the program and opens a database of its own.
    maxWorkers: 3,
    // Loading the program anew for each of the hundred suites would take as long as running them.
    isolate: false,
    // A thread that reads documents is of the sources as well.
    execArgv: ['--import', new URL('./tests/harness/source-threads.mjs', import.meta.url).href],
    globalSetup: './tests/harness/postgres-setup.ts',
    // The suites open real engines, which take their time when both processors are busy.
    testTimeout: 90_000,
    hookTimeout: 120_000,
    // Whole processes share a machine there. What passes only when it is repeated is noted, and fails on a later day.
    retry: process.env.CI === undefined ? 0 : 1,
    reporters: process.env.CI === undefined ? ['default'] : ['default', new RetriedTests()],
  },
})
