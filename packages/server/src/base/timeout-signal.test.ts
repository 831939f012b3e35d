import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { timeoutSignal } from './timeout-signal.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const LATE_MS = 300
const GIVE_UP_MS = 5_000

test('a deadline that only a combined signal refers to outlives the garbage collector', async () => {
  const told = await new Promise<string>((resolve) => {
    setTimeout(() => resolve('nothing'), GIVE_UP_MS).unref()
    const combined = AbortSignal.any([timeoutSignal(LATE_MS), new AbortController().signal])
    combined.addEventListener('abort', () => resolve((combined.reason as Error).name), { once: true })
    setTimeout(collectGarbage, LATE_MS / 3)
    setTimeout(collectGarbage, LATE_MS / 2)
  })
  expect(told).toBe('TimeoutError')
})
