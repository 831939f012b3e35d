import { expect, it } from 'vitest'
import { labelOf, valueTold } from './words.ts'

it('property names and values are shown as words', () => {
  expect(labelOf('due_date')).toBe('Due date')
  expect(valueTold(true)).toBe('yes')
  expect(valueTold(['portal', 'beta'])).toBe('portal, beta')
  expect(valueTold({ blueberries: 8, by: { name: 'Ada' } })).toBe('blueberries: 8, by: name: Ada')
  expect(valueTold('2026-08-04')).toMatch(/2026/)
  expect(valueTold('2026-08-04')).not.toBe('2026-08-04')
  expect(valueTold('2026-08-04 or so')).toBe('2026-08-04 or so')
  expect([valueTold(37), valueTold(null)]).toEqual(['37', ''])
})
