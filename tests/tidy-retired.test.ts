import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, it } from 'vitest'

/** Names that are no longer used, each with the one that replaced it. */
const RETIRED = JSON.parse(readFileSync(join(import.meta.dirname, 'retired-names.json'), 'utf8')) as {
  identifiers: Record<string, string>
  files: Record<string, string>
  settings: Record<string, string>
}
const ROOT = dirname(import.meta.dirname)
const FOLDERS = ['packages', 'scripts', 'bench', 'tests', 'docs', 'deploy']
/** Files that must contain retired settings, because they accept them. */
const ACCEPTING = ['packages/server/src/config/env.ts', 'packages/server/src/config/config.test.ts']
/** Data sets, which are other people's words. */
const DATA = /^(?:bench|tests|packages)\/.*\.json$|^tests\/(?:people|questions)\//
/** Names of the API do not change, so the contract and what is generated from it may contain any. */
const WIRE = /^packages\/contract\/src\/|\/generated\//
const TEXT = /\.(?:[cm]?[jt]sx?|md|json|ya?ml|py|sql|sh|css)$/

const listed = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard', ...FOLDERS], {
  cwd: ROOT,
  encoding: 'utf8',
})
const files = listed.split('\0').filter((path) => path !== '' && existsSync(join(ROOT, path)))
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const replacementOf = (names: Record<string, string>, name: string) =>
  Object.hasOwn(names, name) ? names[name] : undefined

it('no retired identifier or setting is used again (S8)', () => {
  const used = files
    .filter((path) => TEXT.test(path) && !WIRE.test(path) && !DATA.test(path))
    .flatMap((path) => {
      const words = new Set(read(path).match(/[A-Za-z_$][\w$]*/g))
      const names = ACCEPTING.includes(path) ? RETIRED.identifiers : { ...RETIRED.identifiers, ...RETIRED.settings }
      return [...words].flatMap((word) => {
        const present = replacementOf(names, word)
        return present === undefined ? [] : [`${path}: ${word} is now ${present}`]
      })
    })
  expect(used).toEqual([])
})

it('no file or folder has a retired name (S8)', () => {
  const named = files.flatMap((path) => {
    const names = [...dirname(path).split('/'), basename(path).replace(/\..+$/, '')]
    return names.flatMap((name) => {
      const present = replacementOf(RETIRED.files, name)
      return present === undefined ? [] : [`${path}: ${name} is now ${present}`]
    })
  })
  expect(named).toEqual([])
})

it('retired names are distinct from the names that replaced them', () => {
  for (const names of Object.values(RETIRED)) {
    expect(Object.entries(names).filter(([retired, present]) => retired === present)).toEqual([])
    expect(Object.keys(names).length).toBeGreaterThan(0)
  }
})

it('every setting that is accepted by an earlier name is in the list', () => {
  const [, renamed = ''] = /const RENAMED: [^=]+= \{([^}]+)\}/.exec(read(ACCEPTING[0] as string)) ?? []
  const accepted = Object.fromEntries([...renamed.matchAll(/(\w+): '(\w+)'/g)].map(([, from, to]) => [from, to]))
  expect(RETIRED.settings).toEqual(accepted)
})
