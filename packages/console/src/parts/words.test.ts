import { expect, it } from 'vitest'
import { formatValue, labelOf } from './words.ts'

it('property names and values are shown as words', () => {
  expect(labelOf('due_date')).toBe('Due date')
  expect(formatValue(true)).toBe('yes')
  expect(formatValue(['portal', 'beta'])).toBe('portal, beta')
  expect(formatValue({ blueberries: 8, by: { name: 'Ada' } })).toBe('blueberries: 8, by: name: Ada')
  expect(formatValue('2026-08-04')).toMatch(/2026/)
  expect(formatValue('2026-08-04')).not.toBe('2026-08-04')
  expect(formatValue('2026-08-04 or so')).toBe('2026-08-04 or so')
  expect([formatValue(37), formatValue(null)]).toEqual(['37', ''])
})
