import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { newId } from '../base/id.ts'
import { openLog } from '../base/log.ts'
import { type DiskCache, openDiskCache } from './disk-cache.ts'

const MIB = 2 ** 20
const PIECE_BYTES = 4 * MIB
const BYTES_MAX = 64 * MIB
const DAY_SECONDS = 86_400
const silent = openLog('silent', systemClock, () => undefined)

let place: string
let folder: string
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'cairn-disk-cache-'))
  folder = join(place, 'cache')
})
afterEach(() => rmSync(place, { recursive: true }))

const open = (more = {}): DiskCache => openDiskCache({ folder, bytesMax: BYTES_MAX, reservedBytes: 0, ...more }, silent)
const bytes = (text: string) => new TextEncoder().encode(text)
const textOf = (found: Uint8Array | undefined) => (found ? Buffer.from(found).toString() : undefined)
const outcomes = (cache: DiskCache) => Object.fromEntries(cache.counts().map(({ outcome, count }) => [outcome, count]))
const files = () =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
const [first, second] = [newId('sandbox', systemClock), newId('sandbox', systemClock)]
/** Sets an object's last use to some days ago. */
const age = (path: string, days: number) => {
  const then = systemClock.now().getTime() / 1_000 - days * DAY_SECONDS
  utimesSync(join(folder, path), then, then)
}

it('an object is returned unchanged, also to later and concurrent processes', async () => {
  const cache = open()
  expect(await cache.read('sbx_1', 'one')).toBeUndefined()
  await cache.put('sbx_1', 'one', bytes('sealed'))
  const beside = open()
  await beside.put('sbx_1', 'two', new Uint8Array())
  expect([textOf(await cache.read('sbx_1', 'one')), textOf(await cache.read('sbx_1', 'two'))]).toEqual(['sealed', ''])
  expect(textOf(await beside.read('sbx_1', 'one'))).toBe('sealed')
  expect(await cache.read('sbx_2', 'one')).toBeUndefined()
  expect(outcomes(cache)).toEqual({ found: 2, missing: 2, damaged: 0 })
  for (const path of files()) expect(statSync(path).mode & 0o077).toBe(0)
})

it('a truncated, changed or swapped object is never returned, and is deleted', async () => {
  const cache = open()
  const damages: ((path: string) => void)[] = [
    (path) => writeFileSync(path, ''),
    (path) => writeFileSync(path, readFileSync(path).subarray(0, -1)),
    (path) => writeFileSync(path, Buffer.concat([readFileSync(path), Buffer.alloc(1)])),
    (path) => {
      const whole = readFileSync(path)
      whole[whole.length - 2]! ^= 1
      writeFileSync(path, whole)
    },
    (path) => writeFileSync(path, readFileSync(join(folder, 'sbx_1', 'other'))),
  ]
  await cache.put('sbx_1', 'other', bytes('another'))
  for (const damage of damages) {
    await cache.put('sbx_1', 'one', bytes('as it was kept'))
    damage(join(folder, 'sbx_1', 'one'))
    expect(await cache.read('sbx_1', 'one')).toBeUndefined()
    expect(files()).toEqual([join(folder, 'sbx_1', 'other')])
  }
  expect(outcomes(cache)).toEqual({ found: 0, missing: 0, damaged: damages.length })
})

it('the size stays within the limit, and the least recently used objects are evicted first', async () => {
  const cache = open()
  // Other programs' files on the same disk are kept.
  const other = join(folder, 'lost+found')
  mkdirSync(other, { recursive: true })
  writeFileSync(join(other, 'file'), 'old')
  age('lost+found/file', 99)
  const sizeOf = () => files().reduce((sum, path) => sum + statSync(path).size, 0)
  const object = new Uint8Array(PIECE_BYTES - 1_024)
  for (let at = 0; at < 8; at += 1) {
    await cache.put(first, `early${at}`, object)
    age(`${first}/early${at}`, 30 - at)
  }
  // Reading an object updates its time of last use.
  expect(await cache.read(first, 'early0')).toHaveLength(object.length)
  await expect
    .poll(() => statSync(join(folder, `${first}/early0`)).mtimeMs)
    .toBeGreaterThan(systemClock.now().getTime() - DAY_SECONDS * 1_000)
  for (let at = 0; at < 12; at += 1) {
    await cache.put(second, `late${at}`, object)
    expect(sizeOf()).toBeLessThanOrEqual(BYTES_MAX)
  }
  expect(await cache.read(first, 'early0')).toHaveLength(object.length)
  expect(await cache.read(first, 'early1')).toBeUndefined()
  expect(await cache.read(second, 'late11')).toHaveLength(object.length)
  expect(existsSync(join(other, 'file'))).toBe(true)
})

it('processes that share a folder stay within its limit, and read only what was stored', async () => {
  const caches = [open(), open(), open(), open()]
  const rounds = Array.from({ length: 12 }, (_, at) => at)
  await Promise.all(
    caches.map(async (cache, mine) => {
      for (const at of rounds) {
        const object = new Uint8Array(PIECE_BYTES - 64).fill(at)
        await cache.put(first, `${at % 2 === 0 ? 'shared' : mine}-${at}`, object)
        const found = await caches[(mine + 1) % caches.length]!.read(first, `shared-${at}`)
        if (found) expect(found.every((byte) => byte === at)).toBe(true)
      }
    }),
  )
  expect(files().reduce((sum, path) => sum + statSync(path).size, 0)).toBeLessThanOrEqual(BYTES_MAX)
  expect(files().filter((path) => path.endsWith('.tmp'))).toEqual([])
  expect(outcomes(caches[0]!).damaged).toBe(0)
})

it('objects that were erased or replaced in another process are deleted at the next sweep', async () => {
  const cache = open()
  const newSandboxId = () => newId('sandbox', systemClock)
  const [named, erased, purged] = [newSandboxId(), newSandboxId(), newSandboxId()]
  for (const id of [named, erased, purged]) {
    for (const name of ['aa', 'aa-0', 'bb']) {
      await cache.put(id, name, bytes(id))
      age(`${id}/${name}`, 1)
    }
  }
  // System folders of a mounted disk are kept.
  mkdirSync(join(folder, 'lost+found'))
  await cache.put(purged, 'being-written', bytes('x'))
  await cache.sweep(async (ids) => {
    expect(ids.sort()).toEqual([named, erased, purged])
    return new Map([
      [named, 'aa'],
      [purged, null],
    ])
  })
  expect(readdirSync(folder).sort()).toEqual(['lost+found', named, purged])
  expect(
    files()
      .map((path) => path.slice(folder.length + 1))
      .sort(),
  ).toEqual([`${named}/aa`, `${named}/aa-0`, `${purged}/being-written`])
})

it('a folder that cannot be written only disables the cache, and a full disk is not written', async () => {
  writeFileSync(folder, 'no folder')
  const cache = open()
  await cache.put('sbx_1', 'one', bytes('x'))
  expect(await cache.read('sbx_1', 'one')).toBeUndefined()
  await cache.drop('sbx_1')
  await cache.sweep(async () => new Map())
  rmSync(folder)
  const full = open({ reservedBytes: Number.MAX_SAFE_INTEGER })
  await full.put('sbx_1', 'one', bytes('x'))
  expect(await full.read('sbx_1', 'one')).toBeUndefined()
})
