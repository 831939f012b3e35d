import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { FolderInUse, lockFolder } from './folder-lock.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cairn-lock-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** A program that listens on the lock's socket, and then runs some code. */
const listening = (then: string) =>
  `require('net').createServer().listen(${JSON.stringify(join(folder, 'lock.sock'))}, () => ${then})`

it('refuses a second holder and releases the folder', async () => {
  const lock = await lockFolder(folder)
  await expect(lockFolder(folder)).rejects.toThrow(FolderInUse)
  await lock.release()
  await (await lockFolder(folder)).release()
})

it('publishes the address of the service in the folder while it is serving', async () => {
  const published = () => existsSync(join(folder, 'address')) && readFileSync(join(folder, 'address'), 'utf8')
  for (const [address, shown] of [
    ['http://0.0.0.0:8484', 'http://127.0.0.1:8484\n'],
    ['http://[::]:8484', 'http://127.0.0.1:8484\n'],
    ['http://10.0.0.3:1', 'http://10.0.0.3:1\n'],
  ] as const) {
    const lock = await lockFolder(folder)
    expect(published(), 'what a killed process left is gone').toBe(false)
    lock.publish(address)
    expect(published()).toBe(shown)
    await lock.release()
    expect(published()).toBe(false)
    writeFileSync(join(folder, 'address'), 'http://127.0.0.1:2\n')
  }
})

it('locks a folder whose path is too long for a socket address', async () => {
  const deep = join(folder, 'a'.repeat(120))
  const lock = await lockFolder(deep)
  await expect(lockFolder(deep)).rejects.toThrow(FolderInUse)
  await lock.release()
})

it('takes over from a process that was killed', async () => {
  const script = listening("console.log('up')")
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  await new Promise((resolve) => child.stdout.once('data', resolve))
  await expect(lockFolder(folder)).rejects.toThrow(FolderInUse)
  child.kill('SIGKILL')
  await new Promise((resolve) => child.once('exit', resolve))
  await (await lockFolder(folder)).release()
})

it('lets exactly one of several racing processes take over an abandoned socket', async () => {
  const script = listening("process.kill(process.pid, 'SIGKILL')")
  await new Promise((resolve) => spawn(process.execPath, ['-e', script]).once('exit', resolve))
  const tries = await Promise.allSettled(Array.from({ length: 5 }, () => lockFolder(folder)))
  const held = tries.filter((attempt) => attempt.status === 'fulfilled')
  expect(held).toHaveLength(1)
  await held[0]?.value.release()
})

it('removes the permissions of other users of the machine', async () => {
  chmodSync(folder, 0o755)
  const lock = await lockFolder(folder)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  await lock.release()
})
