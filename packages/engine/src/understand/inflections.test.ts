import { expect, test } from 'vitest'
import { foldText, wordsOfFolded } from '../text/words.ts'
import { inflections, isSmallIn, languagesOf } from './inflections.ts'

const words = (text: string) => wordsOfFolded(foldText(text))
/** The words of a question that say nothing in its language. */
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
