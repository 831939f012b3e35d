import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

/** Checks the rules of STYLE.md and CONTRIBUTING.md for tests. */
const root = new URL('../', import.meta.url)
const HALF_AN_HOUR_S = 1_800
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const suites = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.test.ts'], {
  cwd: fileURLToPath(root),
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path && existsSync(new URL(path, root)))

it('a test name states a guarantee and does not start with a code (S16)', () => {
  const named = /\b(?:it|test|describe|onEngine)\b[^'"`\n]*\(\s*['"`][A-Z]{1,2}\d{1,2}\b/
  expect(suites.filter((path) => named.test(read(path)))).toEqual([])
})

it('STYLE.md lists exactly the rules that tidy tests check', () => {
  const style = read('STYLE.md')
  const listed = /\(tests:\s([^)]*)\)/.exec(style)?.[1]?.split(/,\s/) ?? []
  const tidy = suites.filter((path) => path.startsWith('tests/tidy'))
  const cited = tidy.flatMap((path) =>
    [...read(path).matchAll(/\((S\d+(?:, S\d+)*)\)['"], /g)].flatMap(([, codes = '']) => codes.split(', ')),
  )
  const byNumber = (one: string, other: string) => Number(one.slice(1)) - Number(other.slice(1))
  expect([...new Set(cited)].sort(byNumber)).toEqual(listed)
  expect(listed.filter((code) => !style.includes(`**${code}** `))).toEqual([])
})

it('every stage of `.ci/run` has a budget, and the total is at most half an hour', () => {
  const stages = [...read('.ci/run').matchAll(/^\s*(?:if .*then )?stage '([^']+)'/gm)].map(([, name]) => name)
  const budgets: Record<string, number> = JSON.parse(read('.ci/budgets.json'))
  expect(Object.keys(budgets)).toEqual(stages)
  const seconds = Object.values(budgets).reduce((sum, each) => sum + each, 0)
  expect(seconds).toBeLessThanOrEqual(HALF_AN_HOUR_S)
})
