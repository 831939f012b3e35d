// `npm run guide:build` writes the guide's files, which are committed, into the server's package; `npm run guide:check`
// checks that they were built from the current sources. The guide's build tools are installed separately.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PAGES } from '../guide/pages.mjs'
import { sumsOf } from './console.mjs'
import { run } from './install.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const GUIDE = join(root, 'guide')
const STAGED = join(GUIDE, 'pages')
/** Folder from which the server serves the files. */
export const BUILT = join(root, 'packages/server/guide')
/** File with the digests of inline scripts and of all files. */
const SUMS = 'checksums.json'
const INLINE_SCRIPT = /<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g
/** Directives in a page for the program that runs its snippets (tests/docs). */
const REMARK = /^<!-- .+ -->\n/gm
const LINK = /(!?)\[([^\]\n]*(?:\n[^\]\n]+)?)\]\(([^)\s]+)\)/g

/**
 * Returns the section of a text below a second-level heading, including the heading. @param {string} text @param
 * {string} heading
 */
function sectionOf(text, heading) {
  const from = text.indexOf(`\n## ${heading}\n`)
  if (from === -1) throw new Error(`There is no "${heading}".`)
  const to = text.indexOf('\n## ', from + 1)
  return text.slice(from + 1, to === -1 ? undefined : to + 1)
}

/**
 * Converts the links of a page for the guide. A link to a file outside the guide becomes plain text, because the
 * repository's address is unknown.
 * @param {string} text @param {string} from path of the text in the repository
 */
export function toGuide(text, from) {
  return text.replaceAll(REMARK, '').replaceAll(LINK, (whole, isImage, shown, target) => {
    if (/^[a-z]+:|^#/.test(target)) return whole
    if (target === '/docs') return `[${shown}](/docs){target="_self"}`
    const [path = '', anchor] = target.split('#')
    const place = posix.normalize(posix.join(posix.dirname(from), path))
    if (isImage) return `![${shown}](./${posix.relative('docs', place)})`
    const there =
      PAGES.find((page) => page.from === place) ??
      PAGES.find(({ parts = [] }) => parts.some((part) => part.from === place))
    if (there === undefined) return shown
    return `[${shown}](./${there.page}.md${anchor ? `#${anchor}` : ''})`
  })
}

/** Writes the pages to the folder that VitePress reads. */
function stage() {
  rmSync(STAGED, { recursive: true, force: true })
  mkdirSync(STAGED)
  cpSync(join(GUIDE, 'index.md'), join(STAGED, 'index.md'))
  for (const folder of ['plots', 'screenshots']) {
    cpSync(join(root, 'docs', folder), join(STAGED, folder), { recursive: true })
  }
  for (const { page, from, parts = [] } of PAGES) {
    const own = toGuide(readFileSync(join(root, from), 'utf8'), from)
    const before = parts.map((part) => {
      const section = sectionOf(readFileSync(join(root, part.from), 'utf8'), part.heading)
      return toGuide(section, part.from)
    })
    const text = before.length === 0 ? own : ['# Quickstart\n', ...before, own.replace(/^# /, '## ')].join('\n')
    writeFileSync(join(STAGED, `${page}.md`), text)
  }
}

/**
 * Returns the CSP hashes of the inline scripts in the pages of a folder.
 * @param {string} folder
 */
export function inlineScripts(folder) {
  const pages = Object.keys(sumsOf(folder)).filter((name) => name.endsWith('.html'))
  const scripts = pages.flatMap((name) => [...readFileSync(join(folder, name), 'utf8').matchAll(INLINE_SCRIPT)])
  const digests = scripts.map(([, code = '']) => `sha256-${createHash('sha256').update(code).digest('base64')}`)
  return [...new Set(digests)].sort()
}

/** Returns the checksums stored when the committed files were built. */
export function notedGuide() {
  return JSON.parse(readFileSync(join(BUILT, SUMS), 'utf8'))
}

/** @param {string} folder */
function buildInto(folder) {
  const quietly = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  if (!existsSync(join(GUIDE, 'node_modules/vitepress'))) {
    // `npm ci` rejects a lock file without the native bindings of other systems, which npm omits when it writes one.
    execFileSync('npm', ['install', '--no-save', '--ignore-scripts', ...quietly], { cwd: GUIDE, stdio: 'inherit' })
  }
  stage()
  run(process.execPath, [join(GUIDE, 'node_modules/vitepress/bin/vitepress.js'), 'build', GUIDE])
  rmSync(folder, { recursive: true, force: true })
  cpSync(join(GUIDE, '.vitepress/dist'), folder, { recursive: true })
}

function write() {
  buildInto(BUILT)
  const noted = { scripts: inlineScripts(BUILT), files: sumsOf(BUILT), sources: sourcesOf() }
  writeFileSync(join(BUILT, SUMS), `${JSON.stringify(noted, null, 2)}\n`)
}

/**
 * Returns the sources of the guide by path. Output cannot be compared: the order of pages in the search index varies
 * between builds.
 */
function sourcesOf() {
  stage()
  const beside = ['.vitepress/config.mjs', 'package-lock.json'].map((name) => {
    return [
      name,
      createHash('sha256')
        .update(readFileSync(join(GUIDE, name)))
        .digest('hex'),
    ]
  })
  return { ...sumsOf(STAGED), ...sumsOf(join(GUIDE, '.vitepress/theme')), ...Object.fromEntries(beside) }
}

function check() {
  const [now, noted] = [sourcesOf(), notedGuide().sources]
  const names = [...new Set([...Object.keys(now), ...Object.keys(noted)])]
  const different = names.filter((name) => now[name] !== noted[name])
  if (different.length === 0) return
  process.stderr.write('cairn: run `npm run guide:build` and commit; the guide was built of other versions of these:\n')
  for (const name of different) process.stderr.write(`  ${name}\n`)
  process.exitCode = 1
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv[2] === 'check') check()
  else write()
}
