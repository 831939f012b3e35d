import { expect, test } from 'vitest'
import { labelsOf } from './values.ts'

test.each([
  ['NOR-142 and Invoice 12 wait for #7', ['nor-142', '#7', 'invoice 12']],
  ['The ticket #7 is in Sprint 4b', ['ticket #7', 'sprint 4b']],
  ['The top-10 in utf-8, from mid-2026 on', []],
])('the numbered things of “%s”', (text, labels) => {
  expect([...labelsOf(text)].sort()).toEqual([...labels].sort())
})
