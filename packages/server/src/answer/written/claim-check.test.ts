import { expect, it } from 'vitest'
import { evidenceToJudge } from './claim-check.ts'

const TEXT = 'Olaf doubts that the ferry stopped. The rudder was bent. It rained all day.'

it('needs no judgement of whole sentences that are quoted', () => {
  expect(evidenceToJudge('The rudder was bent. It rained all day', TEXT)).toBeUndefined()
})

it('needs a judgement of part of a sentence, which may say the opposite', () => {
  expect(evidenceToJudge('The ferry stopped.', TEXT)).toBe('Olaf doubts that the ferry stopped.')
})

it('needs no judgement in another language', () => {
  expect(evidenceToJudge('Die Fähre hat wegen des Ruders angehalten, und es regnete.', TEXT)).toBeUndefined()
})
