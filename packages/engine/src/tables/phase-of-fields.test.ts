import { expect, it } from 'vitest'
import { phaseOfFields } from './phase-of-fields.ts'

it('the field that tells the state says whether work is open or done, however it is written', () => {
  expect(phaseOfFields({ priority: 'high', Status: 'Done' })).toBe('done')
  expect(phaseOfFields({ workState: 'closed', state: 'open' })).toBe('open')
  expect(phaseOfFields({ stage: 'in progress', phase: 'done' })).toBe('open')
  expect(phaseOfFields({ status: 7, title: 'closed' })).toBeUndefined()
  expect(phaseOfFields({})).toBeUndefined()
})
