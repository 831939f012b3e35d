import { Readable } from 'node:stream'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Fault } from '../base/fault.ts'
import type { Line } from '../tenancy/handler.ts'
import { parseBody, parseForeign, readLines, VALUES_MAX } from './parse-body.ts'

const parsed = (json: string) => parseBody(Buffer.from(json), VALUES_MAX)

function reasonOf(bytes: string | Buffer): string | undefined {
  try {
    parseBody(Buffer.from(bytes as string), VALUES_MAX)
    return undefined
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(Fault)
    expect((thrown as Fault).code).toBe('bad_request')
    return (thrown as Fault).reason
  }
}

/** A value after a JSON round trip, which removes negative zero and undefined. */
const jsonValue = fc.jsonValue({ maxDepth: 6 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown)
const LONG_INTEGER = /\d{16}/
const isWellFormed = (text: string) => Buffer.from(text).toString() === text && !text.includes('\\u0000')

test('storable JSON values are parsed like JSON.parse', () => {
  fc.assert(
    fc.property(jsonValue, fc.boolean(), (value, isSpaced) => {
      const text = JSON.stringify(value, null, isSpaced ? 2 : 0)
      fc.pre(isWellFormed(text) && !text.includes('__proto__') && !LONG_INTEGER.test(text))
      expect(parsed(text)).toEqual(value)
    }),
  )
})

test('an integer beyond 2^53 keeps its digits, and other numbers are parsed like JSON.parse', () => {
  const text = '{"id":12345678901234567890,"list":[-90071992547409931,12,0.1234567890123456],"a":"12345678901234567"}'
  const value = { id: '12345678901234567890', list: ['-90071992547409931', 12, 0.123_456_789_012_345_6] }
  expect(parsed(text)).toEqual({ ...value, a: '12345678901234567' })
  expect(parseForeign(Buffer.from(text.replace('"a"', '"id":12345678901234567891,"a"')), VALUES_MAX)).toMatchObject({
    id: '12345678901234567891',
  })
  expect(reasonOf('{12345678901234567890:1}')).toBe('malformed_json')
})

test('what JSON.parse rejects is rejected with a reason', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const isJson = (() => {
        try {
          JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
          return true
        } catch {
          return false
        }
      })()
      if (!isJson) expect(reasonOf(Buffer.from(bytes))).toBeDefined()
    }),
  )
})

test('strings that contain quotes, brackets and escapes are skipped as a whole', () => {
  expect(parsed('{"a":"\\"{[,:]}\\\\","b":["\\u0041\\ud83e\\udd86","é🦆"]}')).toEqual({
    a: '"{[,:]}\\',
    b: ['A🦆', 'é🦆'],
  })
})

test('a NUL and half a surrogate pair are rejected anywhere in a string, a pair is not', () => {
  for (const json of [
    '"a\\u0000b"',
    '{"\\u0000":1}',
    '"\\ud83e"',
    '"\\udd86"',
    '"\\udd86\\ud83e"',
    '"\\ud83e\\ud83e"',
  ]) {
    expect(reasonOf(json)).toBe('invalid_text')
  }
  expect(reasonOf('["\\uD83E\\uDD86"]')).toBeUndefined()
  expect(reasonOf('"\\\\u0000"')).toBeUndefined()
})

test('bytes that are not UTF-8 are rejected, not replaced', () => {
  for (const bytes of [
    [0x22, 0xff, 0x22],
    [0x22, 0xed, 0xa0, 0x80, 0x22],
    [0x22, 0xc0, 0xaf, 0x22],
  ]) {
    expect(reasonOf(Buffer.from(bytes))).toBe('invalid_utf8')
  }
})

test('duplicate keys in one object are rejected in any notation; the same key in two objects is not', () => {
  expect(reasonOf('{"a":1,"a":2}')).toBe('duplicate_key')
  expect(reasonOf('[{"b":{"a":1,"\\u0061":2}}]')).toBe('duplicate_key')
  expect(reasonOf('[{"a":1},{"a":{"a":2}}]')).toBeUndefined()
})

test('keys that could modify a prototype are rejected', () => {
  expect(reasonOf('{"a":{"__proto__":{"x":1}}}')).toBe('forbidden_key')
  expect(reasonOf('{"\\u005f_proto__":1}')).toBe('forbidden_key')
  expect(reasonOf('{"constructor":{"prototype":{"x":1}}}')).toBe('forbidden_key')
  expect(reasonOf('{"constructor":"Ferrari"}')).toBeUndefined()
  expect(({} as { x?: unknown }).x).toBeUndefined()
})

test('nesting is bounded', () => {
  expect(reasonOf(`${'['.repeat(64)}${']'.repeat(64)}`)).toBeUndefined()
  expect(reasonOf(`${'['.repeat(65)}${']'.repeat(65)}`)).toBe('too_deep')
  expect(reasonOf('{"a":'.repeat(100_000))).toBe('too_deep')
})

test('the number of values is bounded', () => {
  expect(reasonOf(`[${'1,'.repeat(VALUES_MAX - 2)}1]`)).toBeUndefined()
  expect(reasonOf(`[${'1,'.repeat(VALUES_MAX)}1]`)).toBe('too_many_values')
})

test.each([
  '{"text": "a\\u0000b", "properties": {"__proto__": {"isAdmin": true}}}',
  '{"text": "a", "text": "b", "identifiers": {"__proto__": "c"}}',
  '{"text": "\\ud800", "constructor": {"prototype": 1}}',
])('lenient parsing of %s passes no key that could modify a prototype', (json) => {
  expect(() => parseForeign(Buffer.from(json), VALUES_MAX)).toThrow(
    expect.objectContaining({ reason: 'forbidden_key' }),
  )
})

test('lenient parsing keeps the limits and needs valid JSON, also after an unstorable character', () => {
  const foreign = (text: string) => () => parseForeign(Buffer.from(text), VALUES_MAX)
  const deep = '['.repeat(50_000) + ']'.repeat(50_000)
  expect(foreign(`{"text": "\\ud800", "more": ${deep}}`)).toThrow(expect.objectContaining({ reason: 'too_deep' }))
  expect(foreign('{"text": "\\ud800", "more": ')).toThrow(expect.objectContaining({ reason: 'malformed_json' }))
  expect(foreign('{"text": "\\ud800", "id": 12345678901234567890}')()).toEqual({
    text: '\ufffd',
    id: '12345678901234567890',
  })
})

/** Long enough that a slow machine causes no timeout. */
const IDLE_MS = 3_600_000

async function all(stream: Readable): Promise<Line[]> {
  const lines: Line[] = []
  for await (const line of readLines(stream, IDLE_MS)) lines.push(line)
  return lines
}

test('lines are the same for any chunking of the stream', async () => {
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

test('an empty body has no lines', async () => {
  expect(await all(Readable.from([]))).toEqual([])
  expect(await all(Readable.from([Buffer.from('\n\n')]))).toEqual([])
})

test('a stream that ends early throws after its complete lines', async () => {
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

test('a consumer that stops also stops the reading, and the stream stays intact', async () => {
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
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  expect(made).toBeLessThan(10)
  await lines.return(undefined)
  expect(stream.destroyed).toBe(false)
})
