import { expect, test } from 'vitest'
import { graphBytesFor } from './memory.ts'

const GIB = 2 ** 30

test('graphs have half of the memory unless they are given another part of it', () => {
  expect(graphBytesFor(null, 4 * GIB)).toBe(2 * GIB)
  expect(graphBytesFor(3 * GIB, 4 * GIB)).toBe(3 * GIB)
  expect(graphBytesFor(null)).toBeGreaterThan(0)
})

test('graphs are not promised memory that the process cannot have', () => {
  expect(() => graphBytesFor(5 * GIB, 4 * GIB)).toThrow(/CAIRN_GRAPH_MIB is 5120 MiB.*may only use 4096/)
})
