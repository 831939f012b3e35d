import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ENCODER = new URL('../../../packages/encoder/src/open-encoder.ts', import.meta.url)

test('a process survives when its encoder is closed at any moment within a text', () => {
  const lines = [
    'for (let waited = 0; waited < 8; waited += 1) {',
    '  const encoder = await openEncoder()',
    "  const left = Promise.allSettled([encoder.encode(['word '.repeat(400)]), encoder.encode(['one'])])",
    '  await new Promise((resolve) => setTimeout(resolve, 4 * waited))',
    '  await encoder.close()',
    '  await left',
    '}',
    "console.log('went on')",
  ]
  expect(runAlone(lines)).toContain('went on')
})

test('the runtime sends no telemetry and stores nothing to send under the home folder', () => {
  const home = mkdtempSync(join(tmpdir(), 'cairn-home-'))
  try {
    const lines = [
      'const encoder = await openEncoder()',
      "await encoder.encode(['Why did the deploy fail?'])",
      'await encoder.close()',
    ]
    runAlone(lines, { HOME: home })
    expect(readdirSync(home)).toEqual([])
  } finally {
    rmSync(home, { recursive: true })
  }
})

/** Runs these lines in a separate process in which `openEncoder` is available. Returns the output. */
function runAlone(lines: readonly string[], env: Record<string, string> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-encoder-'))
  const program = join(folder, 'read.mjs')
  try {
    const hooks = new URL('../../harness/source-hooks.mjs', import.meta.url)
    const before = [
      "import { register } from 'node:module'",
      `register('${hooks}')`,
      `const { openEncoder } = await import('${ENCODER}')`,
    ]
    writeFileSync(program, [...before, ...lines].join('\n'))
    const options = { env: { PATH: process.env.PATH, ...env } }
    return String(
      execFileSync(process.execPath, ['--import', hooks.href.replace('hooks', 'threads'), program], options),
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
