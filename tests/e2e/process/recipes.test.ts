import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'

/** Follows the recipes of CONTRIBUTING.md in a copy of the sources. Only the files they name may need changes. */
const root = fileURLToPath(new URL('../../../', import.meta.url))
const COPIED = ['contract', 'engine', 'encoder', 'client', 'server', 'cli']
let copy: string

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'cairn-recipes-'))
  for (const name of COPIED) {
    for (const part of ['src', 'package.json'])
      cpSync(join(root, 'packages', name, part), join(copy, 'packages', name, part), { recursive: true, force: true })
  }
  for (const part of [
    'tests/harness',
    'tests/questions',
    'tests/people',
    'tsconfig.base.json',
    'bench/postgres-server.mjs',
    'vitest.config.ts',
    'package.json',
  ])
    cpSync(join(root, part), join(copy, part), { recursive: true })
  mkdirSync(join(copy, 'node_modules/@cairnstore'), { recursive: true })
  for (const name of readdirSync(join(root, 'node_modules')))
    if (name !== '@cairnstore') symlinkSync(join(root, 'node_modules', name), join(copy, 'node_modules', name))
  for (const name of COPIED) symlinkSync(join(copy, 'packages', name), join(copy, 'node_modules/@cairnstore', name))
  write(
    'tsconfig.json',
    JSON.stringify({
      extends: './tsconfig.base.json',
      compilerOptions: { noEmit: true, allowJs: true },
      exclude: ['**/*.test.ts'],
      include: ['packages/*/src', 'tests/harness/operation-samples.ts'],
    }),
  )
})

afterAll(() => rmSync(copy, { recursive: true, force: true }))

function write(path: string, text: string): void {
  mkdirSync(dirname(join(copy, path)), { recursive: true })
  writeFileSync(join(copy, path), text)
}

/** Inserts `added` before a text that occurs once in a file. Fails if the text is missing. */
function before(path: string, place: string, added: string): void {
  const text = readFileSync(join(copy, path), 'utf8')
  expect(text.split(place), `${path}: ${place}`).toHaveLength(2)
  write(
    path,
    text.replace(place, () => added + place),
  )
}

function run(...command: string[]): string {
  const [script = '', ...rest] = command
  try {
    return execFileSync(process.execPath, [join(root, 'node_modules', script), ...rest], {
      cwd: copy,
      env: { ...process.env, TEST_ENGINES: 'pglite', LONG_TESTS: undefined, CI: undefined },
      encoding: 'utf8',
    })
  } catch (error) {
    throw new Error(String((error as { stdout?: string }).stdout), { cause: error })
  }
}

it('an operation, a connector, a signal and a language can be added as the recipes say', () => {
  const page = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')
  for (const { heading, add } of RECIPES) {
    expect(page).toContain(`### … ${heading}\n`)
    add()
  }
  run('typescript/bin/tsc', '-p', '.')
  const tests = ['packages/engine/src/rank/recipe.test.ts', 'packages/server/src/sources/connectors/example/']
  expect(run('vitest/vitest.mjs', 'run', ...tests)).toMatch(/2 passed/)
})

const RECIPES = [
  {
    heading: 'an operation',
    add: () => {
      const declared = `  pinProject: operation({
    ...change,
    method: 'POST',
    path: \`\${one}/pin\`,
    summary: 'Pin a project',
    audit: { event: 'project.updated' },
    params: T.Object(projectParams),
    reply: { json: Done },
    faults: [],
  }),
`
      before('packages/contract/src/project.ts', '  archiveProject: operation({\n', declared)
      const handlers = 'packages/server/src/tenancy/projects/handlers.ts'
      before(
        handlers,
        '  archiveProject: (ctx,',
        "  pinProject: async () => ({ success: true, message: 'Pinned.' }),\n",
      )
      before('tests/harness/operation-samples.ts', '  listProjects: {},\n', '  pinProject: {},\n')
    },
  },
  {
    heading: 'a connector',
    add: () => {
      const folder = 'packages/server/src/sources/connectors'
      write(
        `${folder}/example/example.ts`,
        `import { type Connector, mapped } from '../connector.ts'
import { toRecord } from '../to-record.ts'
import { text } from '../pick.ts'

export const example: Connector = {
  providers: ['example'],
  product: 'Example',
  forms: ['json'],
  eventId: () => undefined,
  map: ({ body }) => mapped('said', toRecord({ externalId: text(body, 'id'), type: 'note', text: text(body, 'text') })),
}
`,
      )
      write(
        `${folder}/example/example.test.ts`,
        `import { expect, it } from 'vitest'
import { connectorFor } from '../connector-for.ts'

it("parses the product's payloads", async () => {
  const body = { id: 'one', text: 'Ada moved to Lyon.' }
  const settings = { config: {}, accountId: null }
  const { records } = await connectorFor('example').map({ headers: {}, body, settings })
  expect(records).toMatchObject([{ external_id: 'one', type: 'note', text: 'Ada moved to Lyon.' }])
})
`,
      )
      before(`${folder}/connector-for.ts`, 'import { github } from', "import { example } from './example/example.ts'\n")
      before(`${folder}/connector-for.ts`, 'github, slack,', 'example, ')
    },
  },
  {
    heading: 'a signal of the ranking',
    add: () => {
      const rank = 'packages/engine/src/rank'
      before(`${rank}/signals/signal.ts`, "'conversation', 'proximity'", "'example', ")
      write(
        `${rank}/signals/example.ts`,
        `import type { Signal } from './signal.ts'

export const example: Signal = {
  name: 'example',
  of: ({ weights }, candidates) => Float64Array.from(candidates, () => weights.example),
}
`,
      )
      before(`${rank}/weights.ts`, '  readonly feedback: number', '  readonly example: number\n')
      before(`${rank}/weights.ts`, '  feedback: 0.3', '  example: 0.1,\n')
      before(`${rank}/fuse.ts`, 'import { feedback } from', "import { example } from './signals/example.ts'\n")
      before(`${rank}/fuse.ts`, 'proximity, feedback]', 'example, ')
    },
  },
  {
    heading: 'a language',
    add: () => {
      const lexicon = 'packages/engine/src/lexicon'
      write(
        `${lexicon}/eo.json`,
        JSON.stringify({ stopWords: 'la, kaj, estas', endings: 'oj, o, ojn, on', greetings: 'saluton' }),
      )
      before(
        `${lexicon}/languages.ts`,
        "import es from './es.json'",
        "import eo from './eo.json' with { type: 'json' }\n",
      )
      before(`${lexicon}/languages.ts`, 'en, de, fr, es,', 'eo, ')
      write(
        'packages/engine/src/rank/recipe.test.ts',
        `import { expect, it } from 'vitest'
import { SMALL_WORDS } from '../lexicon/languages.ts'
import { SIGNALS } from './index.ts'

it('an added language and signal are recognized', () => {
  expect(SMALL_WORDS).toContain('kaj')
  expect(SIGNALS.ranking).toContain('example')
})
`,
      )
    },
  },
]
