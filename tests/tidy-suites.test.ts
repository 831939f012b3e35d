import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

/** What STYLE.md asks of tests themselves. */
const root = new URL('../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const suites = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.test.ts'], {
  cwd: fileURLToPath(root),
  encoding: 'utf8',
})
  .split('\n')
  .filter(Boolean)

it('a name of a test begins with no code: it says what is guaranteed (S16)', () => {
  const named = /\b(?:it|test|describe|onEngine)\b[^'"`\n]*\(\s*['"`][A-Z]{1,2}\d{1,2}\b/
  expect(suites.filter((path) => named.test(read(path)))).toEqual([])
})

it('STYLE.md names as tested the rules that names of tidy tests end with, and those alone', () => {
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
