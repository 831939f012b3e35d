import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { pageWithMap } from '../scripts/map.mjs'
import { importsOf, knotsIn, targetsOf } from './harness/import-graph.ts'

/** Checks which folders of a package import each other. A file next to folders counts as a folder. */
const root = new URL('../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'packages/*.ts'], {
  cwd: fileURLToPath(root),
  encoding: 'utf8',
})
const sources = listed
  .split('\n')
  .filter((path) => /^packages\/(?:server|engine|cli|contract|encoder)\/src\//.test(path))
const product = sources.filter((path) => !path.includes('.test.') && existsSync(new URL(path, root)))

/** Known import cycles: the folder, and how many folders and files are in its cycle. The list may only shrink. */
const KNOTS: Record<string, number> = {
  'server/tenancy': 8,
}

it('folders, and files next to folders, import in one direction except for known cycles (S1)', () => {
  const withFolders = new Set(product.map((path) => dirname(dirname(path))))
  const nodeOf = (path: string) => (withFolders.has(dirname(path)) ? path : dirname(path))
  const graph = new Map<string, string[]>()
  for (const path of product) {
    const others = targetsOf(path, read(path)).map(nodeOf)
    graph.set(nodeOf(path), [...(graph.get(nodeOf(path)) ?? []), ...others.filter((other) => other !== nodeOf(path))])
  }
  const homeOf = (knot: readonly string[]) => knot.map(dirname).sort((one, other) => one.length - other.length)[0] ?? ''
  const found = knotsIn(graph).map((knot) => [homeOf(knot).replace(/^packages\/(\w+)\/src/, '$1'), knot.length])
  expect(Object.fromEntries(found)).toEqual(KNOTS)
})

it('tests of the engine run without the service (S6)', () => {
  const tests = sources.filter((path) => path.startsWith('packages/engine/') && path.includes('.test.'))
  const outside = tests.flatMap((path) =>
    targetsOf(path, read(path))
      .filter(
        (target) => !/^packages\/engine\/|^tests\/(?:questions\/|people\/|harness\/sample-stories\.ts$)/.test(target),
      )
      .concat(importsOf(read(path)).filter((name) => name.startsWith('@cairnstore/')))
      .map((target) => `${path} imports ${target}`),
  )
  expect(outside).toEqual([])
})

it('the map in ARCHITECTURE.md is the output of `npm run map`', () => {
  expect(read('ARCHITECTURE.md')).toBe(pageWithMap())
})
