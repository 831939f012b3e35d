import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { tokensOf } from './fit.ts'
import { packPassages } from './pack-passages.ts'

const weights = new Map([
  ['pump', { position: 0, idf: 2 }],
  ['filter', { position: 1, idf: 3 }],
])
const asked = { stems: ['pump', 'filter'], weights }
const record = (id: string, score: number, text: string, more: object = {}) => ({
  id,
  score,
  content: { external_id: id, type: 'note', provider: 'notes', text, ...more },
})
const filling = Array.from({ length: 16 }, (_, at) => `The yard was swept on day ${at} of a quiet spring.`).join(' ')

describe('packed passages', () => {
  it('come from the best records first, and of a long one from where it holds most of the question', () => {
    const long = `${filling}\n\nThe pump lost its filter.\n\n${filling}`
    const passages = packPassages([record('a', 1, long), record('b', 0.9, 'A pump hummed.')], asked, 200)
    expect(passages.map(({ recordId, score }) => [recordId, score])).toEqual([
      ['a', 1],
      ['b', 0.9],
    ])
    expect(passages[0]!.text).toContain('The pump lost its filter.')
    expect(passages[1]!.text).toBe('A pump hummed.')
  })

  it("contain no sentence twice, from any record, and include a record's fields after its text", () => {
    const passages = packPassages(
      [
        record('a', 1, 'The pump stopped. It was late.'),
        record('b', 0.5, 'We slept. The PUMP stopped. We left.', { properties: { open_filters: 3, hidden: { a: 1 } } }),
      ],
      asked,
      400,
    )
    expect(passages.map(({ recordId, text }) => [recordId, text])).toEqual([
      ['a', 'The pump stopped. It was late.'],
      ['b', 'We slept.'],
      ['b', 'We left.\nopen filters: 3'],
    ])
  })

  it('contain the beginning of a record without query terms, and nothing of a record without text', () => {
    const passages = packPassages(
      [record('a', 1, ''), record('b', 0.5, `${filling} ${filling.replaceAll('spring', 'autumn')}`)],
      asked,
      4_000,
    )
    expect(passages).toHaveLength(1)
    expect(passages[0]!.text.startsWith('The yard was swept')).toBe(true)
  })

  it('keep to any budget with their titles, cut no sentence, say nothing twice, whatever the records', () => {
    const word = fc.constantFrom('pump', 'filter', 'sand', 'Hafen', '港口', 'late', 'swept', '🦀')
    const sentence = fc.array(word, { minLength: 1, maxLength: 30 }).map((words) => `So ${words.join(' ')} it was.`)
    const text = fc.array(fc.array(sentence, { minLength: 1, maxLength: 6 }), { maxLength: 5 })
    const records = fc.array(
      fc.record({ score: fc.double({ min: 0.01, max: 1, noNaN: true }), text, title: sentence }),
      {
        maxLength: 12,
      },
    )
    fc.assert(
      fc.property(records, fc.integer({ min: 100, max: 1_000 }), (given, tokensMax) => {
        const packed = given.map(({ score, text: blocks, title }, at) => ({
          ...record(`r${at}`, score, blocks.map((block) => block.join(' ')).join('\n\n'), { title }),
          title,
        }))
        const passages = packPassages(packed, asked, tokensMax)
        const titleOf = (id: string) => packed.find((each) => each.id === id)!.title
        const size = passages.reduce((sum, { recordId, text }) => sum + tokensOf(text) + tokensOf(titleOf(recordId)), 0)
        expect(size).toBeLessThanOrEqual(tokensMax)
        const sentences = passages.flatMap((passage) => passage.text.split(/(?<=it was\.)\s/))
        expect(new Set(sentences.map((each) => each.toLowerCase())).size).toBe(sentences.length)
        const said = new Set(given.flatMap((each) => each.text.flat().map((each) => each.replaceAll(' 🦀', ''))))
        for (const each of sentences) expect(said.has(each), each).toBe(true)
        expect(passages.map(({ score }) => score)).toEqual(passages.map(({ score }) => score).toSorted((a, b) => b - a))
        expect(packPassages(packed, asked, tokensMax)).toEqual(passages)
      }),
      { numRuns: 60 },
    )
  })
})
