// `npm run dev`: serves as `npm start` does, and rebuilds and restarts when a source changes. Arguments after `--` are
// passed to Node: `npm run dev -- --inspect`.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { watch } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PACKAGES } from './build.mjs'
import { install } from './install.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const SOURCES = PACKAGES.map(({ name }) => join(root, 'packages', name, 'src'))
/** Milliseconds without changes before a build. Editors write several files, and some of them twice. */
const SETTLED_MS = 200

/** @type {import('node:child_process').ChildProcess | undefined} */
let service
let work = Promise.resolve()
/** @type {NodeJS.Timeout | undefined} */
let settling
let isStopping = false

/** @param {string[]} args */
function node(...args) {
  // A separate process group: otherwise the terminal's Ctrl-C would reach the child in addition to this process's
  // SIGTERM, and the second signal would abort it.
  return spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], detached: true })
}

async function stop() {
  const running = service
  service = undefined
  if (!running || running.exitCode !== null || running.signalCode !== null) return
  running.kill('SIGTERM')
  await once(running, 'exit')
}

/** Builds and replaces the running service. The old one keeps running while the sources do not compile. */
async function renew() {
  const [status] = await once(node(join(root, 'scripts/build.mjs')), 'exit')
  if (isStopping) return
  if (status !== 0) return void process.stderr.write('cairn: this does not build; it is tried again when it changes\n')
  await stop()
  service = node(...process.argv.slice(2), join(root, 'scripts/start.mjs'))
}

/** @param {string | null} path */
function changed(path) {
  if (path?.endsWith('.test.ts')) return
  clearTimeout(settling)
  settling = setTimeout(() => {
    work = work.then(renew)
  }, SETTLED_MS)
}

install()
const watchers = SOURCES.map((folder) => watch(folder, { recursive: true }, (_event, path) => changed(path)))
work = work.then(renew)
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) {
  process.on(signal, () => {
    isStopping = true
    clearTimeout(settling)
    for (const watcher of watchers) watcher.close()
    work = work.then(stop)
  })
}
