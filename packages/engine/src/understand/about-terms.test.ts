import { expect, it } from 'vitest'
import { terms } from '../text/terms.ts'
import { aboutTerms } from './about-terms.ts'
import { readQuestion } from './question.ts'

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
