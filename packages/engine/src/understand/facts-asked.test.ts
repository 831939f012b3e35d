import { describe, expect, it } from 'vitest'
import { factsAsked } from './facts-asked.ts'

describe('a question asks for facts of who asks it', () => {
  it.each([
    ['Where do I live?', 'lives in'],
    ['Hey, where do I live now?', 'lives in'],
    ["What's my dog called?", 'dog'],
    ["What is my mum's name?", 'mother'],
    ['Who is my new dentist?', 'dentist'],
    ['Who are my kids?', 'son, daughter'],
    ['Do I eat meat?', 'diet'],
    ['What is my favorite film?', 'favourite movie'],
    ['What am I allergic to?', 'allergic to'],
    ['since when do I live in Lyon', 'lives in'],
  ])('%s', (question, predicates) => {
    expect(factsAsked(question)).toEqual({ predicates: predicates.split(', '), isFormer: false })
  })

  it.each([
    ['Where did I live before?', 'lives in'],
    ['Who was my boss before that?', 'boss'],
    ['What was my favourite book?', 'favourite book'],
  ])('%s asks how it was', (question, predicate) => {
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
