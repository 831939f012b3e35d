import { expect, it } from 'vitest'
import { recordHeading, recordTitle } from './record-title.ts'

const UNTITLED = { type: 'pull_request', author: { name: 'Ada Berg' }, occurred_at: '2026-03-10T00:00:00Z' }

it('a record is called by its title, else its first words, else what it is, and never by an id', () => {
  expect(recordTitle({ ...UNTITLED, title: 'Pump 7', snippet: 'It stopped.' })).toBe('Pump 7')
  expect(recordTitle({ ...UNTITLED, title: null, snippet: ' It\nstopped. ' })).toBe('It stopped.')
  expect(recordTitle({ ...UNTITLED, text: 'word '.repeat(99) })).toMatch(/^word .{100,}…$/)
  expect(recordTitle(UNTITLED)).toMatch(/^Pull request by Ada Berg, .*2026/)
  expect(recordTitle({ type: 'note', title: ' ', author: 'Bo' })).toBe('Note by Bo')
  expect(recordTitle({})).toBe('Record')
})

it('beside its text a record without a title is called by what it is, so that nothing is said twice', () => {
  expect(recordHeading({ ...UNTITLED, text: 'It stopped.' })).toMatch(/^Pull request by Ada Berg, .*2026/)
  expect(recordHeading({ ...UNTITLED, title: 'Pump 7' })).toBe('Pump 7')
})
