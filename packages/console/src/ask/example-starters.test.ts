import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { EXAMPLE_OWNER, EXAMPLE_QUESTIONS, EXAMPLE_TODAY } from './example-starters.ts'

const WORKSPACE = new URL('../../../../examples/workspace/workspace.json', import.meta.url)

it('the suggested questions are sample questions of the example workspace, which is identified by its owner', () => {
  const workspace = JSON.parse(readFileSync(WORKSPACE, 'utf8'))
  expect(workspace.owner_id).toBe(EXAMPLE_OWNER)
  expect(workspace.reference_date).toBe(EXAMPLE_TODAY)
  const samples = workspace.sample_questions.map(({ question }: { question: string }) => question)
  expect(samples).toEqual(expect.arrayContaining([...EXAMPLE_QUESTIONS]))
})
