import { expect, test } from 'vitest'
import { stem } from './stem.ts'

test('inflected forms share a stem', () => {
  for (const [word, expected] of [
    ['caresses', 'caress'],
    ['ponies', 'poni'],
    ['agreed', 'agre'],
    ['plastered', 'plaster'],
    ['motoring', 'motor'],
    ['hopping', 'hop'],
    ['falling', 'fall'],
    ['filing', 'file'],
    ['happy', 'happi'],
    ['relational', 'relat'],
    ['vietnamization', 'vietnam'],
    ['triplicate', 'triplic'],
    ['goodness', 'good'],
    ['adoption', 'adopt'],
    ['probate', 'probat'],
    ['controll', 'control'],
  ]) {
    expect(stem(word as string)).toBe(expected)
  }
})

test('British and American spellings share a stem', () => {
  for (const [british, american] of [
    ['favourite', 'favorite'],
    ['colours', 'colors'],
    ['neighbourhood', 'neighborhood'],
    ['behaviour', 'behavior'],
    ['organise', 'organize'],
    ['organisations', 'organizations'],
    ['prioritising', 'prioritizing'],
    ['analysed', 'analyzed'],
    ['centre', 'center'],
    ['metres', 'meters'],
    ['theatre', 'theater'],
    ['catalogue', 'catalog'],
    ['dialogues', 'dialogs'],
  ]) {
    expect(stem(british!)).toBe(stem(american!))
  }
})

test('different words do not share a stem because their endings look like spellings', () => {
  for (const [one, other] of [
    ['four', 'for'],
    ['hour', 'hor'],
    ['scour', 'score'],
    ['tour', 'tor'],
    ['improvise', 'improve'],
    ['imprecise', 'imprecate'],
    ['paradise', 'parade'],
    ['prise', 'prize'],
    ['timbre', 'timber'],
    ['genre', 'gener'],
    ['vogue', 'vog'],
    ['hatred', 'hatered'],
  ]) {
    expect(stem(one!)).not.toBe(stem(other!))
  }
})

test('irregular forms share the stem of their base', () => {
  for (const [base, ...forms] of [
    ['write', 'writes', 'writing', 'wrote', 'written'],
    ['meet', 'meeting', 'met'],
    ['leave', 'leaving', 'left'],
    ['child', 'children'],
    ['index', 'indices'],
  ]) {
    for (const form of forms) expect(stem(form)).toBe(stem(base as string))
  }
})

test('short words, numbers and other scripts are their own stems', () => {
  for (const word of ['is', '2024s', 'москвы', '東京']) expect(stem(word)).toBe(word)
})
