import { expect, test } from 'vitest'
import { typesNamed } from './types-named.ts'

const TYPES = ['issue', 'pull_request', 'message', 'person', 'Invoice Line']

test.each([
  ['How many issues are open?', ['issue', 'person']],
  ['Which PR did Ada merge, and which ticket does it close?', ['issue', 'person', 'pull_request']],
  ['List invoice lines of July', ['Invoice Line', 'person']],
  ['How many people are there?', ['person']],
  ['How many are open?', []],
  ['What is the issuer?', []],
])('%s', (text, named) => {
  expect([...typesNamed(TYPES, [text])]).toEqual(named)
})
