// Runs what needs whole processes: the command line, stopping under load, backup and restore. Usage: npm run test:e2e
import { spawnSync } from 'node:child_process'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', 'tests/e2e'], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, LONG_TESTS: 'on' },
})
process.exitCode = status ?? 1
