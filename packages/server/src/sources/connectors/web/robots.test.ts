import { expect, it } from 'vitest'
import { parseRobots } from './robots.ts'

const allows = (content: string, path: string) => parseRobots(content).allows(path)

it('the longest matching rule decides, and Allow wins between two of the same length', () => {
  const rules = 'User-agent: *\nDisallow: /private\nAllow: /private/open\nDisallow: /same\nAllow: /same'
  expect(allows(rules, '/private/notes')).toBe(false)
  expect(allows(rules, '/private/open/notes')).toBe(true)
  expect(allows(rules, '/same')).toBe(true)
  expect(allows(rules, '/other')).toBe(true)
})

it('the group of this service replaces the group of all robots, even if it is empty', () => {
  expect(allows('User-agent: *\nDisallow: /\n\nUser-agent: cairn\nDisallow:', '/a')).toBe(true)
  expect(allows('User-agent: *\nAllow: /\n\nUser-agent: other\nUser-agent: Cairn # us\nDisallow: /a', '/a')).toBe(false)
  expect(allows('User-agent: other\nDisallow: /', '/a')).toBe(true)
})

it('wildcards match any characters, and $ the end of the path', () => {
  const rules = 'User-agent: *\nDisallow: /*/draft/*.html$\nDisallow: /exact$\nDisallow: /*?page='
  expect(allows(rules, '/2026/draft/a.html')).toBe(false)
  expect(allows(rules, '/2026/draft/a.html?x')).toBe(true)
  expect(allows(rules, '/exact')).toBe(false)
  expect(allows(rules, '/exactly')).toBe(true)
  expect(allows(rules, '/list?page=2')).toBe(false)
  expect(allows('User-agent: *\nDisallow: /größe', '/gr%C3%B6%C3%9Fe')).toBe(false)
})

it('a hostile file is matched in linear time', () => {
  const rules = `User-agent: *\n${`Disallow: /${'*a'.repeat(2_000)}b\n`.repeat(100)}`
  expect(allows(rules, `/${'a'.repeat(400)}`)).toBe(true)
})
