import { expect, it } from 'vitest'
import { readWindows } from './read-windows.ts'

const KIB = 1024
const MIB = 1024 * KIB

async function countsOf(sizes: readonly number[], rowsMax?: number): Promise<number[]> {
  const counts: number[] = []
  const read = async (part: readonly number[]) => ({
    result: part.length,
    bytes: part.reduce((sum, each) => sum + each, 0),
  })
  for await (const count of readWindows(sizes, read, rowsMax)) counts.push(count)
  return counts
}

it('small rows are read in growing parts, up to a limit', async () => {
  expect(await countsOf(Array.from({ length: 3_000 }, () => 100))).toEqual([64, 256, 1_024, 1_024, 632])
  expect(
    await countsOf(
      Array.from({ length: 25 }, () => 100),
      10,
    ),
  ).toEqual([10, 10, 5])
})

it('large rows are read in parts of a few megabytes', async () => {
  const counts = await countsOf(Array.from({ length: 100 }, () => MIB))
  expect(counts).toEqual([64, 8, 8, 8, 8, 4])
})

it('a row beyond the limit is read by itself', async () => {
  expect((await countsOf(Array.from({ length: 70 }, () => 40 * MIB))).slice(1)).toEqual([1, 1, 1, 1, 1, 1])
})
