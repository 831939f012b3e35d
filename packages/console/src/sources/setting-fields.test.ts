import { expect, it } from 'vitest'
import { fieldsOf, valuesOf } from './setting-fields.ts'

const SETTINGS = {
  properties: {
    site: { type: 'string', description: 'A host.' },
    repositories: { type: 'array', items: { type: 'string' } },
    thread_days: { type: ['integer', 'null'] },
    auth_kind: { type: 'string', enum: ['none', 'bearer'] },
    mapping: { type: 'object' },
    token: { type: ['string', 'null'] },
  },
  required: ['site'],
}

it('a form has the fields of the schema, and hides the credential', () => {
  const kinds = fieldsOf(SETTINGS, 'token').map(({ name, kind, isRequired }) => [name, kind, isRequired])
  expect(kinds).toEqual([
    ['site', 'text', true],
    ['repositories', 'list', false],
    ['thread_days', 'number', false],
    ['auth_kind', 'choice', false],
    ['mapping', 'json', false],
    ['token', 'secret', false],
  ])
})

it('typed values are converted as the schema requires, and empty ones are omitted', () => {
  const typed = { site: ' ', repositories: 'a/b, c/d\n', thread_days: '3', auth_kind: 'none', mapping: '{"a":1}' }
  const values = { repositories: ['a/b', 'c/d'], thread_days: 3, auth_kind: 'none', mapping: { a: 1 } }
  expect(valuesOf(fieldsOf(SETTINGS, 'token'), typed)).toEqual(values)
  expect(() => valuesOf(fieldsOf(SETTINGS, null), { mapping: '{' })).toThrow(SyntaxError)
})

it('a required choice has its first value until another is chosen', () => {
  const settings = { properties: { kind: { type: 'string', enum: ['bearer', 'none'] } }, required: ['kind'] }
  expect(valuesOf(fieldsOf(settings, null), {})).toEqual({ kind: 'bearer' })
  expect(valuesOf(fieldsOf(settings, null), { kind: 'none' })).toEqual({ kind: 'none' })
})
