import { expect, it } from 'vitest'
import { recordHeading, recordTitle } from './record-title.ts'

const UNTITLED = { type: 'pull_request', author: { name: 'Ada Berg' }, occurred_at: '2026-03-10T00:00:00Z' }

it('a record is titled by its title, first words or kind, never by its id', () => {
  expect(recordTitle({ ...UNTITLED, title: 'Pump 7', snippet: 'It stopped.' })).toBe('Pump 7')
  expect(recordTitle({ ...UNTITLED, title: null, snippet: ' It\nstopped. ' })).toBe('It stopped.')
  expect(recordTitle({ ...UNTITLED, text: 'word '.repeat(99) })).toMatch(/^word .{100,}…$/)
  expect(recordTitle(UNTITLED)).toMatch(/^Pull request by Ada Berg, .*2026/)
  expect(recordTitle({ type: 'note', title: ' ', author: 'Bo' })).toBe('Note by Bo')
  expect(recordTitle({})).toBe('Record')
})

it('next to its text, a record without a title is titled by its kind', () => {
  expect(recordHeading({ ...UNTITLED, text: 'It stopped.' })).toMatch(/^Pull request by Ada Berg, .*2026/)
  expect(recordHeading({ ...UNTITLED, title: 'Pump 7' })).toBe('Pump 7')
})
