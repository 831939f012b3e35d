import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { create } from 'tar'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { backUp } from './backup.ts'
import { restore } from './restore.ts'

const EMPTY_BYTES = 4 * 2 ** 20
const FILES: Record<string, string | Buffer> = {
  format: '1\n',
  'sql/base/1': 'rows',
  'sql/wal/0001': Buffer.alloc(EMPTY_BYTES),
  'knowledge/t/a.lance': Buffer.from([0, 255, 10, 13]),
  'knowledge/t/empty': '',
}
const KEYS = { 'master.key': 'secret', 'admin.key': 'secret too' }

let place: string
let folder: string
let archive: string
let target: string
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'cairn-backup-'))
  folder = join(place, 'data')
  archive = join(place, 'one.backup')
  target = join(place, 'restored')
  for (const below of ['sql/base', 'sql/wal/archive_status', 'knowledge/t']) {
    mkdirSync(join(folder, below), { recursive: true })
  }
  for (const [path, content] of Object.entries({ ...FILES, ...KEYS })) writeFileSync(join(folder, path), content)
})
afterEach(() => rmSync(place, { recursive: true, force: true }))

function contents(root: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const entry of readdirSync(root, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile()) found[path.slice(root.length + 1)] = readFileSync(path).toString('base64')
  }
  return found
}

/** Asserts that a failed restore left no folder and no part of one. */
function expectNothing(): void {
  expect(readdirSync(place).filter((name) => name.startsWith('restored'))).toEqual([])
}

it('a restored folder has every file and every empty folder, readable only by its owner', async () => {
  await backUp(folder, archive, true, systemClock)
  expect(statSync(archive).mode & 0o077).toBe(0)
  expect(statSync(archive).size).toBeLessThan(EMPTY_BYTES / 10)
  const manifest = await restore(archive, target)
  expect(manifest).toMatchObject({ with_keys: true, folder_format: 1 })
  expect(contents(target)).toEqual(contents(folder))
  expect(statSync(join(target, 'sql/wal/archive_status')).isDirectory()).toBe(true)
  expect(statSync(join(target, 'master.key')).mode & 0o077).toBe(0)
  expect(readdirSync(place).sort()).toEqual(['data', 'one.backup', 'restored'])
})

it('the local cache of buckets is not in a backup', async () => {
  mkdirSync(join(folder, 'cache/sbx_1'), { recursive: true })
  writeFileSync(join(folder, 'cache/sbx_1/piece'), 'x')
  await backUp(folder, archive, true, systemClock)
  await restore(archive, target)
  expect(existsSync(join(target, 'cache'))).toBe(false)
  expect(Object.keys(contents(target)).sort()).toEqual(Object.keys({ ...FILES, ...KEYS }).sort())
})

it('keys are omitted unless requested, and sockets always', async () => {
  const server = createServer().listen(join(folder, 'lock.sock'))
  await backUp(folder, archive, false, systemClock)
  server.close()
  await restore(archive, target)
  expect(Object.keys(contents(target)).sort()).toEqual(Object.keys(FILES).sort())
})

it('a truncated archive is rejected wherever it ends, and leaves no files', async () => {
  await backUp(folder, archive, true, systemClock)
  const bytes = readFileSync(archive)
  for (let part = 0; part < 20; part += 1) {
    writeFileSync(archive, bytes.subarray(0, Math.floor((bytes.length * part) / 20)))
    await expect(restore(archive, target), `${part} of 20 parts`).rejects.toThrow(/is not a complete Cairn backup/)
    expectNothing()
  }
})

it('a modified archive is rejected and leaves no files, unless only padding was modified', async () => {
  await backUp(folder, archive, true, systemClock)
  const bytes = readFileSync(archive)
  const whole = contents(folder)
  const header = 10
  let refused = 0
  let tried = 0
  for (let at = header; at < bytes.length - 1; at += Math.ceil(bytes.length / 30)) {
    const altered = Buffer.from(bytes)
    altered[at]! ^= 0x10
    writeFileSync(archive, altered)
    tried += 1
    try {
      await restore(archive, target)
      expect(contents(target), `byte ${at} of ${bytes.length}`).toEqual(whole)
      rmSync(target, { recursive: true })
    } catch (cause) {
      expect(String(cause)).toMatch(/is not a complete Cairn backup/)
      expectNothing()
      refused += 1
    }
  }
  expect(refused).toBeGreaterThan(tried * 0.8)
})

