import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { conditions: ['cairn-source'] },
  ssr: { resolve: { conditions: ['cairn-source', 'node', 'import', 'module', 'default'] } },
  test: { include: ['packages/*/src/**/*.test.ts', 'tests/**/*.test.ts'] },
})
