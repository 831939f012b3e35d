import { expect, it } from 'vitest'
import { mentionedPeople } from '../references.ts'
import { fenced } from './conversation.ts'

it.each([
  ['x = 1', '```'],
  ['```js\nx = 1\n```', '````'],
  ['````md\n```\nx = 1\n```\n````', '`````'],
])('a fence is longer than any run of backticks in the code', (code, fence) => {
  expect(fenced(code, 'md')).toBe(`${fence}md\n${code}\n${fence}`)
})

it('logins in code are no mentions, whatever the length of the fence', () => {
  const people = mentionedPeople(`@dana\n${fenced('```\n@one\n```\n@two')}\n@yuki`)
  expect(people.map((person) => person?.name)).toEqual(['dana', 'yuki'])
})
