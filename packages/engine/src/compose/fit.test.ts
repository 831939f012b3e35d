import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Draft } from './brief.ts'
import { fitDrafts, shorten, tokensOf } from './fit.ts'

describe('shorten', () => {
  it('never takes more than it may and leaves a text that fits as it is', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 200 }),
        fc.integer({ min: 0, max: 60 }),
        (text, tokensMax) => {
          const short = shorten(text, tokensMax)
          expect(tokensOf(short)).toBeLessThanOrEqual(tokensMax)
          if (tokensOf(text) <= tokensMax) expect(short).toBe(text)
        },
      ),
    )
  })

  it('ends at a clause with an ellipsis and closes a quotation', () => {
    expect(shorten('The gateway failed at noon, the retries piled up and billing stopped for an hour.', 12)).toBe(
      'The gateway failed at noon…',
    )
    expect(shorten('On 12 June Priya Raman wrote: “The gateway failed at noon, and billing stopped.”', 18)).toMatch(
      /…”$/,
    )
  })
})

describe('fitDrafts', () => {
  it('names a thing by key and title once, then by its key', () => {
    const draft = (text: string): Draft => ({ role: 'story', text, recordIds: [], weight: 1 })
    const { brief } = fitDrafts(
      [
        draft('NOR-142 “Retry storms” is in review.'),
        draft('Also open are NOR-142 “Retry storms” and NOR-7 “Alerts”.'),
      ],
      200,
    )
    expect(brief).toBe('NOR-142 “Retry storms” is in review. Also open are NOR-142 and NOR-7 “Alerts”.')
  })
})
