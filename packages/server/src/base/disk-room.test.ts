import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'
import { openDiskRoom } from './disk-room.ts'

it('throws only if less space is free than is reserved, and not if the free space is unknown', async () => {
  await openDiskRoom(tmpdir(), 0).assert()
  await openDiskRoom(tmpdir(), 1).assert()
  await openDiskRoom('/no/such/folder', Number.MAX_SAFE_INTEGER).assert()
  const full = openDiskRoom(tmpdir(), Number.MAX_SAFE_INTEGER)
  for (let call = 0; call < 2; call += 1) {
    await expect(full.assert()).rejects.toMatchObject({ reason: 'disk_full', status: 503, retryAfterSeconds: 2 })
  }
})
