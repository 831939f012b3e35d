import { getEventListeners } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { abortedBy, timeoutSignal } from './timeout-signal.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const LATE_MS = 300
/** Elapses only if the deadline never fires. */
const GIVE_UP_MS = 60_000

test('a deadline that only a combined signal refers to survives garbage collection', async () => {
  const reason = await new Promise<string>((resolve) => {
    setTimeout(() => resolve('nothing'), GIVE_UP_MS).unref()
    const combined = AbortSignal.any([timeoutSignal(LATE_MS), new AbortController().signal])
    combined.addEventListener('abort', () => resolve((combined.reason as Error).name), { once: true })
    setTimeout(collectGarbage, LATE_MS / 3)
    setTimeout(collectGarbage, LATE_MS / 2)
  })
  expect(reason).toBe('TimeoutError')
})

test('an aborted operation releases its signal when it is done', () => {
  const signal = new AbortController().signal
  const stops = Array.from({ length: 20 }, () => abortedBy(signal, timeoutSignal(60_000)))
  expect(getEventListeners(signal, 'abort')).toHaveLength(stops.length)
  for (const stop of stops) stop.abort()
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
})
