import { expect, it } from 'vitest'
import { faultsOf, readPages } from './snippets.ts'

it('every snippet names its language, JSON is valid, and quoted files match their source', () => {
  const pages = readPages()
  expect(pages.flatMap(({ snippets }) => snippets.flatMap(faultsOf))).toEqual([])
  const known = new Set(pages.map(({ path }) => path))
  expect(pages.filter(({ goesOnFrom }) => !known.has(goesOnFrom))).toEqual([])
})
