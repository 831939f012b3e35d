import { expect, it, test } from 'vitest'
import { terms } from '../text/terms.ts'
import { foldText, wordsOfFolded } from '../text/words.ts'
import { readQuestion } from './question.ts'
import { aboutTerms, inflections, isSmallIn, languagesOf } from './question-terms.ts'

const about = (text: string) => aboutTerms(text, terms)

it('leaves out times, numbers, small words and how a question asks', () => {
  for (const text of [
    'How many are there?',
    'Recap the last two weeks.',
    'What changed since Monday?',
    'Please summarize',
  ])
    expect(about(text), text).toEqual([])
})

it('keeps names and the words of what is asked about', () => {
  expect(about('Who should I ask about Kubernetes?')).toEqual(terms('kubernetes'))
  expect(about('Which of the two cranes in bay 12 failed?')).toEqual(terms('crane bay failed'))
})

it('leaves out the small words of other languages', () => {
  expect(about('Wer ist der Leiter und warum?')).toEqual(terms('Leiter'))
})

it('is read without the times that a question names, and with the subject of the one before it', () => {
  const question = readQuestion('And in the night of 3 May?', terms, { timeless: 'And ?', subject: 'the crane' })
  expect(question.about).toEqual(terms('crane'))
})

const words = (text: string) => wordsOfFolded(foldText(text))
/** Returns the stop words of a question in its language. */
function small(text: string): string[] {
  const languages = languagesOf(words(text))
  return words(text).flatMap((word) => (isSmallIn(languages, word) ? [word.text] : []))
}

test.each([
  ['Wo ist die Rechnung?', ['wo', 'ist', 'die']],
  ['Quand la facture est-elle payée ?', ['quand', 'la', 'est', 'elle']],
  ['¿Dónde está el camión de La Paz?', ['donde', 'esta', 'el', 'de']],
  ['De wie heeft de sleutel?', ['de', 'wie', 'heeft', 'de']],
])('a question is known by its small words: %s', (text, expected) => {
  expect(small(text)).toEqual(expected)
})

test.each([
  'Who was the director of the film Casa de la Vida?',
  'in which city did they die',
  'is La La Land a film',
  'payment gateway timeout',
])('an English question and bare words are in none of these languages: %s', (text) => {
  expect(languagesOf(words(text))).toEqual([])
})

test.each([
  ['rechnung', 'rechnungen'],
  ['kunden', 'kunde'],
  ['vertrage', 'vertrag'],
  ['livraisons', 'livraison'],
  ['bloquee', 'bloques'],
  ['camion', 'camiones'],
  ['cancelado', 'cancelados'],
  ['magazzino', 'magazzini'],
  ['ligacao', 'ligacoes'],
  ['vrachtwagen', 'vrachtwagens'],
])('%s and %s are forms of one word', (one, other) => {
  expect(inflections(one).has(other)).toBe(true)
  expect(inflections(other).has(one)).toBe(true)
})

test('a word that is short or has other letters has no forms', () => {
  expect([...inflections('tal')].filter((form) => form.length <= 3)).toEqual([])
  expect(inflections('паром').size).toBe(0)
})
