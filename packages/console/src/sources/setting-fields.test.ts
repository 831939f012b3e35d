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

it('a form asks for what the schema has, for the credential without showing it', () => {
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

it('what was typed is sent as the schema has it, and what was left empty is not', () => {
  const typed = { site: ' ', repositories: 'a/b, c/d\n', thread_days: '3', auth_kind: 'none', mapping: '{"a":1}' }
  const values = { repositories: ['a/b', 'c/d'], thread_days: 3, auth_kind: 'none', mapping: { a: 1 } }
  expect(valuesOf(fieldsOf(SETTINGS, 'token'), typed)).toEqual(values)
  expect(() => valuesOf(fieldsOf(SETTINGS, null), { mapping: '{' })).toThrow(SyntaxError)
})
