import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { guarded } from './guard-store.ts'
import { sandboxFolder } from './sandbox-folder.ts'

const LIMIT_MS = 10_000
const AT_ONCE = 20

test('however many calls of an object store go on at once, they are taken for no leak, and are none', async () => {
  const warnings: string[] = []
  const note = ({ name }: Error) => void warnings.push(name)
  process.on('warning', note)
  const closing = new AbortController()
  const bounds = {
    folder: sandboxFolder({ uri: 's3://bucket/root' }, 'usr_1', 'sbx_1'),
    limitMs: LIMIT_MS,
    closing: closing.signal,
  }
  let finish = () => {}
  const finished = new Promise<void>((resolve) => {
    finish = resolve
  })
  const calls = Array.from({ length: AT_ONCE }, (_, at) => guarded(bounds, () => finished.then(() => at)))
  expect(getEventListeners(closing.signal, 'abort')).toHaveLength(AT_ONCE)
  finish()
  expect(await Promise.all(calls)).toHaveLength(AT_ONCE)
  expect(getEventListeners(closing.signal, 'abort')).toHaveLength(0)
  // Node tells of a warning in the next turn of its loop.
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', note)
  expect(warnings).toEqual([])
})
