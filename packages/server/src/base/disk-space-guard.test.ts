import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'
import { openDiskSpaceGuard } from './disk-space-guard.ts'

it('throws only if less space is free than is reserved, and not if the free space is unknown', async () => {
  await openDiskSpaceGuard(tmpdir(), 0).assert()
  await openDiskSpaceGuard(tmpdir(), 1).assert()
  await openDiskSpaceGuard('/no/such/folder', Number.MAX_SAFE_INTEGER).assert()
  const full = openDiskSpaceGuard(tmpdir(), Number.MAX_SAFE_INTEGER)
  for (let call = 0; call < 2; call += 1) {
    await expect(full.assert()).rejects.toMatchObject({ reason: 'disk_full', status: 503, retryAfterSeconds: 2 })
  }
})
