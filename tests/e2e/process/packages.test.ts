import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { PACKAGES } from '../../../scripts/build.mjs'
import { startScript } from '../../harness/child.ts'
import { runCommand } from '../../harness/command.ts'
import { freshClone } from '../../harness/fresh-clone.ts'

const START_MS_MAX = 240_000
/** Files in every tarball, in addition to `dist`. */
const EVERYWHERE = ['LICENSE', 'NOTICE', 'README.md', 'package.json']
/** Files in the server's package other than code. */
const PAGES =
  /^(?:console\/(?:assets\/)?[\w.@-]+|guide\/(?:pages\/(?:docs\/(?:\w+\/)?)?)?[\w-]+)\.(?:css|html|js|md|svg|png)$/
/** Files allowed in `dist` in addition to code and its types. */
const BESIDE_CODE: Record<string, RegExp> = {
  '@cairnstore/engine': /^dist\/\w+\/[\w-]+\.json$/,
  '@cairnstore/encoder': /^(?:model|pairs)\/[\w.-]+$/,
  '@cairnstore/server':
    /^dist\/(?:db\/migrations\/[\w-]+\.sql|example\/[\w-]+\.(?:ndjson|json|md)|[\w/]+\/profiles\/[\w-]+\.json)$/,
}
const CODE = /^(?:bin|dist)\/[\w./-]+\.(?:js|d\.ts)$/

interface Packed {
  name: string
  filename: string
  files: { path: string }[]
}

let clone: string
let place: string
let packed: Packed[]

const run = async (command: string, args: string[], cwd: string) =>
  (await promisify(execFile)(command, args, { cwd, maxBuffer: 2 ** 26 })).stdout

beforeAll(async () => {
  clone = freshClone()
  place = mkdtempSync(join(tmpdir(), 'cairn-installed-'))
  const tarballs = join(place, 'tarballs')
  mkdirSync(tarballs)
  const args = ['pack', '--workspaces', '--json', '--silent', '--pack-destination', tarballs]
  const parsed = JSON.parse(await run('npm', args, clone))
  packed = Object.values(parsed)
})
afterAll(() => {
  for (const folder of [clone, place]) rmSync(folder, { recursive: true, force: true })
})

it('a package of a fresh clone contains its code, types, license and README, and nothing else', () => {
  expect(packed).toHaveLength(PACKAGES.length)
  for (const { name, files } of packed) {
    const paths = files.map(({ path }) => path)
    expect(paths, name).toEqual(expect.arrayContaining(EVERYWHERE))
    const other = paths.filter(
      (path) => !EVERYWHERE.includes(path) && !CODE.test(path) && !PAGES.test(path) && !BESIDE_CODE[name]?.test(path),
    )
    expect(other, name).toEqual([])
    expect(
      paths.filter((path) => /\.test\.|harness/.test(path)),
      name,
    ).toEqual([])
  }
  const holds = Object.fromEntries(packed.map(({ name, files }) => [name, files.map(({ path }) => path)]))
  expect(holds.cairnstore).toEqual(expect.arrayContaining(['bin/cairn.js', 'dist/main.js']))
  expect(holds['@cairnstore/contract']).toEqual(expect.arrayContaining(['dist/index.js', 'dist/index.d.ts']))
  expect(holds['@cairnstore/engine']).toEqual(expect.arrayContaining(['dist/rank/index.js', 'dist/rank/index.d.ts']))
  const server = ['dist/main.js', 'dist/example/workspace.json', 'dist/example/chat.ndjson', 'console/index.html']
  server.push('guide/guide.css', 'guide/pages/README.md', 'guide/pages/docs/concepts.md')
  expect(holds['@cairnstore/server']).toEqual(expect.arrayContaining(server))
  const migrations = readdirSync(join(clone, 'packages/server/src/db/migrations'))
  const sql = migrations.filter((name) => name.endsWith('.sql')).map((name) => `dist/db/migrations/${name}`)
  expect(holds['@cairnstore/server']).toEqual(expect.arrayContaining(sql))
})

it('installed in an empty folder without scripts, the packages serve and answer', async () => {
  const home = join(place, 'home')
  mkdirSync(home)
  const tarballs = packed.map(({ filename }) => join(place, 'tarballs', filename))
  const quietly = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error']
  await run('npm', ['init', '--yes'], home)
  await run('npm', ['install', ...quietly, ...tarballs], home)
  const bin = join(home, 'node_modules/.bin/cairn')
  const server = startScript([bin, 'serve'], { CAIRN_PORT: '0', CAIRN_DATA: join(home, 'data') })
  try {
    const [, url = ''] = await server.untilPrinted(/listening on (http:\S+)/, START_MS_MAX)
    const [printed] = await server.untilPrinted(
      /Question: [\s\S]*Citations:[\s\S]*The API reference is at/,
      START_MS_MAX,
    )
    const key = /Authorization: Bearer (\S+)'/.exec(printed)?.[1] ?? ''
    const question = 'Which follow-ups of INC-7 are still open?'
    const asked = await runCommand(bin, ['ask', question], home, { CAIRN_URL: url, CAIRN_API_KEY: key })
    expect(asked, asked.stderr).toMatchObject({ code: 0 })
    expect(asked.stdout).toMatch(/NOR-\d+[\s\S]*Sources:/)
  } finally {
    server.process.kill('SIGTERM')
    await server.ended
  }
})
