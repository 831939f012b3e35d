import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const SCRIPT = fileURLToPath(new URL('../../harness/hold-sandboxes.mjs', import.meta.url))
/** Maximum relative error of the memory estimate. */
const COUNT_ERROR_MAX = 0.25

it('the estimated memory of small graphs matches the measured memory', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-held-'))
  try {
    const output = execFileSync(process.execPath, ['--expose-gc', SCRIPT, folder], { encoding: 'utf8' })
    const { counted, held } = JSON.parse(output) as { counted: number; held: number }
    expect(Math.abs(counted - held) / held).toBeLessThan(COUNT_ERROR_MAX)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
