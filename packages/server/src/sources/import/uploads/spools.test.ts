import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { Fault } from '../../../base/fault.ts'
import { openSpools, type WriteSpool } from './spools.ts'
import { openUploadSlots } from './upload-slots.ts'

const folder = join(mkdtempSync(join(tmpdir(), 'cairn-spools-')), 'spool')
afterAll(() => rmSync(join(folder, '..'), { recursive: true }))
const place = { folder, reservedBytes: 0 }

async function* bytes(count: number) {
  for (let left = count; left > 0; left -= 100) yield Buffer.alloc(Math.min(left, 100))
}
const spooling = (count: number) => async (write: WriteSpool) => (await write(bytes(count))).close()
const reasonOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (fault: Fault) => fault.reason ?? fault.code,
  )

it('a spool file is in a private folder and already unlinked', async () => {
  const spools = openSpools(place)
  await spools.during('a', async (write) => {
    const spool = await write(bytes(250))
    expect([spool.bytes, readdirSync(folder), statSync(folder).mode & 0o777]).toEqual([250, [], 0o700])
    await spool.close()
  })
})

it('an account has its own byte limit, including unpacked content', async () => {
  const spools = openSpools(place, { accountBytesMax: 1_000 })
  const twice = spools.during('a', async (write) => {
    await spooling(600)(write)
    await spooling(600)(write)
  })
  expect(await reasonOf(twice)).toBe('archive_too_large')
  await spools.during('a', async (write) => {
    await spooling(600)(write)
    expect(await reasonOf(spools.during('a', spooling(600)))).toBe('rate_limited')
    expect(await reasonOf(spools.during('b', spooling(600)))).toBe('done')
    expect(await reasonOf(spools.during('a', spooling(300)))).toBe('done')
  })
  expect(await reasonOf(spools.during('a', spooling(900)))).toBe('done')
})

it('an upload always releases its slot, and an evicted upload ends while no data arrives', async () => {
  const slots = openUploadSlots({ total: 2, accountTotal: 2 })
  const spools = openSpools(place, { slots })
  const broken = async function* () {
    yield Buffer.alloc(10)
    throw new Fault('bad_request')
  }
  for (let times = 0; times < 3; times += 1) {
    expect(await reasonOf(spools.during('a', async (write) => (await write(broken())).close()))).toBe('bad_request')
  }
  const silent = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => undefined) }) }
  const stalled = [0, 1].map(() => reasonOf(spools.during('a', async (write) => void (await write(silent)))))
  expect(await reasonOf(spools.during('b', spooling(10)))).toBe('done')
  expect(await stalled[1]).toBe('unavailable')
  expect(slots.count()).toBe(1)
})

it('nothing is spooled below the disk reserve, and spooling stops when the disk fills up', async () => {
  const full = openSpools({ folder, reservedBytes: Number.MAX_SAFE_INTEGER })
  expect(await reasonOf(full.during('a', spooling(1)))).toBe('disk_full')
  let left = 3
  const filling = openSpools(place, {
    diskSpace: {
      assert: async () => {
        left -= 1
        if (left < 0) throw new Fault('disk_full')
      },
    },
  })
  expect(await reasonOf(filling.during('a', spooling(1_000)))).toBe('disk_full')
})
