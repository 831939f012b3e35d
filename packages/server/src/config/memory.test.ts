import { expect, test } from 'vitest'
import { graphBytesFor } from './memory.ts'

const GIB = 2 ** 30

test('indexes get half of the memory unless another size is set', () => {
  expect(graphBytesFor(null, 4 * GIB)).toBe(2 * GIB)
  expect(graphBytesFor(3 * GIB, 4 * GIB)).toBe(3 * GIB)
  expect(graphBytesFor(null)).toBeGreaterThan(0)
})

test('indexes cannot get more memory than the process has', () => {
  expect(() => graphBytesFor(5 * GIB, 4 * GIB)).toThrow(/CAIRN_GRAPH_MIB is 5120 MiB.*may only use 4096/)
})
