import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Encoder, openEncoder } from './open-encoder.ts'

let encoder: Encoder
beforeAll(async () => {
  encoder = await openEncoder()
})
afterAll(() => encoder.close())

const EVIDENCE = 'Ida Berg signed the contract with Nordfell on 3 March, and the first delivery arrived in April.'

it.each(['Ida Berg signed the contract on 3 March.', 'The first delivery came in April.'])(
  'finds a true claim supported: %s',
  async (claim) => {
    expect((await encoder.supports(claim, EVIDENCE)).isSupported).toBe(true)
  },
)

it.each([
  'Ida Berg did not sign the contract.',
  'The first delivery was cancelled.',
  'The harbour is closed on Sundays.',
])('finds a false or unrelated claim unsupported: %s', async (claim) => {
  expect((await encoder.supports(claim, EVIDENCE)).isSupported).toBe(false)
})

it('judges texts of any length, with equal results', async () => {
  const claim = 'word '.repeat(500)
  const first = await encoder.supports(claim, EVIDENCE.repeat(100))
  expect(first.probability).toBeGreaterThanOrEqual(0)
  expect(await encoder.supports(claim, EVIDENCE.repeat(100))).toEqual(first)
  expect((await encoder.supports('', '')).probability).toBeLessThanOrEqual(1)
})
