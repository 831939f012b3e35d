import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { SETTINGS } from '../packages/server/src/config/env.ts'
import { settingsPage } from '../scripts/settings.mjs'
import { cyclesIn, folderInModule, importsOf, targetsOf, withoutComments } from './harness/import-graph.ts'
import { NOT_LANGUAGE, spellsWords } from './harness/spelt-words.ts'

/** Checks the rules of STYLE.md that a program can verify. */
const root = dirname(dirname(fileURLToPath(import.meta.url)))
const tracked = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
const files = tracked.split('\0').filter((path) => path && existsSync(join(root, path)))
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const code = files.filter((path) => /\.(tsx?|js|mjs)$/.test(path) && !path.includes('/generated/'))
const cli = code.filter((path) => path.startsWith('packages/cli/src/') && !path.includes('.test.'))
const server = code.filter((path) => path.startsWith('packages/server/src/') && !path.includes('.test.'))
const engine = code.filter((path) => path.startsWith('packages/engine/src/') && !path.includes('.test.'))

const FILE_LINES_MAX = 500
const LINE_CHARS_MAX = 120
const README_WORDS_MAX = 700
/** Returns the paths that break a rule, so that a failure lists all of them. */
function offenders(paths: string[], breaks: (text: string, path: string) => boolean): string[] {
  return paths.filter((path) => breaks(read(path), path))
}

const BOTTOM = ['base', 'config', 'db', 'documents']
/** Modules of the server from the lowest layer up. A module imports only lower layers and itself. */
const FLOORS = [['tenancy'], ['store'], ['ingest'], ['sources'], ['lifecycle', 'answer'], ['mcp', 'http']]
const ROOMS: Record<string, string[]> = {
  base: ['base'],
  documents: ['base', 'documents'],
  db: ['base', 'db'],
  ...Object.fromEntries(
    FLOORS.flatMap((floor, at) => floor.map((room) => [room, [...BOTTOM, ...FLOORS.slice(0, at).flat(), room]])),
  ),
  ...Object.fromEntries(['config', 'folder-lock', 'telemetry'].map((room) => [room, ['base', 'config', room]])),
  operations: ['base', 'config', 'folder-lock', 'operations'],
  'first-start': [],
  'open-planes': [...BOTTOM, 'tenancy', 'store', 'ingest', 'sources', 'lifecycle'],
  'repair-command': [...BOTTOM, 'store', 'lifecycle', 'folder-lock', 'open-planes'],
  app: [...BOTTOM, ...FLOORS.flat(), 'open-planes', 'telemetry'],
  examination: [...BOTTOM, 'sources', 'operations'],
  main: ['app', 'base', 'config', 'examination', 'first-start', 'folder-lock', 'operations', 'repair-command'],
}
/** Modules of the engine, each with the other modules that it imports. */
const ENGINE_ROOMS: Record<string, string[]> = {
  lexicon: [],
  text: ['lexicon'],
  understand: ['lexicon', 'text'],
  mentions: ['lexicon', 'text'],
  facts: ['lexicon', 'text', 'understand', 'mentions'],
  rank: ['text', 'understand', 'mentions'],
  resolve: ['lexicon', 'text', 'mentions', 'facts'],
  answer: ['lexicon', 'text', 'understand', 'resolve'],
  tables: ['lexicon', 'text', 'understand', 'resolve'],
}
/** Dependencies of the engine; all are pure. */
const ENGINE_PACKAGES = ['@cairnstore/contract', 'chrono-node', 'htmlparser2', 'markdown-it']

