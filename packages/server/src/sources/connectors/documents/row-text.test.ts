import { expect, test } from 'vitest'
import type { Value } from '../../../documents/document.ts'
import { openDocumentMapper } from './map-document.ts'

function rowOf(cells: Record<string, Value>) {
  const map = openDocumentMapper({ path: 'pumps.csv', id: 'pumps.csv', scope: 'scope' })
  return map({ kind: 'row', table: 'pumps', row: 2, cells: Object.entries(cells) })
}

test('a row’s text has its name and cells, and cells with sentences on lines of their own', () => {
  const row = rowOf({ pump: 'P-7', made_by: 'Lima Ltd', volume_hl: 20, remarks: 'It leaks. Drain it first.' })
  expect(row).toMatchObject({ title: 'P-7', properties: { made_by: 'Lima Ltd' } })
  expect(row?.text).toBe('- P-7: made by: Lima Ltd; volume hl: 20\n- P-7: remarks: It leaks. Drain it first.')
})

test('a row of numbers has no name, and a row with only a name has no other text', () => {
  expect(rowOf({ year: 2025, litres: 40 })).toMatchObject({ title: 'pumps 2', text: '- year: 2025; litres: 40' })
  expect(rowOf({ pump: 'P-7' })).toMatchObject({ title: 'P-7', text: 'P-7' })
})
