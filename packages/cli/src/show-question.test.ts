import { expect, it } from 'vitest'
import { showQuestion } from './commands.ts'

it('an inspected question shows its interpretation and the score of each signal', () => {
  const part = { text: 'Who leads Atlas?', kind: 'who', terms: ['lead', 'atlas'], names: ['Atlas'], people: [] }
  const times = [{ from: '2026-06-16T00:00:00.000Z', until: null }]
  const intent = { text: 'Who leads Atlas?', parts: [part], times, asks_rows: false, notes: [] }
  const items = [
    { score: 1, why: { words: 0.8, names: 0.25 }, external_id: 'r1', summary: 'Mira leads Atlas.' },
    { score: 0.5, why: { words: 0.4 }, external_id: 'r2', summary: 'Atlas is up.' },
  ]
  const shown = showQuestion({ header: 'Two records.', intent, items })
  expect(shown).toMatch(/^part_1\.terms +lead, atlas$/m)
  expect(shown).toMatch(/^times +2026-06-16T00:00:00\.000Z …$/m)
  expect(shown).toMatch(/^score +words +names +external_id +summary\n1\.000 +0\.800 +0\.250 +r1 +Mira leads Atlas\.$/m)
  expect(shown).toMatch(/^0\.500 +0\.400 +- +r2/m)
})
