import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { conditions: ['cairn-source'] },
  ssr: { resolve: { conditions: ['cairn-source', 'node'] } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'tests/**/*.test.ts'],
    // Most of a suite's time is spent waiting for an engine, so there may be more suites than processors.
    maxWorkers: 3,
    globalSetup: './tests/harness/postgres-setup.ts',
    // The suites open real engines, which take their time when both processors are busy.
    testTimeout: 30_000,
    hookTimeout: 120_000,
  },
})
