import { expect, it } from 'vitest'
import { readMarkdown } from './read-markdown.ts'

it('reads a name in double brackets as a wiki link, but not a footnote mark', () => {
  const text = 'See [[Leave]] and [[Travel|the trips]]. Ask early.[[7]](#note-7)\n\n[[7]](#mark-7) In spring.'
  expect(readMarkdown(text).wikiLinks).toEqual(['Leave', 'Travel'])
})

it('of duplicate keys in front matter the last one counts', () => {
  expect(readMarkdown('---\nauthor: Ana\nauthor: Ben\n---\nText').matter).toEqual({ author: 'Ben' })
})
