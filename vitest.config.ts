import { existsSync, statfsSync } from 'node:fs'
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
  'tests/oauth/**',
  'tests/polling/**',
  'tests/pgbouncer/**',
]

/** Where Linux keeps files in memory, and how much must be free there for what all suites write at a time. */
const IN_MEMORY = '/dev/shm'
const ROOM_BYTES = 4 * 1024 ** 3

// Suites make thousands of small files and flush each of them. On a disk that takes longer than most tests compute.
// The long suites keep to the disk: some are about what it holds after a crash, or fill it.
if (process.env.TMPDIR === undefined && process.env.LONG_TESTS === undefined && roomIn(IN_MEMORY) >= ROOM_BYTES) {
  process.env.TMPDIR = IN_MEMORY
}

/** Returns the free bytes of a file system, none where there is no such folder. */
function roomIn(folder: string): number {
  if (!existsSync(folder)) return 0
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/** Longer than anything takes on a machine that does ten other things. */
const HANGS_MS = Number(process.env.TEST_HANGS_MINUTES ?? 15) * 60_000

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
    execArgv: ['source-threads', 'end-with-runner'].flatMap((name) => [
      '--import',
      new URL(`./tests/harness/${name}.mjs`, import.meta.url).href,
    ]),
    globalSetup: './tests/harness/postgres-setup.ts',
    // Safety nets against hangs, and nothing else: no test relies on how fast the machine is, so tests name no timeouts
    // of their own. `tests/run.mjs` allows more where its caller chooses the number of steps.
    testTimeout: HANGS_MS,
    hookTimeout: HANGS_MS,
    teardownTimeout: HANGS_MS,
    expect: { poll: { timeout: HANGS_MS / 2 } },
    // Whole processes share a machine there. What passes only when it is repeated is noted, and fails on a later day.
    retry: process.env.CI === undefined ? 0 : 1,
    reporters: process.env.CI === undefined ? ['default'] : ['default', new RetriedTests()],
  },
})
