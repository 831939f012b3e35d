import { expect, it } from 'vitest'
import { asking, plainTerms, story } from '../../../../tests/harness/sample-stories.ts'
import { questionText } from '../understand/wording.ts'
import { answerQuestion } from './answer.ts'
import type { BriefRecord, Corpus, SemanticScores } from './brief.ts'
import { comparisonInput } from './semantic-similarity.ts'

const QUESTION = 'Which vehicle is broken?'
const notes: BriefRecord[] = [
  story('rec_1', 1, { title: 'Garage', text: 'The automobile came back with faulty brakes. Lunch is at noon.' }),
  story('rec_2', 2, { text: Array.from({ length: 20 }, (_, at) => `Nothing happened on floor ${at}.`).join(' ') }),
]
const held = new Set(plainTerms(notes.map(({ title, text }) => `${title} ${text}`).join('\n')))
const corpus: Corpus = { records: 20, degreeOf: (term) => (held.has(term) ? 2 : 0), isByMeaning: true }
const input = asking(QUESTION, notes, { corpus })

/** Returns similarity values: how much each text expresses "vehicle" and "broken". */
function saying(share: (text: string) => number): SemanticScores {
  const { texts } = comparisonInput(input)
  const words = ['which', 'vehicle', 'is', 'broken', '?']
  return {
    words,
    texts: new Map(texts.map((text) => [text, { alike: share(text), said: words.map(() => share(text)) }])),
  }
}

it('a few statements are compared, each once and under the title of its record', () => {
  const { question, texts } = comparisonInput(input)
  expect(questionText(question)).toBe(QUESTION)
  expect(texts.length).toBeLessThanOrEqual(16)
  expect(new Set(texts).size).toBe(texts.length)
  expect(texts.filter((text) => text.includes('automobile'))).toEqual([
    'Garage: The automobile came back with faulty brakes.',
  ])
})

it('what a statement says in other words is answered, and what none says in any is refused', () => {
  const answered = (meant: SemanticScores) => answerQuestion({ ...input, meant }).outcome === 'answered'
  expect(answered(saying((text) => (text.includes('automobile') ? 0.8 : 0.1)))).toBe(true)
  expect(answered(saying(() => 0.1))).toBe(false)
})

it('what is asked of a subject counts as answered only by what speaks of it, in whatever words', () => {
  const records = [
    story('rec_1', 1, { title: 'Lena', text: 'Lena moved to Bristol in spring. Lena has a blue bicycle.' }),
    story('rec_2', 2, { title: 'Shop', text: 'The shop has curtains of every colour.' }),
  ]
  const terms = new Set(plainTerms(records.map(({ title, text }) => `${title} ${text}`).join('\n')))
  const known: Corpus = { records: 400, degreeOf: (term) => (terms.has(term) ? 2 : 0), isByMeaning: true }
  const answered = (query: string, words: readonly string[], near: RegExp) => {
    const asked = asking(query, records, { corpus: known })
    const said = (text: string) => words.map((word) => Number(text.toLowerCase().includes(word) || near.test(text)))
    const texts = new Map(comparisonInput(asked).texts.map((text) => [text, { alike: 0.5, said: said(text) }]))
    return answerQuestion({ ...asked, meant: { words, texts } }).outcome === 'answered'
  }
  expect(answered("What colour are Lena's curtains?", ['colour', 'lena', 'curtains'], /^$/)).toBe(false)
  expect(answered('Which vehicle does Lena own?', ['vehicle', 'lena', 'own'], /bicycle/)).toBe(true)
})

it('a comparison of nothing is none: it neither fails nor answers', () => {
  expect(answerQuestion({ ...input, meant: { words: [], texts: new Map() } }).outcome).not.toBe('answered')
})

it('among statements with equal word coverage, the semantically most similar one comes first', () => {
  const text = 'The pump was out of order in June. The pump was loaded on the lorry in July.'
  const records = [story('rec_1', 1, { title: 'Yard', text })]
  const asked = asking('What happened to the pump?', records)
  const first = (meantBy: RegExp) => {
    const { texts } = comparisonInput(asked)
    const said = (each: string) => ({ alike: Number(meantBy.test(each)), said: [Number(meantBy.test(each))] })
    const meant: SemanticScores = { words: ['pump'], texts: new Map(texts.map((each) => [each, said(each)])) }
    return answerQuestion({ ...asked, meant }).considered[0]?.text
  }
  expect(first(/lorry/)).toMatch(/^[^.]*lorry/)
  expect(first(/out of order/)).toMatch(/^[^.]*out of order/)
})

it('the target of a hop is selected by its words, however low its semantic similarity', () => {
  const works = [
    story('rec_1', undefined, {
      type: 'document',
      title: 'Harbour Lights',
      text: 'Harbour Lights is a silent film. Its score was composed by Ana Silva.',
      score: 1,
    }),
    story('rec_2', undefined, {
      type: 'document',
      title: 'Ana Silva',
      text: 'Ana Silva was born in Faro.',
      score: 0.5,
    }),
  ]
  const asked = asking('Where was the composer of Harbour Lights born?', works)
  const { texts } = comparisonInput(asked)
  const said = (each: string) => (each.includes('Faro') ? 0 : 1)
  const meant: SemanticScores = {
    words: ['composer', 'lights'],
    texts: new Map(texts.map((each) => [each, { alike: said(each), said: [said(each), said(each)] }])),
  }
  expect(answerQuestion({ ...asked, meant }).brief).toContain('Faro')
})
