// Runs the suite of `npm test` on a real PostgreSQL that it starts itself. Usage: npm run test:postgres
import { spawnSync } from 'node:child_process'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run'], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, TEST_ENGINES: 'postgres' },
})
process.exitCode = status ?? 1
