import { describe, expect, it } from 'vitest'
import { unnumbered } from '../text/sentences.ts'
import { isFragment } from './openings.ts'

describe('openings', () => {
  it('knows fragments from sentences and leaves other languages alone', () => {
    expect(isFragment('08:44 Jon finds the cause.')).toBe(true)
    expect(isFragment('2 Restore the index, Jon Berg.')).toBe(true)
    expect(isFragment('Full run against the backup of 28 May, with a stopwatch')).toBe(true)
    expect(isFragment('The worker dropped the index.')).toBe(false)
    expect(isFragment('Ana owns the rollout.')).toBe(false)
    expect(isFragment('Der Index fehlt seit gestern.')).toBe(false)
  })

  it('takes the numbers off a list in running text and off nothing else', () => {
    expect(unnumbered(['1 restore the index, Jon.', '2 add an alert, Ana.'])).toEqual([
      'restore the index, Jon.',
      'add an alert, Ana.',
    ])
    expect(unnumbered(['1 restore the index.', '3 add an alert.'])).toBeUndefined()
    expect(unnumbered(['40 orders failed.', '12 were repaired.'])).toBeUndefined()
  })
})
