import { describe, expect, it } from 'vitest'
import { civilOf } from './civil-date.ts'
import { readQuestion } from './question.ts'

const kinds = (text: string): string[] => readQuestion(text, [], '2026-06-30').kinds

describe('readQuestion', () => {
  it('tells what a question and each of its parts ask for', () => {
    expect(kinds('Who leads Atlas?')).toEqual(['who'])
    expect(kinds('When was it released?')).toEqual(['when'])
    expect(kinds('How many issues are open?')).toEqual(['howMany'])
    expect(kinds('What is the status of Atlas?')).toEqual(['status'])
    expect(kinds('What is still open?')).toEqual(['open'])
    expect(kinds('What caused the outage, who fixed it, and what is still open?')).toEqual(['why', 'who', 'open'])
    expect(kinds('Où est le dépôt ?')).toEqual(['where'])
    expect(kinds('Atlas')).toEqual(['overview'])
  })

  it('counts relative days from the reference date', () => {
    const week = readQuestion('What changed last week?', [], '2026-06-30').window!
    expect([civilOf(week.from).day, civilOf(week.to).day]).toEqual([22, 28])
    const may = readQuestion('What happened in May?', [], '2026-06-30').window!
    expect([civilOf(may.from), civilOf(may.to)]).toEqual([
      { year: 2026, month: 5, day: 1 },
      { year: 2026, month: 5, day: 31 },
    ])
  })
})
