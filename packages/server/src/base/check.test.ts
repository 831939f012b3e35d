import { type Operation, operations, RecordInput, Type as T } from '@cairnstore/contract'
import { expect, test } from 'vitest'
import { checkAll, checkFirst } from './check.ts'

test('every schema that the contract checks compiles', () => {
  for (const operation of Object.values(operations)) {
    const { body, query }: Operation = operation
    for (const schema of [body?.json, query, body?.ndjson]) {
      if (schema) expect(checkAll(schema, [])).toBeTypeOf('function')
    }
  }
})

test('all problems are reported, one per location, with path and rule but without the value', () => {
  const check = checkAll(T.Object({ a: T.String({ minLength: 2, pattern: '^x' }), b: T.Array(T.Integer()) }), ['body'])
  expect(check({ a: 's', b: [1, 'secret', 1.5] })).toEqual([
    { loc: ['body', 'a'], msg: 'Must have at least 2 characters.', type: 'too_short' },
    { loc: ['body', 'b', 1], msg: 'Must be an integer.', type: 'wrong_type' },
    { loc: ['body', 'b', 2], msg: 'Must be an integer.', type: 'wrong_type' },
  ])
})

test('at most 20 problems are reported', () => {
  const check = checkAll(T.Object({ b: T.Array(T.Integer()) }), ['body'])
  expect(check({ b: Array(1000).fill('x') })).toHaveLength(20)
})

test('a record is checked up to its first problem, and a key chosen by the caller is not repeated', () => {
  const check = checkFirst(RecordInput, [])
  const record = { external_id: '1', type: 'issue' }
  expect(check(record)).toEqual([])
  expect(check({ ...record, occurred_at: '2026-02-30T00:00:00Z' })).toMatchObject([{ loc: ['occurred_at'] }])
  const identifiers = { email: 'a@example.org', 'their secret': 5 }
  expect(check({ ...record, entities: [{ type: 'person', name: 'A', identifiers }] })).toEqual([
    { loc: ['entities', 0, 'identifiers'], msg: 'Must be an array or a string.', type: 'wrong_type' },
  ])
  expect(check({ ...record, entities: [{ type: 'person', name: 'A', identifiers: { email: ['a', 'b'] } }] })).toEqual(
    [],
  )
})
