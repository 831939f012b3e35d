import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { compile } from '../../../scripts/build.mjs'
import { startScript } from '../../harness/child.ts'
import { CLI_BIN } from '../../harness/command.ts'

const RUN_MS_MAX = 240_000
const folder = mkdtempSync(join(tmpdir(), 'cairn-temporary-'))
beforeAll(compile, RUN_MS_MAX)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('a process leaves nothing in the temporary folder', { timeout: RUN_MS_MAX }, async () => {
  const temporary = mkdtempSync(join(folder, 'tmp-'))
  const served = startScript([CLI_BIN, 'serve'], {
    CAIRN_PORT: '0',
    CAIRN_EXAMPLE: 'off',
    CAIRN_ENCODER: 'off',
    CAIRN_DATA: join(folder, 'data'),
    TMPDIR: temporary,
  })
  try {
    await served.untilPrinted(/To sign in to the console/, RUN_MS_MAX)
    expect(readdirSync(temporary)).toEqual([expect.stringMatching(/^cairn-/)])
    served.process.kill('SIGTERM')
    await served.ended
    expect(readdirSync(temporary)).toEqual([])
  } finally {
    served.process.kill('SIGKILL')
  }
})
