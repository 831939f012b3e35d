import { expect, it } from 'vitest'
import { withoutReasoning } from './reasoning.ts'

const MANY = 1_000_000

it('reasoning text is removed anywhere, and the rest is kept', () => {
  expect(withoutReasoning('Yes.')).toBe('Yes.')
  expect(withoutReasoning('<think>Hm.\n</think>Yes.')).toBe('Yes.')
  expect(withoutReasoning('A.<think>1</think>B.<think>2</think>')).toBe('A.\nB.')
  expect(withoutReasoning('A </think> B <think> C')).toBe('A </think> B <think> C')
  expect(withoutReasoning('<think><think>1</think>Yes.')).toBe('Yes.')
})

it('unclosed and empty tags are parsed in linear time', () => {
  const opened = '<think>'.repeat(MANY)
  expect(withoutReasoning(opened)).toBe(opened)
  expect(withoutReasoning(`${opened}</think>Yes.`)).toBe('Yes.')
  expect(withoutReasoning('<think></think>'.repeat(MANY))).toBe('')
})
