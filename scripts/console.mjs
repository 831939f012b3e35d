// `npm run console:build` writes the console's files, which are committed, into the server's package; `npm run
// console:check` rebuilds them in another folder and compares. The console's build tools are installed separately.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { install, run } from './install.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const PACKAGE = join(root, 'packages/console')
/** Folder from which the server serves the files. */
export const BUILT = join(root, 'packages/server/console')
const SUMS = 'checksums.json'
/** Sources of the files within the package. Changes of the client are also detected by `console:check`. */
const SOURCES = ['src', 'public', 'index.html', 'build.mjs', 'tsconfig.json', 'package.json', 'package-lock.json']

/** @param {string} path @returns {string[]} */
function filesIn(path) {
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path).flatMap((name) => filesIn(join(path, name)))
}

/** @param {Buffer | string} bytes */
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex')

/**
 * Returns the SHA-256 of every built file, ordered by path.
 * @param {string} folder @returns {Record<string, string>}
 */
export function sumsOf(folder) {
  const files = filesIn(folder).map((path) => [relative(folder, path).split(sep).join('/'), path])
  const sums = files
    .filter(([name]) => name !== SUMS)
    .map(([name = '', path = '']) => [name, sha256(readFileSync(path))])
  return Object.fromEntries(sums.sort(([one = ''], [other = '']) => (one < other ? -1 : 1)))
}

/** Returns one digest of the sources, without tests. */
export function sourcesSum() {
  const paths = SOURCES.flatMap((name) => filesIn(join(PACKAGE, name))).filter((path) => !path.includes('.test.'))
  return sha256(
    paths
      .map((path) => `${relative(PACKAGE, path)}\0${sha256(readFileSync(path))}\n`)
      .sort()
      .join(''),
  )
}

/** Returns the checksums stored when the committed files were built. */
export function notedSums() {
  return JSON.parse(readFileSync(join(BUILT, SUMS), 'utf8'))
}

/** @param {string} folder */
function buildInto(folder) {
  install()
  const isInstalled = existsSync(join(PACKAGE, 'node_modules/vite'))
  const quietly = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  if (!isInstalled) execFileSync('npm', ['ci', ...quietly], { cwd: PACKAGE, stdio: 'inherit' })
  run(process.execPath, [join(PACKAGE, 'build.mjs'), folder])
}

function write() {
  buildInto(BUILT)
  const sums = { sources: sourcesSum(), files: sumsOf(BUILT) }
  writeFileSync(join(BUILT, SUMS), `${JSON.stringify(sums, null, 2)}\n`)
}

function check() {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-console-'))
  try {
    buildInto(folder)
    const [made, noted] = [sumsOf(folder), notedSums().files]
    const names = [...new Set([...Object.keys(made), ...Object.keys(noted)])]
    const different = names.filter((name) => made[name] !== noted[name])
    if (different.length === 0) return
    process.stderr.write(`cairn: run \`npm run console:build\` and commit; these are not as built:\n`)
    for (const name of different) process.stderr.write(`  ${name}\n`)
    process.exitCode = 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv[2] === 'check') check()
  else write()
}
