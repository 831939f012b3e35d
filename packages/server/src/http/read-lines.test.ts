import { Readable } from 'node:stream'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Line } from '../tenancy/handler.ts'
import { readLines } from './read-lines.ts'

const IDLE_MS = 1000

async function all(stream: Readable): Promise<Line[]> {
  const lines: Line[] = []
  for await (const line of readLines(stream, IDLE_MS)) lines.push(line)
  return lines
}

test('lines are the same however the stream is cut', async () => {
  const document = '{"a":"é🦆"}\n\n  \r\n[1,2]\r\n"x"\nnonsense\n{"last":true}'
  const whole = await all(Readable.from([Buffer.from(document)], { objectMode: false }))
  expect(whole).toEqual([
    { line: 1, value: { a: 'é🦆' } },
    { line: 4, value: [1, 2] },
    { line: 5, value: 'x' },
    { line: 6, error: { reason: 'malformed_json', detail: expect.any(String) } },
    { line: 7, value: { last: true } },
  ])
  const bytes = Buffer.from(document)
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 9 }), async (cuts) => {
      const edges = [0, ...cuts.sort((a, b) => a - b), bytes.length]
      const pieces = edges.slice(1).map((end, at) => bytes.subarray(edges[at], end))
      expect(await all(Readable.from(pieces.filter((piece) => piece.length > 0)))).toEqual(whole)
    }),
  )
})

test('no lines come of an empty body', async () => {
  expect(await all(Readable.from([]))).toEqual([])
  expect(await all(Readable.from([Buffer.from('\n\n')]))).toEqual([])
})

test('a stream that breaks off throws, after the lines that came', async () => {
  const stream = new Readable({ read() {} })
  stream.push('{"a":1}\n{"b"')
  const lines = readLines(stream, IDLE_MS)
  expect((await lines.next()).value).toEqual({ line: 1, value: { a: 1 } })
  setTimeout(() => stream.destroy(new Error('reset')), 10)
  await expect(lines.next()).rejects.toMatchObject({ code: 'bad_request' })
})

test('a stream that stalls throws request_timeout', async () => {
  const stream = new Readable({ read() {} })
  await expect(readLines(stream, 20).next()).rejects.toMatchObject({ code: 'request_timeout' })
})

test('whoever stops taking lines stops the reading, and the stream stays whole', async () => {
  let made = 0
  const stream = new Readable({
    highWaterMark: 1024,
    read() {
      made += 1
      this.push('{"a":1}\n'.repeat(100))
    },
  })
  const lines = readLines(stream, IDLE_MS)
  for (let taken = 0; taken < 50; taken++) await lines.next()
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(made).toBeLessThan(10)
  await lines.return(undefined)
  expect(stream.destroyed).toBe(false)
})
