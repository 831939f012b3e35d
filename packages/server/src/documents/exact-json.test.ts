import { expect, test } from 'vitest'
import { parseExactly, TooDeep } from './exact-json.ts'

test.each([
  ['{"id": 12345678901234567890}', { id: '12345678901234567890' }],
  ['[-9007199254740993, 9007199254740991]', ['-9007199254740993', 9_007_199_254_740_991]],
  [
    '{"a":{"b":[{"id":90071992547409931}]},"at":1767225600.1234567}',
    { a: { b: [{ id: '90071992547409931' }] }, at: 1_767_225_600.1234567 },
  ],
  ['12345678901234567890', '12345678901234567890'],
  [
    '{"share": 0.12345678901234567890, "far": 12345678901234567e3}',
    { share: 0.123_456_789_012_345_68, far: 1.2345678901234567e19 },
  ],
  ['{"said": "call 12345678901234567890, now"}', { said: 'call 12345678901234567890, now' }],
  ['{"id": 1, "id": 12345678901234567890}', { id: '12345678901234567890' }],
])('integers of %s are exact', (text, value) => {
  expect(parseExactly(text)).toEqual(value)
})

test('no key changes a prototype', () => {
  const value = parseExactly('{"__proto__": {"id": 12345678901234567890}, "id": 12345678901234567890}') as object
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  expect(Object.keys(value)).toEqual(['__proto__', 'id'])
})

test('values may nest 250 levels deep, and deeper ones throw a clear error', () => {
  const nested = (depth: number, inner: string) => '['.repeat(depth) + inner + ']'.repeat(depth)
  const long = '12345678901234567890'
  expect(JSON.stringify(parseExactly(nested(250, long)))).toBe(nested(250, `"${long}"`))
  expect(JSON.stringify(parseExactly(nested(250, '"[[["')))).toBe(nested(250, '"[[["'))
  for (const depth of [251, 20_000, 2_000_000]) {
    expect(() => parseExactly(nested(depth, long))).toThrow(TooDeep)
    expect(() => parseExactly(nested(depth, '1'))).toThrow(/more than 250 levels deep; send them less nested/)
  }
})

test('invalid JSON throws', () => {
  for (const text of ['{12345678901234567890: 1}', '[12345678901234567890 1]', '']) {
    expect(() => parseExactly(text)).toThrow(SyntaxError)
  }
})
