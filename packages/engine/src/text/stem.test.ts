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
