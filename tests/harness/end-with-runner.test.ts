import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'

it('a fork of the test runner ends with it, whatever it has open', async () => {
  const place = mkdtempSync(join(tmpdir(), 'cairn-fork-'))
  const workers = join(place, 'vitest/dist/workers')
  mkdirSync(workers, { recursive: true })
  const script = join(workers, 'forks.mjs')
  writeFileSync(script, "setInterval(() => undefined, 1_000)\nprocess.send('running')\n")
  const execArgv = ['--import', new URL('./end-with-runner.mjs', import.meta.url).href]
  const child = fork(script, [], { execArgv, env: {} })
  expect((await once(child, 'message'))[0]).toBe('running')
  child.disconnect()
  expect(await once(child, 'exit')).toEqual([1, null])
  rmSync(place, { recursive: true })
})
