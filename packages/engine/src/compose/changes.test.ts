import { expect, test } from 'vitest'
import { asking, story } from '../../../../tests/harness/sample-stories.ts'
import { gatherMaterial } from './candidates.ts'
import { changeDrafts } from './changes.ts'

const versions = (...told: [day: number, type: string, state: string][]) => {
  const records = told.map(([day, type, state], at) =>
    story(`rec_${at}`, day, { type, title: 'Filter open items', properties: { state } }),
  )
  return changeDrafts(gatherMaterial(asking('?', records), true), 1).map(({ text }) => text)
}

test('what a field of one thing was before is told with what it became', () => {
  expect(versions([2, 'issue', 'open'], [5, 'issue', 'done'])).toEqual([
    expect.stringMatching(/^The state of “Filter open items” went from open \(.+\) to done \(.+\)\.$/),
  ])
})

test('an issue and the pull request of the same name have states of their own', () => {
  expect(versions([2, 'issue', 'open'], [5, 'pull_request', 'merged'])).toEqual([])
})
