import { expect, it } from 'vitest'
import { readMarkdown } from './read-markdown.ts'

it('takes what stands in double brackets for the name of a note, and a footnote’s mark for none', () => {
  const text = 'See [[Leave]] and [[Travel|the trips]]. Ask early.[[7]](#note-7)\n\n[[7]](#mark-7) In spring.'
  expect(readMarkdown(text).wikiLinks).toEqual(['Leave', 'Travel'])
})
