import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { callWithin, createCircuitBreakers, remoteGuard } from './guard-store.ts'
import { sandboxFolder } from './sandbox-folder.ts'

const LIMIT_MS = 10_000
const AT_ONCE = 20

test('many concurrent calls of an object store cause no leak and no leak warning', async () => {
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
  const calls = Array.from({ length: AT_ONCE }, (_, at) => callWithin(bounds, () => finished.then(() => at)))
  expect(getEventListeners(closing.signal, 'abort')).toHaveLength(AT_ONCE)
  finish()
  expect(await Promise.all(calls)).toHaveLength(AT_ONCE)
  expect(getEventListeners(closing.signal, 'abort')).toHaveLength(0)
  // Node emits a warning in the next tick of its event loop.
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', note)
  expect(warnings).toEqual([])
})

test('a failing store opens its circuit breaker, counted by the owner of the bucket', async () => {
  const root = { uri: 's3://bucket/root' }
  const breakers = createCircuitBreakers((uri) => uri.startsWith(`${root.uri}/`))
  const bounds = { breakers, closing: new AbortController().signal }
  const guardOf = (uri: string, id: string) => remoteGuard(sandboxFolder({ uri }, 'usr_1', id), bounds, () => undefined)
  const failing = () => Promise.reject(new Error('no route'))
  const platform = guardOf(root.uri, 'sbx_1')
  await expect(platform(LIMIT_MS, failing)).rejects.toMatchObject({ reason: 'storage_unavailable' })
  await expect(platform(LIMIT_MS, async () => 1)).rejects.toMatchObject({ reason: 'storage_unavailable' })
  for (const id of ['sbx_2', 'sbx_3']) {
    await expect(guardOf('s3://bucket/rooted', id)(LIMIT_MS, failing)).rejects.toThrow()
  }
  expect(await guardOf(root.uri, 'sbx_4')(LIMIT_MS, async () => 1)).toBe(1)
  expect(breakers.counts()).toEqual([
    { bucket: 'platform', open: 1, opened: 1 },
    { bucket: 'own', open: 2, opened: 2 },
  ])
  breakers.reset(sandboxFolder(root, 'usr_1', 'sbx_1').uri)
  expect(breakers.counts()[0]).toEqual({ bucket: 'platform', open: 0, opened: 1 })
})
