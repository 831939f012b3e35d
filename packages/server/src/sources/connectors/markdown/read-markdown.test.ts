import { expect, test } from 'vitest'
import { documentRecord } from './read-markdown.ts'

const at = (path: string, content: string) => documentRecord(content, path, 'scope', new Map()).occurred_at

test.each([
  ['2026-03-10 standup.md', 'We met.', '2026-03-10T00:00:00.000Z'],
  ['notes/20260310.md', 'We met.', '2026-03-10T00:00:00.000Z'],
  ['standup_2026_03_10.md', 'We met.', '2026-03-10T00:00:00.000Z'],
  ['standup.md', '# Standup of 2026-03-10\n\nWe met.', '2026-03-10T00:00:00.000Z'],
  ['2026-03-10.md', '---\ncreated: 2026-01-02\n---\nWe met.', '2026-01-02T00:00:00.000Z'],
  ['standup.md', '---\nupdated: 2026-01-02\n---\nWe met.', '2026-01-02T00:00:00.000Z'],
  ['2026-02-31.md', 'There is no such day.', undefined],
  ['1202603101.md', 'A number.', undefined],
  ['2026-03-10/standup.md', 'The day of the folder is not the day of what lies in it.', undefined],
])('the document %s with %j has the date %s', (path, content, day) => {
  expect(at(path, content)).toBe(day)
})
