// `npm run guide:build` writes the guide's files, which are committed, into the server's package; `npm run guide:check`
// tells whether they were built of what there is now. What the guide is built with is installed for it alone.
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
/** Where the server finds the files. */
export const BUILT = join(root, 'packages/server/guide')
/** What the guide's pages run inside them, by digest, and the digests of the files. */
const SUMS = 'checksums.json'
const INLINE_SCRIPT = /<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g
/** What a page says of its snippets to who runs them (tests/docs). */
const REMARK = /^<!-- .+ -->\n/gm
const LINK = /(!?)\[([^\]\n]*(?:\n[^\]\n]+)?)\]\(([^)\s]+)\)/g

/** The part of a text below a heading of the second level, with it. @param {string} text @param {string} heading */
function sectionOf(text, heading) {
  const from = text.indexOf(`\n## ${heading}\n`)
  if (from === -1) throw new Error(`There is no "${heading}".`)
  const to = text.indexOf('\n## ', from + 1)
  return text.slice(from + 1, to === -1 ? undefined : to + 1)
}

/**
 * The text of a page, with links as they are in the guide. What is in the repository and not in the guide is named and
 * not linked, since nobody says where a reader has the repository.
 * @param {string} text @param {string} from where the text stands in the repository
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

/** Writes the pages to where VitePress reads them. */
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
 * The digests, as a policy names them, of the scripts that stand inside the pages of a folder.
 * @param {string} folder
 */
export function inlineScripts(folder) {
  const pages = Object.keys(sumsOf(folder)).filter((name) => name.endsWith('.html'))
  const scripts = pages.flatMap((name) => [...readFileSync(join(folder, name), 'utf8').matchAll(INLINE_SCRIPT)])
  const digests = scripts.map(([, code = '']) => `sha256-${createHash('sha256').update(code).digest('base64')}`)
  return [...new Set(digests)].sort()
}

/** What was noted when the committed files were built. */
export function notedGuide() {
  return JSON.parse(readFileSync(join(BUILT, SUMS), 'utf8'))
}

/** @param {string} folder */
function buildInto(folder) {
  const quietly = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  if (!existsSync(join(GUIDE, 'node_modules/vitepress'))) {
    // `npm ci` refuses a lock without the bindings of other systems, which npm leaves out of one that it makes itself.
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

/** What the guide is built of, by path. Two builds of the same differ: the search index has pages as they come. */
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
