import { expect, it } from 'vitest'
import { encodeContent, encodedExternalId } from './record-content.ts'

it('the external id is read from the beginning of a content, with its escapes', () => {
  const idOf = (content: object) => encodedExternalId(encodeContent(content))
  expect(idOf({ external_id: 'a/ü "b".csv#3', type: 'row', text: 'x'.repeat(20_000) })).toBe('a/ü "b".csv#3')
  expect(idOf({ external_id: '', type: 'row' })).toBe('')
  expect(idOf({ type: 'row', external_id: 'later' })).toBeUndefined()
  expect(idOf({ external_id: 'x'.repeat(9_000), type: 'row' })).toBeUndefined()
})
