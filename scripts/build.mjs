// Compiles the packages whose sources are newer than their build output. On a fresh clone it installs first, so it
// depends only on Node.
import { cpSync, existsSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { install, run } from './install.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
/**
 * Packages in build order. `beside` maps names in `dist` to additional files elsewhere in the project.
 * @type {readonly { name: string, beside?: Readonly<Record<string, string>> }[]}
 */
export const PACKAGES = [
  { name: 'contract' },
  { name: 'engine' },
  { name: 'encoder' },
  { name: 'client' },
  { name: 'server', beside: { example: 'examples/workspace' } },
  { name: 'cli' },
]

/** Files and folders that the guide shows. The build copies them into the server's package. */
const GUIDE_SOURCES = ['docs', 'README.md', 'SECURITY.md']

/**
 * Returns the time of the latest change in a file, or in a folder and its files.
 * @param {string} path @returns {number}
 */
export function newestIn(path) {
  const own = statSync(path)
  if (!own.isDirectory()) return own.mtimeMs
  return Math.max(...readdirSync(path).map((name) => newestIn(join(path, name))))
}

/** Installs missing dependencies and brings every package's `dist` up to date. */
export function build() {
  install()
  compile()
}

/** Compiles packages that are out of date. */
export function compile() {
  copyGuide()
  let stale = false
  for (const { name, beside = {} } of PACKAGES) {
    const folder = join(root, 'packages', name)
    const stamp = join(folder, 'dist', '.built')
    const sources = [join(folder, 'src'), ...Object.values(beside).map((path) => join(root, path))]
    const changedAt = Math.max(...sources.map(newestIn), statSync(join(folder, 'tsconfig.json')).mtimeMs)
    stale ||= !existsSync(stamp) || statSync(stamp).mtimeMs < changedAt
    if (!stale) continue
    process.stderr.write(`cairn: building ${name}\n`)
    const startedAt = new Date()
    rmSync(join(folder, 'dist'), { recursive: true, force: true })
    // Types are checked by `npm run check`: for the server that takes four times as long as compiling.
    run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder, '--noCheck'])
    copySql(join(folder, 'src'), join(folder, 'dist'))
    for (const [to, from] of Object.entries(beside)) {
      cpSync(join(root, from), join(folder, 'dist', to), { recursive: true })
    }
    writeFileSync(stamp, '')
    utimesSync(stamp, startedAt, startedAt)
  }
}

/** Copies the documentation into the server's package if it changed. */
export function copyGuide() {
  const pages = join(root, 'packages/server/guide/pages')
  const changedAt = Math.max(...GUIDE_SOURCES.map((path) => newestIn(join(root, path))))
  if (existsSync(pages) && statSync(pages).mtimeMs >= changedAt) return
  rmSync(pages, { recursive: true, force: true })
  for (const path of GUIDE_SOURCES) cpSync(join(root, path), join(pages, path), { recursive: true })
}

/** @param {string} from @param {string} to */
function copySql(from, to) {
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (entry.isDirectory()) copySql(join(from, entry.name), join(to, entry.name))
    else if (entry.name.endsWith('.sql')) cpSync(join(from, entry.name), join(to, entry.name))
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) build()
