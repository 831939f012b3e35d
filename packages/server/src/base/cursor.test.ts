import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createCursors, type Position } from './cursor.ts'

const cursors = createCursors(Buffer.alloc(32, 1))
const position = fc.array(fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer(), fc.constant(null)))

test('a cursor returns its position within its scope', () => {
  fc.assert(
    fc.property(fc.string(), position, (scope, at) => {
      expect(cursors.unpack(scope, cursors.pack(scope, at))).toEqual(at)
    }),
  )
})

test('a forged, altered, foreign or junk cursor is invalid_cursor', () => {
  const cursor = cursors.pack('mine', ['sbx_1'])
  const last = cursor.at(-1) === 'A' ? 'B' : 'A'
  const bad = [
    '',
    'x',
    ' ',
    cursor.slice(0, 10),
    cursor.slice(0, -4) + last.repeat(4),
    `${cursor}====`,
    createCursors(Buffer.alloc(32, 2)).pack('mine', ['sbx_1']),
    cursors.pack('theirs', ['sbx_1']),
  ]
  for (const text of bad) {
    expect(() => cursors.unpack('mine', text)).toThrow(expect.objectContaining({ reason: 'invalid_cursor' }))
  }
})

test('a cursor is not valid for another split of the same text into scope and position', () => {
  const at: Position = ['a']
  expect(() => cursors.unpack('b', cursors.pack('a', at))).toThrow()
  expect(cursors.pack('a', at)).toBe(cursors.pack('a', at))
})

test('a cursor has one spelling: any other last character is rejected', () => {
  const cursor = cursors.pack('mine', ['sbx_1'])
  const others = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'].filter(
    (character) => character !== cursor.at(-1),
  )
  for (const character of others) expect(() => cursors.unpack('mine', cursor.slice(0, -1) + character)).toThrow()
})
