import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const TENANTS = '10000'

/** Returns the rows of a table by their first cell. */
const rowsOf = (text: string) =>
  new Map(
    text
      .split('\n')
      .filter((line) => line.startsWith('| '))
      .map((line) => line.slice(2, -2).split(' | '))
      .map(([name = '', ...cells]) => [name, cells]),
  )

it('the table of docs/measurements.md is the output of the capacity model', () => {
  const printed = rowsOf(execFileSync(process.execPath, ['bench/capacity.mjs', TENANTS], { encoding: 'utf8' }))
  const documented = rowsOf(readFileSync('docs/measurements.md', 'utf8'))
  expect(printed.size).toBeGreaterThan(10)
  for (const [name, [cell]] of printed) expect([name, documented.get(name)?.[0]]).toEqual([name, cell])
})
