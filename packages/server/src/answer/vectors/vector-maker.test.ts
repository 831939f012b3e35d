import { expect, test } from 'vitest'
import { awaitQuiet } from './vector-maker.ts'

const LONG_MS = 60_000
const { signal } = new AbortController()

test('an idle sandbox is embedded immediately, a busy one after a quiet period', async () => {
  let asked = 0
  await awaitQuiet(() => ++asked && Number.POSITIVE_INFINITY, signal, LONG_MS)
  expect(asked).toBe(1)
  const quiet = [0, 0, 40, 0, 90, 130]
  await awaitQuiet(() => quiet.shift()!, signal, LONG_MS)
  expect(quiet).toEqual([])
})

test('a sandbox that is never quiet is embedded eventually, and none after an abort', async () => {
  await awaitQuiet(() => 0, signal, 1)
  const gone = new AbortController()
  const waiting = awaitQuiet(() => 0, gone.signal, LONG_MS)
  gone.abort()
  await expect(waiting).rejects.toThrow('aborted')
})
