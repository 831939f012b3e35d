import { expect, test } from 'vitest'
import { appendPosting, createPostings, eachSegment, filterList, openList, type Postings } from './postings.ts'

function read(postings: Postings, list: number, skipped = 0): number[] {
  const found: number[] = []
  eachSegment(postings, list, (page, from, to) => found.push(...page.subarray(from, to)), skipped)
  return found.sort((a, b) => a - b)
}

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1)

test('a list of any length gives back what was appended', () => {
  const postings = createPostings()
  for (const [key, length] of [
    0, 1, 2, 3, 4, 10, 11, 100, 2_043, 2_044, 2_045, 3_066, 3_067, 3_068, 70_000,
  ].entries()) {
    const list = openList(postings, key)
    for (const posting of upTo(length)) appendPosting(postings, list, posting)
    expect(read(postings, list)).toEqual(upTo(length))
  }
})

test('what was read before can be skipped', () => {
  const postings = createPostings()
  const list = openList(postings, 7)
  for (const [at, posting] of upTo(5_000).entries()) {
    if ([1, 2, 3, 4, 11, 500, 4_000].includes(at)) expect(read(postings, list, at - 1)).toEqual([at])
    appendPosting(postings, list, posting)
  }
  expect(read(postings, list, 4_990)).toEqual(upTo(5_000).slice(4_990))
})

test('a filtered list keeps the rest, and its room is used again', () => {
  const postings = createPostings()
  const list = openList(postings, 7)
  for (const posting of upTo(10_000)) appendPosting(postings, list, posting)
  expect(filterList(postings, list, (posting) => posting % 2 === 0)).toBe(false)
  expect(read(postings, list)).toEqual(upTo(10_000).filter((posting) => posting % 2 === 0))
  const pages = postings.pages.length
  for (let turn = 0; turn < 20; turn += 1) {
    filterList(postings, list, () => false)
    for (const posting of upTo(10_000)) appendPosting(postings, list, posting)
  }
  expect(postings.pages.length).toBeLessThanOrEqual(pages + 1)
})
