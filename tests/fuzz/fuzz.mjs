// Sends requests that are derived from the OpenAPI document, valid ones and ones with one broken rule, to a process of
// the service, and checks every answer with the document. Usage: npm run test:fuzz [-- REQUESTS [SEED]]
import { spawnSync } from 'node:child_process'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

const [requests = '20000', seed] = process.argv.slice(2)
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', 'tests/fuzz'], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, LONG_TESTS: 'on', FUZZ_REQUESTS: requests, ...(seed && { FUZZ_SEED: seed }) },
})
process.exitCode = status ?? 1