/** Returns the module of a file: its first folder under `src/`, or its own name at the top level. */
function moduleOf(path: string): string {
  const [first = '', second] = path.replace(/^packages\/[^/]+\/src\//, '').split('/')
  return second ? first : basename(first, '.ts')
}

/** Returns the imports of these files that their module may not have. */
function strayImports(paths: readonly string[], rooms: Record<string, string[]>, packages?: readonly string[]) {
  return paths.flatMap((path) => {
    const seen = rooms[moduleOf(path)]
    if (!seen) return [`${path} stands in no room`]
    const home = path.slice(0, path.indexOf('/src/') + '/src/'.length)
    const isAllowed = (name: string) => {
      if (!name.startsWith('.')) return packages === undefined || packages.includes(name)
      const target = normalize(join(dirname(path), name))
      return target.startsWith(home) && (moduleOf(target) === moduleOf(path) || seen.includes(moduleOf(target)))
    }
    return importsOf(read(path)).flatMap((name) => (isAllowed(name) ? [] : [`${path} imports ${name}`]))
  })
}

describe('structure', () => {
  it('packages of the service are layered and import only lower ones (S1)', () => {
    expect(strayImports(server, ROOMS)).toEqual([])
  })

  it('modules of the engine import few others, and nothing impure from outside (S1, S6)', () => {
    expect(strayImports(engine, ENGINE_ROOMS, ENGINE_PACKAGES)).toEqual([])
    const impure = /\b(?:process\.|performance\.|setTimeout|setInterval|setImmediate|fetch\()/
    expect(offenders(engine, (text) => impure.test(withoutComments(text)))).toEqual([])
  })

  it('the engine is used through the exports of its modules', () => {
    const offered = new RegExp(`^@cairnstore/engine/(?:${Object.keys(ENGINE_ROOMS).join('|')})$`)
    const wrong = [...server, ...cli].flatMap((path) =>
      importsOf(read(path)).filter((name) => name.startsWith('@cairnstore/engine') && !offered.test(name)),
    )
    expect(wrong).toEqual([])
  })

  it('no file or module imports itself in a cycle, types included (S1)', () => {
    const files = new Map([...server, ...engine].map((path) => [path, targetsOf(path, read(path))]))
    expect(cyclesIn(files)).toEqual([])
    const folders = new Map<string, string[]>()
    for (const [path, targets] of files) {
      const folder = folderInModule(path)
      const others = targets.flatMap((target) => folderInModule(target) ?? []).filter((other) => other !== folder)
      if (folder) folders.set(folder, [...(folders.get(folder) ?? []), ...others])
    }
    expect(cyclesIn(folders)).toEqual([])
  })

  it('each engine is used by one folder only (S2)', () => {
    const OWNERS: [RegExp, ...string[]][] = [
      [/^(@lancedb\/|apache-arrow)/, 'packages/server/src/store/lance/'],
      [/^(@electric-sql\/|pg$)/, 'packages/server/src/db/'],
      [/^@duckdb\//, 'packages/server/src/answer/rows/duckdb/'],
      [/^(@?fastify)/, 'packages/server/src/http/'],
      [/^@octokit\//, 'packages/server/src/sources/connectors/github/pull-github.ts'],
      [/^@slack\//, 'packages/server/src/sources/connectors/slack/pull-slack.ts'],
      [
        /^@modelcontextprotocol\/client/,
        'packages/server/src/sources/connectors/mcp/',
        'packages/server/src/sources/oauth/',
      ],
      [/^@modelcontextprotocol\/server/, 'packages/server/src/mcp/'],
      [/^(ai$|@ai-sdk\/)/, 'packages/server/src/answer/models/open-model.ts'],
      [/^@opentelemetry\/(?!api$)/, 'packages/server/src/telemetry/'],
      [/^undici$/, 'packages/server/src/base/safe-fetch.ts', 'packages/server/src/http/forwarder.ts'],
    ]
    const wrong = server.flatMap((path) =>
      importsOf(read(path)).flatMap((name) => {
        const [, ...owners] = OWNERS.find(([pattern]) => pattern.test(name)) ?? [/$/, '']
        return owners.some((owner) => path.startsWith(owner)) ? [] : [`${path} imports ${name}`]
      }),
    )
    expect(wrong).toEqual([])
  })

  it('modules above a storage backend use only its port; open-planes.ts opens it (S2)', () => {
    const backend = 'packages/server/src/store/lance/'
    const wrong = server.flatMap((path) =>
      path.startsWith(backend) || path === 'packages/server/src/open-planes.ts'
        ? []
        : targetsOf(path, read(path)).flatMap((target) =>
            target.startsWith(backend) ? [`${path} imports ${target}`] : [],
          ),
    )
    expect(wrong).toEqual([])
  })

  it('request handlers name the members of their context that they use (S5)', () => {
    expect(offenders(server, (text) => /\bctx: (?!Tool|Webhooks)\w*Ctx\b/.test(text))).toEqual([])
  })

  it('the contract depends only on TypeBox', () => {
    const contract = code.filter((path) => path.startsWith('packages/contract/src/') && !path.includes('.test.'))
    const outside = contract.flatMap((path) =>
      importsOf(read(path)).filter((name) => !name.startsWith('.') && name !== 'typebox'),
    )
    expect(outside).toEqual([])
  })

  it('the command line imports only the contract, the client and the prompt library', () => {
    const outside = cli.flatMap((path) =>
      importsOf(read(path)).filter((name) => !/^(\.\.?\/|node:|@cairnstore\/(?:contract|client)$)/.test(name)),
    )
    expect(outside).toEqual(['@clack/prompts'])
  })

  it('the client has no dependencies and runs without Node', () => {
    const client = code.filter((path) => path.startsWith('packages/client/src/') && !path.includes('.test.'))
    const withoutTypes = (text: string) => text.replace(/typeof import\('[^']+'\)|^import type .*$/gm, '')
    const outside = client.flatMap((path) =>
      importsOf(withoutTypes(read(path))).filter((name) => !name.startsWith('.')),
    )
    expect(outside).toEqual([])
  })

  it('natural-language words in the engine are data under lexicon/ (S26)', () => {
    const written = engine.filter((path) => !path.includes('/lexicon/'))
    expect(offenders(written, (text, path) => spellsWords(text) && !(path in NOT_LANGUAGE))).toEqual([])
    expect(Object.keys(NOT_LANGUAGE).filter((path) => !spellsWords(read(path)))).toEqual([])
  })

  it('connectors access no time, randomness, files or network (S6)', () => {
    const pure = server.filter((path) => path.startsWith('packages/server/src/sources/connectors/'))
    expect(offenders(pure, (text) => importsOf(text).some((name) => name.startsWith('node:')))).toEqual([])
  })

  it('only env.ts and settings.ts read the environment, only clock.ts the time; no randomness (S2)', () => {
    const env = 'packages/server/src/config/env.ts'
    const settings = 'packages/cli/src/settings.ts'
    const other = [...server, ...engine, ...cli].filter((path) => path !== env && path !== settings)
    expect(offenders(other, (text) => /process\.env\b/.test(text))).toEqual([])
    const clock = 'packages/server/src/base/clock.ts'
    expect(
      offenders([...server, ...engine], (text, path) => path !== clock && /Date\.now\(|new Date\(\)/.test(text)),
    ).toEqual([])
    expect(offenders([...server, ...engine], (text) => /Math\.random\(/.test(text))).toEqual([])
  })
})

describe('names', () => {
  it('files are in kebab-case and named after nouns (S7, S8)', () => {
    const banned = /(^|-)(utils?|helpers?|common|manager|service|data|info|misc)(-|$)/
    const wrong = code.filter((path) => {
      const name = basename(path)
        .replace(/\.(test|bench)?\.?(tsx?|js|mjs)$/, '')
        .replace('.config', '')
      return !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) || banned.test(name)
    })
    expect(wrong).toEqual([])
  })

  it('exports are named and there are no enums (S10)', () => {
    const own = code.filter((path) => path !== 'vitest.config.ts')
    expect(
      offenders(own, (text) => /^export default\b/m.test(text) || /^(export )?(const )?enum\s/m.test(text)),
    ).toEqual([])
  })
})

describe('text', () => {
  it('files and lines stay short (S22)', () => {
    expect(offenders(code, (text) => text.split('\n').length > FILE_LINES_MAX + 1)).toEqual([])
    const long = code.flatMap((path) =>
      read(path)
        .split('\n')
        .flatMap((line, at) => ([...line].length > LINE_CHARS_MAX ? [`${path}:${at + 1}`] : [])),
    )
    expect(long).toEqual([])
  })

  it('no file of the product has functions of more than 70 lines (S22)', () => {
    const { overrides } = JSON.parse(read('biome.json')) as { overrides: { includes: string[] }[] }
    expect(overrides.flatMap(({ includes }) => includes).filter((path) => path.startsWith('packages/'))).toEqual([])
  })

  it('there are no TODOs, and no lint rule is disabled (S21)', () => {
    const own = code.filter((path) => path !== 'tests/tidy.test.ts')
    expect(
      offenders(own, (text) => /\b(TODO|FIXME|XXX|HACK)\b|@ts-ignore|@ts-expect-error|\bas any\b/.test(text)),
    ).toEqual([])
  })

  it('paths in prose exist', () => {
    const prose = files.filter((path) => path.endsWith('.md') && !path.startsWith('examples/'))
    const missing = prose.flatMap((path) =>
      [
        ...read(path).matchAll(
          /`((?:packages|tests|bench|scripts|decisions|examples|docs)\/[\w./-]+)`|\]\(([\w./-]+)\)/g,
        ),
      ].flatMap(([, named, linked]) => {
        const target = (named ?? linked) as string
        const found = existsSync(join(root, target)) || existsSync(join(root, dirname(path), target))
        return found ? [] : [`${path} names ${target}`]
      }),
    )
    expect(missing).toEqual([])
  })

  it('docs/settings.md is the output of `npm run settings`', () => {
    expect(read('docs/settings.md')).toBe(settingsPage(SETTINGS))
  })

  it('the README is short', () => {
    expect(read('README.md').split(/\s+/).filter(Boolean).length).toBeLessThanOrEqual(README_WORDS_MAX)
  })

  it('no page runs an unrelated package: the name `cairn` on npm belongs to another project', () => {
    const shown = files.filter((path) => path.endsWith('.md'))
    expect(offenders(shown, (text) => /\b(?:npx|npm exec|npm x)\s+(?:-\S+\s+)*cairn\b/.test(text))).toEqual([])
  })

  it('no shipped dependency runs an install script or counts installs', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, { hasInstallScript?: boolean; dev?: boolean; optional?: boolean; peer?: boolean }>
    }
    const all = Object.entries(packages)
    expect(all.map(([path]) => path).filter((path) => path.endsWith('node_modules/@scarf/scarf'))).toEqual([])
    const shipped = all.filter(([, { dev, optional, peer }]) => !dev && !optional && !peer)
    expect(shipped.filter(([, each]) => each.hasInstallScript).map(([path]) => path)).toEqual([])
  })

  it('every dependency has a line in decisions (S23)', () => {
    const decisions = files
      .filter((path) => path.startsWith('decisions/'))
      .map(read)
      .join('\n')
    const packages = files
      .filter((path) => basename(path) === 'package.json')
      .map((path) => JSON.parse(read(path)) as { dependencies?: object; devDependencies?: object })
    const names = packages.flatMap((each) => Object.keys({ ...each.dependencies, ...each.devDependencies }))
    expect(names.filter((name) => !name.startsWith('@cairnstore/') && !decisions.includes(`\`${name}\``))).toEqual([])
  })
})
