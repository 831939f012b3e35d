import { expect, it } from 'vitest'
import { faultsOf, readPages } from './snippets.ts'

it('every snippet of a page says its language, JSON is JSON, and what another file runs is what the page shows', () => {
  const pages = readPages()
  expect(pages.flatMap(({ snippets }) => snippets.flatMap(faultsOf))).toEqual([])
  const known = new Set(pages.map(({ path }) => path))
  expect(pages.filter(({ goesOnFrom }) => !known.has(goesOnFrom))).toEqual([])
})
