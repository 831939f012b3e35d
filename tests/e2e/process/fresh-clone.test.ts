import { execFile } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freshClone } from '../../harness/fresh-clone.ts'

let clone: string
beforeAll(() => {
  clone = freshClone()
})
afterAll(() => rmSync(clone, { recursive: true, force: true }))

it('a test runs in a fresh clone before anything is built', async () => {
  expect(existsSync(join(clone, 'packages/contract/dist'))).toBe(false)
  const { LONG_TESTS: _, ...env } = process.env
  const args = ['node_modules/vitest/vitest.mjs', 'run', 'tests/tidy.test.ts']
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: clone, env })
  expect(stdout).toMatch(/1 passed/)
})
