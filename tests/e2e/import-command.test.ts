import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newApiKey } from '../../packages/server/src/tenancy/accounts/key-format.ts'
import { compile } from '../../scripts/build.mjs'
import { addressOf, type Child, startScript } from '../harness/child.ts'
import { CLI_BIN, runCommand } from '../harness/command.ts'

const RUN_MS_MAX = 240_000
const key = newApiKey()

let place: string
let url: string
let server: Child

const cairn = (args: string[]) => runCommand(CLI_BIN, args, place, { CAIRN_URL: url, CAIRN_API_KEY: key })

/** Runs a command that must succeed and gives what it printed as JSON. */
async function read(...args: string[]) {
  const { code, stdout, stderr } = await cairn([...args, '--json'])
  expect({ code, stderr }, args.join(' ')).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

beforeAll(async () => {
  compile()
  place = mkdtempSync(join(tmpdir(), 'cairn-import-cli-'))
  const settings = {
    CAIRN_PORT: '0',
    CAIRN_EXAMPLE: 'off',
    CAIRN_DATA: join(place, 'data'),
    CAIRN_BOOTSTRAP_API_KEY: key,
  }
  server = startScript([CLI_BIN, 'serve'], settings)
  url = await addressOf(server)
}, RUN_MS_MAX)
afterAll(async () => {
  server.process.kill('SIGKILL')
  await server.ended
  rmSync(place, { recursive: true, force: true })
})

it('a folder is imported, and what is wrong in it is told', { timeout: RUN_MS_MAX }, async () => {
  const { sandbox_id: id } = await read('sandboxes', 'create', 'Notes')
  const folder = join(place, 'notes')
  const deep = join(
    folder,
    'a-folder-with-a-rather-long-name-to-fill-the-header',
    'über-another-one-that-is-long-as-well',
  )
  mkdirSync(deep, { recursive: true })
  writeFileSync(join(folder, 'index.md'), '# Start\n\nSee [[Night service]].')
  writeFileSync(join(deep, 'Night service.md'), 'The last ferry leaves at 23:40.')
  writeFileSync(join(folder, 'picture.png'), Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\r', 'latin1'))
  const job = await read('import', id, folder)
  expect(job).toMatchObject({ status: 'completed', result: { received: 3, written: 2, failed: 1 } })
  expect(await read('import', id, folder)).toMatchObject({ result: { unchanged: 2 } })
  const lines = join(place, 'memories.jsonl')
  writeFileSync(lines, '{"id":"1","memory":"Likes the night ferry."}\n{"id":"2"}\n')
  const told = await cairn(['import', id, lines, '--source-name', 'Old memory'])
  expect(told).toMatchObject({ code: 0, stdout: expect.stringMatching(/failed +1\n2: .*\(not_understood\)/) })
  expect(await cairn(['import', id, join(folder, 'picture.png')])).toMatchObject({
    stdout: expect.stringContaining('(unsupported_file)'),
  })
  expect(await cairn(['import', id, join(place, 'nowhere')])).toMatchObject({ code: 2 })
  await read('sandboxes', 'delete', id, '--yes')
  expect(await cairn(['import', '--help'])).toMatchObject({ code: 0, stdout: expect.stringContaining('PATH') })
})
