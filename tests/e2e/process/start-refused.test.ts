import { randomBytes } from 'node:crypto'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Child, startProgram } from '../../harness/child.ts'
import { mountSmallDisk, type SmallDisk } from '../../harness/small-disk.ts'
import { TEST_MASTER_KEY } from '../../harness/test-app.ts'

const MIB = 2 ** 20
const DISK_BYTES = 320 * MIB
const RUN_MS_MAX = 240_000

const root = mkdtempSync(join(tmpdir(), 'cairn-refused-'))
const kept = join(root, 'kept')
const probe = mountSmallDisk(MIB)
probe?.remove()

let disk: SmallDisk | undefined
beforeAll(async () => {
  await stopWhenServing(startProgram([], { CAIRN_DATA: kept }))
  if (probe) disk = mountSmallDisk(DISK_BYTES)
})
afterAll(() => {
  disk?.remove()
  rmSync(root, { recursive: true, force: true })
})

async function stopWhenServing(child: Child): Promise<void> {
  await child.untilPrinted(/listening on/)
  child.process.kill()
  expect(await child.ended).toBe(0)
}

/** Starts with these settings and returns the error message, which must be one line. */
async function refusal(settings: Record<string, string>): Promise<string> {
  const child = startProgram([], settings)
  expect(await child.ended).toBe(1)
  // Remove the progress lines before the error.
  const said = child.printed().replace(/^(?:.+ …\n)*/, '')
  expect(said).toMatch(/^cairn: .+\.\n$/)
  return said
}

it.runIf(probe)(
  'on a full disk a start reports the free space, and the data is served when there is more',
  async () => {
    const [old, fresh] = ['old', 'fresh'].map((name) => join(disk!.path, name)) as [string, string]
    cpSync(kept, old, { recursive: true })
    for (const left of [0, 20]) {
      disk!.fill(left * MIB)
      expect(await refusal({ CAIRN_DATA: fresh })).toMatch(/\d+ MiB free, but needs 64 MiB|on a disk with free space/)
      rmSync(fresh, { recursive: true, force: true })
      if (left === 0) expect(await refusal({ CAIRN_DATA: old })).toMatch(/0 MiB free|on a disk with free space/)
      disk!.empty()
    }
    await stopWhenServing(startProgram([], { CAIRN_DATA: old }))
  },
  RUN_MS_MAX,
)

it.each([
  ['without its control file', (sql: string) => rmSync(join(sql, 'global/pg_control'))],
  ['with noise for a control file', (sql: string) => writeFileSync(join(sql, 'global/pg_control'), randomBytes(8192))],
  ['of another version', (sql: string) => writeFileSync(join(sql, 'PG_VERSION'), '9\n')],
  ['without its tables', (sql: string) => rmSync(join(sql, 'base'), { recursive: true })],
])('a database %s is called damaged, and left as it is', async (name, damage) => {
  const folder = join(root, name.replaceAll(' ', '-'))
  cpSync(kept, folder, { recursive: true })
  damage(join(folder, 'sql'))
  expect(await refusal({ CAIRN_DATA: folder })).toMatch(/cannot be opened: it is damaged.*restore/)
  expect(readFileSync(join(folder, 'master.key'), 'utf8')).toBe(readFileSync(join(kept, 'master.key'), 'utf8'))
})

it('an unreachable server is named by its setting, without its password', async () => {
  const said = await refusal({
    CAIRN_DATA: join(root, 'server'),
    CAIRN_MASTER_KEY: TEST_MASTER_KEY,
    DATABASE_URL: 'postgres://cairn:secret-password@127.0.0.1:1/cairn',
  })
  expect(said).toMatch(/DATABASE_URL cannot be used: connect ECONNREFUSED 127\.0\.0\.1:1\./)
  expect(said).not.toContain('secret-password')
})
