import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { compile } from '../../../scripts/build.mjs'
import { type Child, startScript } from '../../harness/child.ts'
import { freePort } from '../../harness/free-port.mjs'
import { openTerminal, type Terminal } from '../../harness/terminal.ts'
import { zipOf } from '../../harness/zip.ts'

const RUN_MS_MAX = 300_000
const CLONE = fileURLToPath(new URL('../../..', import.meta.url))
const README = readFileSync(join(CLONE, 'README.md'), 'utf8')
const COMMANDS_MAX = 5

let place: string
let server: Child
let terminal: Terminal
/** True if the database existed when the first line was printed. */
let wasMadeBefore: boolean
/** Commands that a new user typed, in order. */
const typed: string[] = []

beforeAll(async () => {
  compile()
  place = mkdtempSync(join(tmpdir(), 'cairn-newcomer-'))
  for (const folder of ['empty', 'home']) mkdirSync(join(place, folder))
  const port = await freePort()
  // `npm start` runs next to the shell, as the README says first.
  expect(README).toContain('\nnpm start\n')
  typed.push('npm start')
  const settings = { CAIRN_DATA: join(place, 'data'), CAIRN_PORT: String(port) }
  server = startScript([join(CLONE, 'scripts/start.mjs')], settings)
  const sql = join(place, 'data/sql')
  server.process.stdout?.once('data', () => {
    wasMadeBefore = existsSync(join(sql, 'PG_VERSION')) && !existsSync(`${sql}.unfinished`)
  })
  await server.untilPrinted(/listening on/, RUN_MS_MAX)
  // The CLI finds the service through the data folder.
  terminal = openTerminal(CLONE, { CAIRN_DATA: settings.CAIRN_DATA, HOME: join(place, 'home') })
  await terminal.until(/[$#] $/)
})
afterAll(async () => {
  await terminal.close()
  server.process.kill('SIGTERM')
  await server.ended
  rmSync(place, { recursive: true, force: true })
})

/** Types a command and answers each prompt with Enter. Returns the output and the exit code. */
async function run(command: string, questions: readonly RegExp[] = []): Promise<{ said: string; code: number }> {
  typed.push(command)
  terminal.type(`${command}; echo "code=$?."`)
  await terminal.until(/code=\$\?\."/)
  for (const question of questions) {
    await terminal.until(question)
    terminal.type('')
  }
  const said = await terminal.until(/code=\d+\./)
  return { said, code: Number(/code=(\d+)\./.exec(said)?.[1]) }
}

/** Creates twenty typical files; two of them have unsupported formats. */
function makeFiles(folder: string): void {
  mkdirSync(join(folder, 'mails'), { recursive: true })
  const write = (name: string, content: string | Buffer) => writeFileSync(join(folder, name), content)
  const quays = ['north', 'south', 'east', 'west', 'inner', 'outer', 'old']
  for (const quay of quays) write(`${quay}-quay.md`, `# The ${quay} quay\n\nThe ${quay} quay was swept in March.`)
  write('kestrel.md', '# Kestrel\n\nThe crane Kestrel stood still because its brake was worn. Ada Berg replaced it.')
  for (const boat of ['Alma', 'Bris', 'Cora', 'Dagny', 'Ebba', 'Freja']) {
    write(`${boat}.txt`, `${boat} was painted last spring.`)
  }
  for (const [at, topic] of ['Ropes', 'Lamps', 'Fenders'].entries()) {
    const head = `From: Ivo Lind <ivo@harbour.example>\nTo: ada@harbour.example\nSubject: ${topic}\n`
    write(`mails/${topic}.eml`, `${head}Date: Mon, ${at + 2} Mar 2026 09:00:00 +0000\n\nWe need new ${topic} in May.\n`)
  }
  const packed = [
    { name: 'tides.md', content: '# Tides\n\nThe highest tide of 2025 was on 3 February.' },
    { name: 'chart.dwg', content: 'AC1032\0\0\0\0\0\u0001\u0002\u0003\u0004\u0005\0\0' },
  ]
  write('archive.zip', zipOf(packed))
  write('quay.png', Buffer.from('89504e470d0a1a0a0000000d4948445200000001', 'hex'))
  write('budget.numbers', Buffer.from('00ff0001fe0003fd', 'hex'))
}

it('a first start logs its steps from the first moment, and none twice', async () => {
  const [printed] = await server.untilPrinted(/Starting on [\s\S]*Question: /, RUN_MS_MAX)
  expect(wasMadeBefore).toBe(false)
  expect(printed).toMatch(
    /^Starting on .*data: .*\n(?:cairn: .*\n)*Creating the database.*\n(?:.+ …\n)+Cairn is listening on /,
  )
  const lines = printed.split('\n').filter((line) => line !== '')
  expect(lines.filter((line, at) => lines.indexOf(line) !== at)).toEqual([])
})

it('README and help texts lead from an empty folder to an answer', async () => {
  const definition = /^cairn\(\) .*$|^CLONE=.*cairn\(\).*$/m.exec(README)?.[0] ?? ''
  expect(definition).toContain('packages/cli/bin/cairn.js')
  expect((await run(definition)).code).toBe(0)
  terminal.type(`cd ${join(place, 'empty')}`)
  await terminal.until(/[$#] $/)

  expect(README).toMatch(/^cairn init$/m)
  const begun = await run('cairn init', [/Which sandbox\?/, /What should it be called\?/])
  expect(begun, begun.said).toMatchObject({ code: 0 })
  expect(begun.said).toContain('cairn add FILE|FOLDER…')
  expect(statSync(join(place, 'home/.config/cairn/profiles.json')).mode & 0o777).toBe(0o600)

  makeFiles(join(place, 'empty/files'))
  expect(README).toMatch(/^cairn add \S+/m)
  const added = await run('cairn add files')
  expect(added.code, added.said).toBe(3)
  expect(added.said).toContain('18 records written')
  expect(added.said).toMatch(/Left out: 3/)
  for (const name of ['quay.png', 'budget.numbers', 'archive.zip/chart.dwg']) expect(added.said).toContain(name)
  expect(added.said).toMatch(/This is an image, which is not supported[\s\S]*Supported: PDF/)

  expect(README).toMatch(/^cairn ask "/m)
  const answered = await run('cairn ask "Why did the crane Kestrel stand still?"')
  expect(answered.code).toBe(0)
  expect(answered.said).toContain('brake was worn')
  expect(answered.said).toMatch(/Sources:[\s\S]*kestrel\.md/)
  expect(typed.length, typed.join('\n')).toBeLessThanOrEqual(COMMANDS_MAX)
})
