import { expect, test } from 'vitest'
import { plainKeyHash } from '../text/names.ts'
import { declarationsOf } from './declarations.ts'
import type { RecordContent } from './record-content.ts'
import { createResolver } from './resolve.ts'

const author = (name: string, identifiers: Record<string, string>, provider = 'notes') => {
  const content = { external_id: 'r', type: 'note', author: { type: 'person', name, identifiers } } as RecordContent
  return declarationsOf(content, { sourceId: 'src_1', provider }).find(({ role }) => role === 'author')!.identifiers
}
const shared = (one: string[], other: string[]) => one.filter((key) => other.includes(key))

test('an address that a code host made for an account is of its login and number', () => {
  const made = author('nroos', { email: '41+nroos@users.noreply.github.com' })
  expect(shared(made, author('Nina Roos', { login: 'nroos' }))).toHaveLength(1)
  const host = { login: 'NRoos', id: '41', site: 'github.com' }
  expect(shared(made, author('Nina Roos', host, 'github'))).toHaveLength(2)
  expect(shared(author('x', { email: 'nroos@users.noreply.github.com' }), author('y', host, 'github'))).toHaveLength(1)
  expect(
    shared(author('x', { email: '900000041@users.noreply.github.com' }), author('y', { login: '900000041' })),
  ).toEqual([])
  const gitlab = { login: 'iho', id: '7', site: 'gitlab.com' }
  expect(shared(author('x', { email: '7-iho@users.noreply.gitlab.com' }), author('y', gitlab, 'gitlab'))).toHaveLength(
    2,
  )
})

test.each([
  ['Nina Roos', 'nina+oss@roos.example', 'nina@roos.example', 1],
  ['Nina Roos', 'n.roos+lists@roos.example', 'n.roos@roos.example', 1],
  ['Nina Roos', 'nina+oss@roos.example', 'nina@other.example', 0],
  ['Nina Roos', 'reply+news@roos.example', 'reply@roos.example', 0],
  ['Nina Roos', 'nina+a81f3@roos.example', 'nina@roos.example', 0],
  ['Support', 'support+de@roos.example', 'support@roos.example', 0],
])('%s <%s> and <%s> share %d identifiers', (name, one, other, count) => {
  expect(shared(author(name, { email: one }), author(name, { email: other }))).toHaveLength(count)
})

const resolving = (provider: string) => {
  let made = 0
  const resolver = createResolver({ withKey: () => [], get: () => undefined }, plainKeyHash, () => `e${++made}`)
  return {
    resolver,
    resolve: (name: string, identifiers: Record<string, string>) => {
      const content = { external_id: 'r', type: 'note', author: { type: 'person', name, identifiers } } as RecordContent
      const things = declarationsOf(content, { sourceId: 'src_1', provider })
      return resolver.resolve(things.find(({ role }) => role === 'author')!)
    },
  }
}

test('a person known only by a login is merged with the person who has the name next to it', () => {
  const { resolve, resolver } = resolving('notes')
  resolve('Nina Roos', { email: 'nina@roos.example' })
  resolve('nroos', { email: '41+nroos@users.noreply.github.com' })
  resolve('Nina Roos', { login: 'nroos' })
  resolve('Nina', { email: '900000042@users.noreply.github.com', login: 'nina-42' })
  const people = [...resolver.changes.changed.values()]
  expect(people.map(({ names }) => names.map(({ text }) => text))).toEqual([['Nina Roos', 'nroos'], ['Nina']])
})

test('a login that was given to another account joins no two people, and a renamed account stays one', () => {
  const { resolve } = resolving('github')
  const first = resolve('Ida Holm', { login: 'iho', id: '7' })
  expect(resolve('Ida Holm', { login: 'ida-holm', id: '7' })).toBe(first)
  const second = resolve('Ivo Hahn', { login: 'iho', id: '9' })
  expect(second).not.toBe(first)
  expect(resolve('Ivo Hahn', { email: '9+iho@users.noreply.github.com' })).toBe(second)
})
