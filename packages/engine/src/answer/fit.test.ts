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

describe('shorten, of code', () => {
  const code = 'Start it:\n\n```sh\nnpm install\nnpm run build\nnpm start -- --port 8080 --data /var/lib/cairn\n```'

  it('ends after a line of it and closes its fence', () => {
    expect(shorten(code, 21)).toBe('Start it:\n\n```sh\nnpm install\nnpm run build\n```\n…')
    expect(shorten(code, 12)).toBe('Start it:\n\n```sh\nnpm install\n```\n…')
  })

  it('leaves it out where no line of it fits', () => {
    expect(shorten(code, 9)).toBe('Start it…')
  })

  it('never exceeds the limit and never leaves a fence open', () => {
    const line = fc.constantFrom('```', 'npm start', 'Then, at noon, it stops.', '')
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), fc.integer({ min: 0, max: 60 }), (lines, tokensMax) => {
        const text = [...lines, '```', 'x', '```'].join('\n')
        const short = shorten(text, tokensMax)
        expect(tokensOf(short)).toBeLessThanOrEqual(tokensMax)
        const marks = (part: string) => part.split('\n').filter((each) => each.startsWith('```')).length
        if (marks(text) % 2 === 0) expect(marks(short) % 2).toBe(0)
      }),
      { numRuns: 3000 },
    )
  })
})

describe('fitDrafts', () => {
  it('names an entity by key and title once, then by its key', () => {
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
