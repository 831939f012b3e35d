import { expect, it } from 'vitest'
import { codeBytes, codeOf, codesOf, cosine, differingSigns, quantised } from './vector-code.ts'

/** Numbers that are the same in every run, spread around zero. */
function numbers(seed: number, length: number): number[] {
  let state = seed
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 31 - 1
  })
}

const exactCosine = (one: number[], other: number[]) => {
  const product = (a: number[], b: number[]) => a.reduce((sum, value, at) => sum + value * b[at]!, 0)
  return product(one, other) / Math.sqrt(product(one, one) * product(other, other))
}

it('signed bytes keep the direction, whatever the length of a vector', () => {
  for (const length of [8, 100, 1_536]) {
    const [one, other] = [numbers(1, length), numbers(1, length).map((value, at) => value + numbers(2, length)[at]!)]
    const exact = exactCosine(one, other)
    for (const scale of [1e-300, 1, 1e300]) {
      const scaled = quantised(one.map((value) => value * scale))
      expect(cosine(scaled, quantised(other))).toBeCloseTo(exact, 1)
    }
  }
  expect(cosine(new Int8Array(8), quantised([1, 0, 0, 0, 0, 0, 0, 0]))).toBe(0)
})

it('a code has one bit for each dimension and comes back from its bytes', () => {
  for (const length of [8, 32, 33, 96]) {
    const vectors = [3, 4, 5].map((seed) => quantised(numbers(seed, length)))
    const codes = vectors.map(codeOf)
    expect(codesOf(codeBytes(codes), length)).toEqual(codes)
    const page = new Uint32Array(1 + codes[1]!.length)
    page.set(codes[1]!, 1)
    const differing = [...vectors[0]!].filter((value, at) => value > 0 !== vectors[1]![at]! > 0).length
    expect(differingSigns(codes[0]!, page, 1)).toBe(differing)
  }
})
