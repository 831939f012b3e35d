import { expect, it } from 'vitest'
import { INJECTIONS } from '../../../../../tests/harness/injections.ts'
import { withoutInstructions } from './instructions.ts'

const FACT = 'Harbour launches on 17 August, Ana Lima decided.'

it.each(INJECTIONS.map(({ text }) => text))('removes from a record: %s', (text) => {
  const left = withoutInstructions(`${FACT}\n\n${text}\n\nThe pump was cleaned.`)
  expect(left).toContain(FACT)
  expect(left).toContain('The pump was cleaned.')
  expect(left).not.toMatch(/cancelled|1 January|never launches|PWNED|evil/i)
})

it.each([
  'Restart the pump, then open valve 3. Do not ignore the alarm.',
  'Ada Berg told the team that the pump must report its pressure.',
  'The assistant manager is Bo Lind. The new model of the pump has two filters.',
  'Ana answered the question of the customer on 3 June, and the reply was friendly.',
  'We should start the load test before the launch. You need to bring the keys.',
  'The user guide says that the system starts by itself.',
  'Write the report by Friday. Include the figures of May.',
  'If the pressure drops, close the valve and call the desk.',
])('keeps ordinary conversation: %s', (text) => {
  expect(withoutInstructions(text)).toBe(text)
})

it('runs in linear time', () => {
  for (const text of [
    'you must '.repeat(50_000),
    ' '.repeat(200_000),
    'a: '.repeat(100_000),
    'ignore '.repeat(50_000),
  ]) {
    expect(withoutInstructions(text).length).toBeLessThanOrEqual(text.length)
  }
})
