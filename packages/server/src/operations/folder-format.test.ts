import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startScript } from '../../../../tests/harness/child.ts'
import { assertNotForeign, bringUpToDate, FOLDER_FORMAT, type FormatStep, formatOf } from './folder-format.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cairn-format-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Returns steps that record their execution. */
function steps(ran: number[], count: number): FormatStep[] {
  return Array.from({ length: count }, (_, from) => async () => {
    expect(formatOf(folder) ?? 0).toBe(from)
    ran.push(from)
  })
}

it('a new folder has this program’s format, and no step runs', async () => {
  const ran: number[] = []
  await bringUpToDate(folder, steps(ran, 3))
  expect([formatOf(folder), ran]).toEqual([3, []])
  await bringUpToDate(folder, steps(ran, 3))
  expect(ran).toEqual([])
})

it('a folder with foreign files is not a data folder', () => {
  const own = () => assertNotForeign(folder)
  for (const name of ['master.key', 'lock.sock', '.keep']) writeFileSync(join(folder, name), '')
  expect(own).not.toThrow()
  expect(() => assertNotForeign(join(folder, 'not-there'))).not.toThrow()
  writeFileSync(join(folder, 'measurements.csv'), 'a,b\n')
  expect(own).toThrow(/contains files that are not Cairn's\. Set CAIRN_DATA to an empty/)
  mkdirSync(join(folder, 'sql'))
  expect(own).not.toThrow()
})

it('a folder without a format number is migrated step by step, each step once', async () => {
  mkdirSync(join(folder, 'sql'))
  await bringUpToDate(folder)
  expect(formatOf(folder)).toBe(FOLDER_FORMAT)
  writeFileSync(join(folder, 'format'), '1\n')
  const ran: number[] = []
  await bringUpToDate(folder, steps(ran, 4))
  expect([formatOf(folder), ran]).toEqual([4, [1, 2, 3]])
})

it('a folder of a newer version is rejected with a clear error, unchanged', async () => {
  writeFileSync(join(folder, 'format'), '99\n')
  await expect(bringUpToDate(folder)).rejects.toThrow(/has format 99, which a newer Cairn wrote/)
  expect(formatOf(folder)).toBe(99)
})

it('a format that is not a number is rejected', async () => {
  writeFileSync(join(folder, 'format'), 'one')
  await expect(bringUpToDate(folder)).rejects.toThrow(/does not contain a number/)
})

it('a step that was killed midway runs again, but no earlier step', async () => {
  mkdirSync(join(folder, 'sql'))
  const built = fileURLToPath(new URL('../../dist/operations/folder-format.js', import.meta.url))
  const script = `
    import { appendFileSync } from 'node:fs'
    import { bringUpToDate } from ${JSON.stringify(built)}
    const note = (text) => appendFileSync(${JSON.stringify(join(folder, 'ran'))}, text)
    const hang = () => new Promise((resolve) => setTimeout(resolve, 60_000))
    await bringUpToDate(${JSON.stringify(folder)}, [
      async () => note('first '),
      async () => { note('half '); console.log('midway'); await hang() },
      async () => note('never '),
    ])`
  const child = startScript(['--input-type=module', '-e', script])
  await child.untilPrinted(/midway/)
  child.process.kill('SIGKILL')
  expect(await child.ended).toBe('SIGKILL')
  expect(formatOf(folder)).toBe(1)
  const ran: number[] = []
  await bringUpToDate(folder, steps(ran, 3))
  expect([formatOf(folder), ran]).toEqual([3, [1, 2]])
  expect(readFileSync(join(folder, 'ran'), 'utf8')).toBe('first half ')
  expect(existsSync(join(folder, 'format.new'))).toBe(false)
})
