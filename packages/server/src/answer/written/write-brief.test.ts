import { answerQuestion } from '@cairnstore/engine/answer'
import { expect, it } from 'vitest'
import { asking, story } from '../../../../../tests/harness/sample-stories.ts'
import { ModelFailure } from '../models/model.ts'
import type { Writer } from '../models/open-models.ts'
import { writeBrief } from './write-brief.ts'
import type { WrittenStatement } from './writing-prompt.ts'

const input = asking('Why did the ferry stop?', [
  story('rec_1', 3, { text: 'The ferry stopped because its rudder was bent.', score: 1 }),
])
const composed = answerQuestion(input)
const WRITTEN: WrittenStatement = { text: 'The ferry stopped because of a bent rudder.', ids: ['r1'], paragraph: 1 }

/** Writes a brief with a model that returns these statements and then fails with `failure`, if given. */
async function write(
  statements: readonly WrittenStatement[],
  failure?: ModelFailure,
  supports?: (claim: string, evidence: string) => Promise<boolean>,
) {
  const writer = {
    async *ask() {
      yield* statements
      if (failure) throw failure
    },
  } as unknown as Writer
  const request = { composed, writer, accountId: 'acct_1', earlierTurns: [], isStreamed: true }
  const parts = writeBrief(input, { ...request, signal: new AbortController().signal, ...(supports && { supports }) })
  const deltas: string[] = []
  for (;;) {
    const part = await parts.next()
    if (part.done) return { deltas, ...part.value }
    deltas.push(part.value)
  }
}

it('ends with the checked statements and a reason if the model fails after them', async () => {
  expect(await write([WRITTEN], new ModelFailure('unreachable'))).toMatchObject({
    deltas: [WRITTEN.text],
    outcome: 'answered',
    brief: WRITTEN.text,
    failure: 'unreachable',
  })
})

it('throws if the model fails before a statement, or if the records support too few', async () => {
  await expect(write([], new ModelFailure('timeout'))).rejects.toMatchObject({ kind: 'timeout' })
  const invented = { ...WRITTEN, text: 'Olaf Berg stopped the ferry.' }
  await expect(write([WRITTEN, invented, invented])).rejects.toMatchObject({ kind: 'unreadable' })
})

it('drops what the pair model finds unsupported, and does not ask it about quotations', async () => {
  const judged: string[] = []
  const supports = async (claim: string, evidence: string) => {
    judged.push(`${claim} ← ${evidence}`)
    return !claim.includes('bent rudder')
  }
  const quotation = { ...WRITTEN, text: 'The ferry stopped because its rudder was bent.' }
  expect(await write([quotation, WRITTEN], undefined, supports)).toMatchObject({ deltas: [quotation.text] })
  expect(judged).toEqual([`${WRITTEN.text} ← The ferry stopped because its rudder was bent.`])
})

it('keeps what the words support if the pair model is busy', async () => {
  const supports = () => Promise.reject(new ModelFailure('busy'))
  expect(await write([WRITTEN], undefined, supports)).toMatchObject({ deltas: [WRITTEN.text] })
})

it('shows the closest passages if the model finds no answer', async () => {
  const { outcome, brief, statements } = await write([{ text: '', ids: [], paragraph: 0 }])
  expect(outcome).toBe('closest')
  expect(brief).toMatch(/ The closest:\n\n“The ferry stopped because its rudder was bent.”/)
  expect(statements.flatMap(({ recordIds }) => recordIds)).toEqual(['rec_1'])
})
