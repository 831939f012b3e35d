import { expect, it } from 'vitest'
import { readMarkdown } from './read-markdown.ts'

it('takes what stands in double brackets for the name of a note, and a footnote’s mark for none', () => {
  const text = 'See [[Leave]] and [[Travel|the trips]]. Ask early.[[7]](#note-7)\n\n[[7]](#mark-7) In spring.'
  expect(readMarkdown(text).wikiLinks).toEqual(['Leave', 'Travel'])
})

it('keys of front matter are not compared with each other: of equal ones the last counts', () => {
  expect(readMarkdown('---\nauthor: Ana\nauthor: Ben\n---\nText').matter).toEqual({ author: 'Ben' })
})