it('an archive whose files differ from its manifest is rejected', async () => {
  const manifest = await backUp(folder, archive, false, systemClock)
  const packed = async (change: (manifest: { files: { path: string; sha256: string }[] }) => void) => {
    const staged = structuredClone(manifest)
    change(staged)
    writeFileSync(join(folder, 'cairn-backup.json'), JSON.stringify(staged))
    rmSync(archive)
    const names = ['cairn-backup.json', ...manifest.files.map(({ path }) => path)]
    await create({ cwd: folder, gzip: true, file: archive }, names)
  }
  await packed(() => undefined)
  await restore(archive, target)
  rmSync(target, { recursive: true })
  const wrong: ((manifest: { files: { path: string; sha256: string }[] }) => void)[] = [
    ({ files }) => void files.pop(),
    ({ files }) => void files.push({ ...files[0]!, path: 'more' }),
    ({ files }) => void Object.assign(files[1]!, { sha256: '0'.repeat(64) }),
    ({ files }) => void Object.assign(files[1]!, { bytes: 3 }),
    ({ files }) => void Object.assign(files[1]!, { path: '../outside' }),
    ({ files }) => void Object.assign(files[1]!, { path: '/tmp/outside' }),
    (all) => void Object.assign(all, { cairn_backup: 2 }),
    (all) => void Object.assign(all, { files: 'none' }),
  ]
  for (const change of wrong) {
    await packed(change)
    await expect(restore(archive, target), String(change)).rejects.toThrow(/is not a complete Cairn backup/)
    expectNothing()
  }
})

it('a file that is not a backup, and a newer backup, are rejected with a clear error', async () => {
  await expect(restore(archive, target)).rejects.toThrow(/does not exist/)
  for (const bytes of ['', 'some text', '{}'.repeat(1_000)]) {
    writeFileSync(archive, bytes)
    await expect(restore(archive, target)).rejects.toThrow(/is not a complete Cairn backup/)
  }
  await create({ cwd: folder, gzip: true, file: archive }, ['format', 'sql'])
  await expect(restore(archive, target)).rejects.toThrow(/is not a complete Cairn backup/)
  const newer = { cairn_backup: 1, folder_format: 99, made_at: '', with_keys: false, folders: [], files: [] }
  writeFileSync(join(folder, 'cairn-backup.json'), JSON.stringify(newer))
  await create({ cwd: folder, gzip: true, file: archive }, ['cairn-backup.json'])
  await expect(restore(archive, target)).rejects.toThrow(/format 99, which a newer Cairn wrote/)
  expectNothing()
})

it('a backup overwrites no file and a restore no folder, except an empty one', async () => {
  await backUp(folder, archive, true, systemClock)
  await expect(backUp(folder, archive, true, systemClock)).rejects.toThrow(/already exists/)
  mkdirSync(target)
  writeFileSync(join(target, 'mine'), '')
  await expect(restore(archive, target)).rejects.toThrow(/is not empty/)
  expect(readdirSync(target)).toEqual(['mine'])
  rmSync(join(target, 'mine'))
  await restore(archive, target)
  expect(contents(target)).toEqual(contents(folder))
})

it('a backup omits hidden top-level files, such as CLI profiles', async () => {
  mkdirSync(join(folder, '.config/cairn'), { recursive: true })
  writeFileSync(join(folder, '.config/cairn/profiles.json'), 'a key')
  const manifest = await backUp(folder, archive, true, systemClock)
  expect(manifest.files.map(({ path }) => path).filter((path) => path.startsWith('.'))).toEqual([])
  expect(manifest.folders).not.toContain('.config')
})
