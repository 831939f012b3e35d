import { describe, expect, it } from 'vitest'
import { factsAsked } from './facts-asked.ts'

describe('a question asks for facts of who asks it', () => {
  it.each([
    ['Where do I live?', 'lives in'],
    ['Hey, where do I live now?', 'lives in'],
    ['Who is my employer?', 'works for'],
    ['since when do I live in Lyon', 'lives in'],
  ])('%s', (question, predicate) => {
    expect(factsAsked(question)).toEqual({ predicates: [predicate], isFormer: false })
  })

  it.each([['Where did I live before?', 'lives in']])('%s asks how it was', (question, predicate) => {
    expect(factsAsked(question)).toEqual({ predicates: [predicate], isFormer: true })
  })

  it.each([
    'Where does my brother live?',
    "What's my brother's wife called?",
    'Where do I live according to Bob?',
    'Where do we live?',
    'Who is my older brother?',
    'Where did I park?',
    'What do I do when the server is down?',
    `Where do I live ${'now '.repeat(1000)}?`,
  ])('%s asks for something else', (question) => {
    expect(factsAsked(question)).toBeUndefined()
  })
})
