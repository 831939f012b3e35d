import { describe, expect, it } from 'vitest'
import { plainTerms } from '../../../../tests/harness/sample-stories.ts'
import { splitClauses } from './clauses.ts'
import { readAsked } from './parts.ts'

const parts = (text: string) => readAsked(text, plainTerms).parts

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
