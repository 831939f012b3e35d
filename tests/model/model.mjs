// Takes random steps of several accounts, compares every answer with a small model of the storage API, on each SQL
// engine. Usage: npm run test:model [-- STEPS [SEED]]
import { spawnSync } from 'node:child_process'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

const [steps = '5000', seed] = process.argv.slice(2)
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', 'tests/model'], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, LONG_TESTS: 'on', MODEL_STEPS: steps, ...(seed && { MODEL_SEED: seed }) },
})
process.exitCode = status ?? 1
