import { describe, expect, it } from 'vitest'
import { bestRun, cutSentence, scoreSentences, textOf } from './score-sentences.ts'

const weights = new Map([
  ['pump', { position: 0, idf: 1 }],
  ['filter', { position: 1, idf: 3 }],
  ['sand', { position: 2, idf: 5 }],
  // Another form of the same term.
  ['sandi', { position: 2, idf: 5 }],
])
const length = (text: string) => text.length
const best = (text: string, room: number) => {
  const sentences = scoreSentences(text, weights)
  const run = bestRun(sentences, room, length)
  return run && textOf(sentences, run)
}

describe('the best run of sentences', () => {
  it('is the one with the greatest weight of query terms, not the greatest number', () => {
    expect(best('The pump has a filter. It rained. Sand came in.', 30)).toBe('It rained. Sand came in.')
    expect(best('Sand came in.\n\nThe pump has a filter.', 25)).toBe('Sand came in.')
  })

  it('counts a term and its other forms once, and takes the first of two that hold as much', () => {
    expect(best('A filter on a filter and two filters.\n\nSandy, sand came in.', 40)).toBe('Sandy, sand came in.')
    expect(best('One of sand.\n\nTwo of sand.', 20)).toBe('One of sand.')
  })

  it('is extended within its own paragraphs while there is room', () => {
    expect(best('First here.\n\nWe looked. Sand came in. We left.', 60)).toBe('We looked. Sand came in. We left.')
    expect(best('Sand came in.\n\nThe filter held.', 60)).toBe('Sand came in.\nThe filter held.')
    expect(best('Sand came in.\n\nNothing held.', 60)).toBe('Sand came in.')
  })

  it('is the beginning if no query term occurs, and undefined if no sentence fits', () => {
    expect(best('We met. We left.\n\nWe slept.', 100)).toBe('We met. We left.')
    expect(best('We met on a very long afternoon.', 10)).toBeUndefined()
    expect(best('', 10)).toBeUndefined()
  })
})

describe('a cut sentence', () => {
  it('shows what holds most of the question, at ends of words, and never more than it may', () => {
    const [sentence] = scoreSentences(
      `Of ${'the many '.repeat(40)}things sand was one ${'of very many '.repeat(15)}.`,
      weights,
    )
    const cut = cutSentence(sentence!, weights, 100)
    expect(cut.length).toBeLessThanOrEqual(100)
    expect(cut).toMatch(/^….*\bsand\b.*…$/)
    expect(cut).not.toMatch(/\S…$^/)
    const emoji = scoreSentences(`sand${'🦀'.repeat(150)}`, weights)[0]
    if (emoji) expect(cutSentence(emoji, weights, 51)).not.toMatch(/\p{Cs}/u)
  })
})
