import { describe, expect, it } from 'vitest'
import { asking, story } from '../../../../tests/harness/sample-stories.ts'
import { askedWords } from '../understand/question.ts'
import { answerQuestion } from './answer.ts'
import { indexNames } from './names.ts'

const person = (at: number) => ({ canonicalId: `ent_${at}`, name: `Al Bo${at}`, type: 'person' })
const notes = Array.from({ length: 40 }, (_, at) =>
  story(`rec_${at}`, (at % 28) + 1, {
    title: `Note ${at}`,
    text: `Al Bo0 moved crate ${at} to pier ${at}. It waits there for Al Bo${at}.`,
    author: person(0),
    entities: [person(at)],
  }),
)

describe('names in a question', () => {
  it('each is returned once, with its words', () => {
    const { findAsked } = indexNames(notes)
    const found = findAsked(askedWords('al bo1 and al bo2, and does Al Bo1. '.repeat(100)))
    expect(found).toMatchObject([
      { words: 'al bo1', isCapital: true, isDoer: true },
      { words: 'al bo2', isCapital: false, isDoer: false },
    ])
  })

  it('their number is limited', () => {
    const many = Array.from({ length: 300 }, (_, at) => story(`rec_${at}`, 1, { entities: [person(at)] }))
    const text = Array.from({ length: 300 }, (_, at) => `Al Bo${at}`).join(', ')
    expect(indexNames(many).findAsked(askedWords(text))).toHaveLength(100)
  })

  it('a question that repeats a name is answered as one that says it once', () => {
    const [first] = answerQuestion(asking('What did Al Bo0 do?', notes)).brief.split('.')
    expect(answerQuestion(asking('What did Al Bo0 do? '.repeat(245), notes)).brief).toContain(first!)
  })
})
