import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newApiKey } from '../../../packages/server/src/tenancy/accounts/key-format.ts'
import { compile } from '../../../scripts/build.mjs'
import { addressOf, type Child, startScript } from '../../harness/child.ts'
import { CLI_BIN, runCommand } from '../../harness/command.ts'

const key = newApiKey()

let place: string
let url: string
let server: Child

const cairn = (args: string[]) => runCommand(CLI_BIN, args, place, { CAIRN_URL: url, CAIRN_API_KEY: key })

/** Progress lines that are printed if reading a file takes longer than a second. */
const PROGRESS = /^Reading .*, \d+ s\n/gm

/** Runs a command that must succeed and returns its JSON output. */
async function read(...args: string[]) {
  const { code, stdout, stderr } = await cairn([...args, '--json'])
  expect({ code, stderr: stderr.replace(PROGRESS, '') }, args.join(' ')).toEqual({ code: 0, stderr: '' })
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
})
afterAll(async () => {
  server.process.kill('SIGKILL')
  await server.ended
  rmSync(place, { recursive: true, force: true })
})

it('a folder is imported, and its errors are printed', async () => {
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
  const imported = await cairn(['import', id, lines, '--source-name', 'Old memory'])
  expect(imported).toMatchObject({ code: 0, stdout: expect.stringMatching(/failed +1\n2: .*\(not_understood\)/) })
  const refused = await cairn(['import', id, join(folder, 'picture.png')])
  expect([refused.code === 0, refused.stderr]).toEqual([false, expect.stringContaining('Supported formats: PDF')])
  expect(await cairn(['import', id, join(place, 'nowhere')])).toMatchObject({ code: 2 })
  await read('sandboxes', 'delete', id, '--yes')
  expect(await cairn(['import', '--help'])).toMatchObject({ code: 0, stdout: expect.stringContaining('PATH') })
})

it('--sync removes deleted files, and --watch adds changed ones', async () => {
  const { sandbox_id: id } = await read('sandboxes', 'create', 'Kept')
  const folder = join(place, 'kept')
  mkdirSync(join(folder, 'in'), { recursive: true })
  writeFileSync(join(folder, 'in', 'lamp.md'), 'The lamp is lit at dusk.')
  writeFileSync(join(folder, 'rates.csv'), 'Berth,Price\nNorth,100\nSouth,250\n')
  writeFileSync(join(folder, 'shops.json'), '[{"id":7,"name":"Quay shop"}]')
  const ids = async () => {
    const records = await read('records', 'list', '--sandbox', id)
    return records.map((each: { external_id: string }) => each.external_id).sort()
  }
  await read('add', folder, '--sandbox', id)
  const before = await ids()
  expect(before).toEqual(['in/lamp.md', 'rates.csv', 'rates.csv#rates!2', 'rates.csv#rates!3', 'shops.json#7'])
  expect(await read('add', '--sync', folder, '--sandbox', id)).toMatchObject({ written: 0, removed: 0 })
  expect(await ids()).toEqual(before)
  rmSync(join(folder, 'rates.csv'))
  expect(await read('add', '--sync', folder, '--sandbox', id)).toMatchObject({ written: 0, removed: 3 })

  const file = await cairn(['add', '--sync', join(folder, 'shops.json'), '--sandbox', id])
  expect([file.code, file.stderr]).toEqual([2, expect.stringContaining('needs a folder')])

  const args = ['add', '--sync', '--watch', folder, '--sandbox', id]
  const watching = startScript([CLI_BIN, ...args], { CAIRN_URL: url, CAIRN_API_KEY: key, HOME: place })
  await watching.untilPrinted(/0 records written/)
  rmSync(join(folder, 'shops.json'))
  writeFileSync(join(folder, 'quay.md'), 'The quay is dry.')
  await watching.untilPrinted(/1 record written.*1 record removed/)
  watching.process.kill('SIGINT')
  expect(await watching.ended).toBe(0)
  expect(await ids()).toEqual(['in/lamp.md', 'quay.md'])
})
