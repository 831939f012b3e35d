import { expect, test } from 'vitest'
import { parseExactly } from './exact-json.ts'

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

test('no key reaches a prototype, and what nests deeply is read', () => {
  const value = parseExactly('{"__proto__": {"id": 12345678901234567890}, "id": 12345678901234567890}') as object
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  expect(Object.keys(value)).toEqual(['__proto__', 'id'])
  const deep = `${'['.repeat(20_000)}12345678901234567890${']'.repeat(20_000)}`
  expect(() => parseExactly(deep)).not.toThrow()
})

test('what is no JSON throws', () => {
  for (const text of ['{12345678901234567890: 1}', '[12345678901234567890 1]', '']) {
    expect(() => parseExactly(text)).toThrow(SyntaxError)
  }
})
