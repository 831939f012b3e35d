import { describe, expect, it, test } from 'vitest'
import { plainTerms } from '../../../../tests/harness/sample-stories.ts'
import { analyseParts } from './parts.ts'
import { aspectsOf, readQuestion, splitClauses } from './question.ts'

const kinds = (text: string): string[] => readQuestion(text, () => []).kinds

describe('readQuestion', () => {
  it.each([
    ['Sum up the thread about the pump.', 'pump'],
    ['Summarise the talk about the pump.', 'pump'],
    ['Give me an overview of the pump.', 'pump'],
    ['Recap the pump.', 'recap pump'],
    ['Who mended the pump?', undefined],
    ['pump', undefined],
  ])('reads what a summary is asked of: %s', (text, topic) => {
    const { isSummary, terms } = readQuestion(text, plainTerms)
    expect(isSummary ? terms.join(' ') : undefined).toBe(topic)
  })

  it('determines the kind of a question and of each part', () => {
    expect(kinds('Who leads Atlas?')).toEqual(['who'])
    expect(kinds('When was it released?')).toEqual(['when'])
    expect(kinds('How many issues are open?')).toEqual(['howMany'])
    expect(kinds('What is the status of Atlas?')).toEqual(['status'])
    expect(kinds('What is still open?')).toEqual(['open'])
    expect(kinds('What caused the outage, who fixed it, and what is still open?')).toEqual(['why', 'who', 'open'])
    expect(kinds('Which issues are open?')).toEqual(['open'])
    expect(kinds('What have we not finished yet?')).toEqual(['open'])
    expect(kinds('How did the cutover go?')).toEqual(['status'])
    expect(kinds('Où est le dépôt ?')).toEqual(['where'])
    expect(kinds('Atlas')).toEqual(['overview'])
  })
})

test.each(['Acme is headquartered in Oslo.', 'The headquarters of Acme are in Oslo.'])('%s tells a place', (text) => {
  const place = aspectsOf('where is acme').find(({ name }) => name === 'place')
  expect(place?.answers.test(text)).toBe(true)
})

const parts = (text: string) => analyseParts(text, plainTerms).parts

describe('splitClauses', () => {
  it('splits a question at its coordinated interrogative clauses', () => {
    expect(splitClauses('What caused the outage, how was it fixed, who owns it, and what is still open?')).toEqual([
      'What caused the outage',
      'how was it fixed',
      'who owns it',
      'what is still open',
    ])
    expect(splitClauses('Why did it fail? Who fixed it?')).toEqual(['Why did it fail', 'Who fixed it'])
    expect(splitClauses('How many were sent, to how many customers, and for how much money?').length).toBe(3)
  })

  it('leaves relative clauses and plain lists where they are', () => {
    expect(splitClauses('What does the customer, who pays late, want?').length).toBe(1)
    expect(splitClauses('Which film, which won a prize, is older?').length).toBe(1)
    expect(splitClauses('Who leads Atlas and Borealis?').length).toBe(1)
  })
})

describe('readAsked', () => {
  it('reads each part with its kind, its section and the subject of the first', () => {
    const [cause, repair, open] = parts('What caused the Atlas outage, how was it fixed, and what is still open?')
    expect(cause).toMatchObject({ kind: 'why', topics: ['cause'] })
    expect(repair!.topics).toContain('repair')
    expect([...repair!.carried!]).toEqual(expect.arrayContaining(['atla', 'outage'].map((term) => plainTerms(term)[0])))
    expect(open).toMatchObject({ kind: 'open' })
  })

  it('gives no parts for a question of one part', () => {
    expect(parts('Who leads Atlas?')).toEqual([])
  })
})
