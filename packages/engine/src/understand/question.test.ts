import { describe, expect, it } from 'vitest'
import { readQuestion } from './question.ts'

const kinds = (text: string): string[] => readQuestion(text, () => []).kinds

describe('readQuestion', () => {
  it('tells what a question and each of its parts ask for', () => {
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
