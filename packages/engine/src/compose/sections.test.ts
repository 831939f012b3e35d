import { expect, it } from 'vitest'
import { asking, story } from '../../../../tests/harness/sample-stories.ts'
import { gatherMaterial } from './candidates.ts'
import { sectionShares } from './sections.ts'

const filler = (topic: string) => Array.from({ length: 8 }, (_, at) => `The ${topic} has part number ${at}.`).join(' ')

it('gives the section that says most of the question its record whole, and others less', () => {
  const text = `${filler('gateway')} The ledger keeps invoices for ten years. ${filler('portal')}`
  const asked = asking('How long does the ledger keep invoices?', [story('rec_1', 1, { text })])
  const { candidates } = gatherMaterial(asked, false)
  const shares = sectionShares(candidates, [
    ['ledger', 0.4],
    ['keep', 0.2],
    ['invoic', 0.4],
  ])
  const at = candidates.findIndex(({ text: said }) => said.includes('invoices'))
  expect(shares[at]).toBe(1)
  expect(shares[0]).toBe(0)
})

it('leaves a short text and a text that says nothing of the question as they are', () => {
  const asked = asking('Who?', [story('rec_1', 1, { text: 'The ledger is kept. Nobody knows why.' })])
  const { candidates } = gatherMaterial(asked, false)
  expect(sectionShares(candidates, [['ledger', 1]])).toEqual(candidates.map(() => 1))
  expect(sectionShares(candidates, [['portal', 1]])).toEqual(candidates.map(() => 1))
})

it('ends a section where the next heading stands, however short it is', () => {
  const text = '## Leave\n\nThe portal takes requests.\n\n## Invoices\n\nThe ledger keeps them for ten years.'
  const { candidates } = gatherMaterial(asking('Who?', [story('rec_1', 1, { text })]), false)
  expect(sectionShares(candidates, [['ledger', 1]])).toEqual([0, 1])
})
