import { describe, expect, it } from 'vitest'
import { createSubjectCorpus } from './subject-corpus.ts'

describe('a corpus', () => {
  it('takes an amount of nothing for one that is not known', () => {
    const prices = ['10.00', '$0.00', 12, 0, '1,299.00 EUR']
    const steps = createSubjectCorpus(
      prices.map((price, at) => ({ id: `${at}`, source: 'A', names: [`thing ${at}`], properties: { price } })),
    )
    let step = steps.next()
    while (!step.done) step = steps.next()
    expect(step.value.fields).toEqual([{ name: 'price', kind: 'amount' }])
    expect(step.value.subjects.map(({ values }) => values[0])).toEqual(['10.00', undefined, '12', undefined, '1299.00'])
  })
})
