import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Fault } from '../base/fault.ts'
import { parseBody, parseForeign, VALUES_MAX } from './parse-body.ts'

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

/** A value as JSON can hold it: negative zero and undefined have no form there. */
const jsonValue = fc.jsonValue({ maxDepth: 6 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown)
const isWellFormed = (text: string) => Buffer.from(text).toString() === text && !text.includes('\\u0000')

test('every JSON value that a store can keep is read as JSON.parse reads it', () => {
  fc.assert(
    fc.property(jsonValue, fc.boolean(), (value, isSpaced) => {
      const text = JSON.stringify(value, null, isSpaced ? 2 : 0)
      fc.pre(isWellFormed(text) && !text.includes('__proto__'))
      expect(parsed(text)).toEqual(value)
    }),
  )
})

test('what JSON.parse refuses is refused, with a reason, whatever the bytes', () => {
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

test('strings with quotes, brackets and escapes inside are skipped whole', () => {
  expect(parsed('{"a":"\\"{[,:]}\\\\","b":["\\u0041\\ud83e\\udd86","é🦆"]}')).toEqual({
    a: '"{[,:]}\\',
    b: ['A🦆', 'é🦆'],
  })
})

test('a NUL and half a surrogate pair are refused anywhere in a string, a pair is not', () => {
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

test('bytes that are not UTF-8 are refused, not replaced', () => {
  for (const bytes of [
    [0x22, 0xff, 0x22],
    [0x22, 0xed, 0xa0, 0x80, 0x22],
    [0x22, 0xc0, 0xaf, 0x22],
  ]) {
    expect(reasonOf(Buffer.from(bytes))).toBe('invalid_utf8')
  }
})

test('a key twice in one object is refused, however it is written; the same key in two objects is not', () => {
  expect(reasonOf('{"a":1,"a":2}')).toBe('duplicate_key')
  expect(reasonOf('[{"b":{"a":1,"\\u0061":2}}]')).toBe('duplicate_key')
  expect(reasonOf('[{"a":1},{"a":{"a":2}}]')).toBeUndefined()
})

test('keys that could reach a prototype are refused and change nothing', () => {
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
])('what is forgiven of %s lets no key through that could reach a prototype', (json) => {
  expect(() => parseForeign(Buffer.from(json), VALUES_MAX)).toThrow(
    expect.objectContaining({ reason: 'forbidden_key' }),
  )
})
