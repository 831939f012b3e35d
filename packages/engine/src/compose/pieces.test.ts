import { describe, expect, it } from 'vitest'
import { asking, story } from '../../../../tests/harness/sample-stories.ts'
import { composeBrief } from './compose-brief.ts'

const briefOf = (query: string, text: string) =>
  composeBrief(asking(query, [story('rec_1', undefined, { type: 'document', title: 'Time off', text })])).brief

describe('what a document says', () => {
  it('is told from the sentence that answers on, and what stands before that after it', () => {
    const brief = briefOf(
      'How many days of leave does everybody take?',
      'In January everybody plans how many days of leave they take. ' +
        'Everybody takes at least 23 days of leave every year.',
    )
    expect(brief).toMatch(/^Everybody takes at least 23 days of leave every year\. In January everybody plans/)
  })

  it('is quoted in its own order, so that what stands before the answer has marks of its own', () => {
    const brief = briefOf(
      'How many days of leave does everybody take?',
      'We plan in January how many days of leave everybody takes. ' +
        'We ask that everybody takes at least 23 days of leave every year.',
    )
    expect(brief).toMatch(/^“Time off” says: “We ask that everybody takes at least 23 days of leave every year\./)
    expect(brief).toMatch(/” “We plan in January how many days of leave everybody takes\.”$/)
  })

  it('keeps the sentence that the first word of the answer points to before it', () => {
    const brief = briefOf(
      'How many days does the leave of a parent take?',
      'Everybody may rest. The leave of a parent is paid. It takes 90 days from the birth of the child of a parent.',
    )
    expect(brief).toMatch(/The leave of a parent is paid\. It takes 90 days/)
  })
})
