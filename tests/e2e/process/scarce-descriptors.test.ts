import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { addressOf, type Child, startProgram } from '../../harness/child.ts'

const SILENT = 700
const SETTLE_MS = 2_500

let folder: string
let child: Child
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cairn-scarce-'))
})
afterEach(async () => {
  child.process.kill('SIGKILL')
  await child.ended
  rmSync(folder, { recursive: true, force: true })
})

it('more silent connections than file descriptors crash nothing, and one more is served when they close', async () => {
  child = startProgram([], { CAIRN_DATA: folder }, { descriptors: 420 })
  const address = await addressOf(child)
  const port = Number(new URL(address).port)
  const silent: Socket[] = []
  for (let at = 0; at < SILENT; at += 1) silent.push(connect(port, '127.0.0.1').on('error', () => {}))
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
  expect(child.process.exitCode).toBeNull()
  expect(child.printed().match(/connections rejected/g)).toHaveLength(1)
  for (const socket of silent) socket.destroy()
  await expect
    .poll(() =>
      fetch(`${address}/healthz`).then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(200)
  child.process.kill('SIGTERM')
  await once(child.process, 'exit')
  expect(await child.ended).toBe(0)
})

it('a start with too few file descriptors is rejected with a message', async () => {
  child = startProgram([], { CAIRN_DATA: folder }, { descriptors: 256 })
  expect(await child.ended).toBe(1)
  expect(child.printed()).toBe(
    'cairn: This process may open 256 files, but needs 406: raise its limit (ulimit -n, LimitNOFILE).\n',
  )
})
