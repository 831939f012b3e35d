import { expect, test } from 'vitest'
import { EncodingQueue, type TextResult, type TextRunner } from './encoding-queue.ts'
import { EncoderUnavailable } from './model-folder.ts'

/** A thread whose texts are finished by the test. */
function openRunner() {
  const texts: string[] = []
  let loaded: () => void = () => undefined
  let failed: (error: Error) => void = loaded
  const ready = new Promise<void>((resolve, reject) => {
    loaded = resolve
    failed = reject
  })
  let finish: ((result: TextResult) => void) | undefined
  const runner: TextRunner = {
    ready,
    run: (text) => {
      texts.push(text)
      return new Promise((resolve) => {
        finish = resolve
      })
    },
    close: async () => undefined,
  }
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  return {
    runner,
    texts,
    load: () => {
      loaded()
      return settled()
    },
    failToLoad: () => {
      failed(new EncoderUnavailable('no memory'))
      return settled()
    },
    finish: () => {
      finish?.({ vector: Float32Array.of(texts.length) })
      return settled()
    },
  }
}

async function openQueue() {
  const foreground = openRunner()
  const background = [openRunner(), openRunner()]
  let opened = 0
  const queue = new EncodingQueue(foreground.runner, () => background[opened++]!.runner, background.length)
  await foreground.load()
  return { queue, foreground, background, opened: () => opened }
}

test('the first records do not wait for the model of a background thread', async () => {
  const { queue, foreground, background } = await openQueue()
  const later = queue.read('later', { texts: ['a', 'b', 'c'] })
  expect(foreground.texts).toEqual(['a'])
  await foreground.finish()
  expect(foreground.texts).toEqual(['a', 'b'])
  await background[0]!.load()
  expect(background[0]!.texts).toEqual(['c'])
  await foreground.finish()
  expect(foreground.texts).toEqual(['a', 'b'])
  await background[0]!.finish()
  expect((await later).vectors.map(([value]) => value)).toEqual([1, 2, 1])
})

test('a question comes before records that the foreground thread would take', async () => {
  const { queue, foreground } = await openQueue()
  queue.read('later', { texts: ['a', 'b'] }).catch(() => undefined)
  const asked = queue.read('asked', { texts: ['Who?'] })
  await foreground.finish()
  expect(foreground.texts).toEqual(['a', 'Who?'])
  await foreground.finish()
  expect((await asked).vectors).toHaveLength(1)
  expect(foreground.texts).toEqual(['a', 'Who?', 'b'])
})

test('two threads embed records while nobody asks, one while somebody does', async () => {
  const { queue, foreground, background, opened } = await openQueue()
  const [first, second] = background as [ReturnType<typeof openRunner>, ReturnType<typeof openRunner>]
  queue.read('later', { texts: ['a', 'b', 'c', 'd', 'e', 'f'] }).catch(() => undefined)
  await first.load()
  expect(opened()).toBe(2)
  await second.load()
  expect([foreground.texts, first.texts, second.texts]).toEqual([['a'], ['b'], ['c']])
  const asked = queue.read('asked', { texts: ['Who?'] })
  await foreground.finish()
  await second.finish()
  await first.finish()
  expect([first.texts, second.texts]).toEqual([['b', 'd'], ['c']])
  await foreground.finish()
  await asked
  expect(second.texts).toEqual(['c', 'e'])
})

test('a background thread that cannot load its model fails only the calls for records', async () => {
  const { queue, foreground, background } = await openQueue()
  const later = expect(queue.read('later', { texts: ['a', 'b'] })).rejects.toThrow('no memory')
  await background[0]!.failToLoad()
  await later
  await expect(queue.read('later', { texts: ['c'] })).rejects.toThrow('no memory')
  const asked = queue.read('asked', { texts: ['Who?'] })
  await foreground.finish()
  await foreground.finish()
  expect((await asked).vectors).toHaveLength(1)
})
