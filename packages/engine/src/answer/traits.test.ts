import { expect, test } from 'vitest'
import { speaksAsSomebody } from '../text/words.ts'
import { LEANS_BACK } from './traits.ts'

test.each([
  ['I moved it.', true],
  ['Let’s see what we’ve got.', true],
  ['Unsere Frist ist vorbei.', true],
  ['Nous partons.', true],
  ['Please close it.', true],
  ['US offices close at noon.', false],
  ['The mine closed in 1950.', false],
])('whether somebody speaks in “%s”', (text, speaks) => {
  expect(speaksAsSomebody(text)).toBe(speaks)
})

test.each([
  ['She left.', true],
  ['The former won.', true],
  ['Diese Frist gilt.', true],
  ['There are two.', true],
  ['Sonst nichts.', false],
  ['Thesis work goes on.', false],
])('whether “%s” leans on what was said before', (text, leans) => {
  expect(LEANS_BACK.test(text)).toBe(leans)
})
