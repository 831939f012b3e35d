import { existsSync, mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BUCKET, type ObjectStore, openObjectStore } from '../../../../../tests/harness/object-store.ts'
import { systemClock } from '../../base/clock.ts'
import { openLog } from '../../base/log.ts'
import { openDiskCache } from '../disk-cache.ts'
import { sandboxFolder } from './sandbox-folder.ts'
import { readSegment, removeSegments, writeSegment } from './segments.ts'

let store: ObjectStore
let root: string
beforeAll(async () => {
  store = await openObjectStore()
  root = mkdtempSync(join(tmpdir(), 'cairn-pieces-'))
})
afterAll(async () => {
  await store.close()
  rmSync(root, { recursive: true })
})

const bytes = (text: string) => new TextEncoder().encode(text)
const remote = () => ({
  uri: `s3://${BUCKET}/root`,
  options: { endpoint: store.endpoint, region: 'eu-1', accessKeyId: store.accessKeyId, secretAccessKey: 'secret' },
})

describe.each(['a folder', 'an object store'])('index segments in %s', (kind) => {
  const folderOf = async (sandboxId: string) => {
    const folder = sandboxFolder(kind === 'a folder' ? { uri: root } : remote(), 'usr_1', sandboxId)
    if (folder.localPaths.length > 0) await mkdir(folder.localPaths.at(-1)!, { recursive: true })
    return { folder, kind: 'graph' as const }
  }

  it('are read, replaced and deleted by name', async () => {
    const folder = await folderOf('sbx_1')
    expect(await readSegment(folder, 'one')).toBeUndefined()
    for (const name of ['one', 'one-0', 'two', 'two-0']) await writeSegment(folder, name, bytes(`before ${name}`))
    await writeSegment(folder, 'two', bytes('after'))
    const read = async (name: string) => Buffer.from((await readSegment(folder, name)) ?? 'gone').toString()
    expect([await read('one-0'), await read('two')]).toEqual(['before one-0', 'after'])
    await removeSegments(folder, (name) => !name.startsWith('two'))
    expect([await read('one'), await read('one-0'), await read('two-0')]).toEqual(['gone', 'gone', 'before two-0'])
    await removeSegments(folder)
    expect([await read('two'), await read('two-0')]).toEqual(['gone', 'gone'])
  })

  it('belong to one sandbox, and cannot leave its folder', async () => {
    const [folder, other] = [await folderOf('sbx_2'), await folderOf('sbx_3')]
    await writeSegment(folder, 'one', bytes('mine'))
    expect(await readSegment(other, 'one')).toBeUndefined()
    await removeSegments(other)
    expect(await readSegment(folder, 'one')).toEqual(expect.objectContaining({ length: 4 }))
    for (const name of ['../one', 'a/b', '', '.tmp', 'x'.repeat(200)]) {
      await expect(writeSegment(folder, name, bytes('x')), name).rejects.toThrow('name of a segment')
    }
  })
})

it('are not written to an erased folder', async () => {
  const folder = sandboxFolder({ uri: root }, 'usr_1', 'sbx_erased')
  await expect(writeSegment({ folder, kind: 'graph' }, 'one', bytes('late'))).rejects.toThrow('ENOENT')
  expect(existsSync(folder.localPaths.at(-1)!)).toBe(false)
})

it('a rejected request to an object store is an error, not a missing segment', async () => {
  const folder = { folder: sandboxFolder(remote(), 'usr_1', 'sbx_4'), kind: 'graph' as const }
  store.mode = 'forbidden'
  await expect(readSegment(folder, 'one')).rejects.toThrow('403')
  await expect(writeSegment(folder, 'one', bytes('x'))).rejects.toThrow('403')
  store.mode = 'good'
})

it('a cached segment is read from the disk instead of the object store, until it is deleted', async () => {
  const cache = openDiskCache(
    { folder: join(root, 'cache'), bytesMax: 64 * 2 ** 20, reservedBytes: 0 },
    openLog('silent', systemClock, () => undefined),
  )
  const folder = sandboxFolder(remote(), 'usr_1', 'sbx_5')
  const place = { folder, cache, kind: 'graph' as const }
  await writeSegment({ folder, kind: 'graph' }, 'one', bytes('as sealed'))
  expect(Buffer.from((await readSegment(place, 'one'))!).toString()).toBe('as sealed')
  const before = store.requests
  store.mode = 'broken'
  expect(Buffer.from((await readSegment(place, 'one'))!).toString()).toBe('as sealed')
  expect(store.requests).toBe(before)
  store.mode = 'good'
  const path = join(root, 'cache', 'sbx_5', 'one')
  truncateSync(path, statSync(path).size - 1)
  expect(Buffer.from((await readSegment(place, 'one'))!).toString()).toBe('as sealed')
  expect(store.requests).toBe(before + 1)
  await writeSegment(place, 'two', bytes('written here'))
  await removeSegments(place, (name) => name === 'one')
  expect(await readSegment(place, 'one')).toBeUndefined()
  expect(await cache.read('sbx_5', 'two')).toHaveLength('written here'.length)
})
