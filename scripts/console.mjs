// `npm run console:build`: builds the console into the server's package if its sources are newer than the build.
import { existsSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { newestIn } from './build.mjs'
import { install, run } from './install.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const PACKAGE = join(root, 'packages/console')
/** Folder from which the server serves the console. */
export const BUILT = join(root, 'packages/server/console')
const SOURCES = ['src', 'public', 'index.html', 'build.mjs', 'package.json', 'package-lock.json']
const CLIENT = join(root, 'packages/client/src')

/** Brings the console up to date. Its build tools have their own lock file and are installed only when necessary. */
export function buildConsole() {
  const page = join(BUILT, 'index.html')
  const sources = [CLIENT, ...SOURCES.map((path) => join(PACKAGE, path))]
  if (existsSync(page) && statSync(page).mtimeMs >= Math.max(...sources.map(newestIn))) return
  install()
  install(PACKAGE, ['--ignore-scripts'])
  process.stderr.write('cairn: building console\n')
  const startedAt = new Date()
  // Build next to the old files, so that a service never finds half of them.
  const made = `${BUILT}-${process.pid}`
  run(process.execPath, [join(PACKAGE, 'build.mjs'), made])
  utimesSync(join(made, 'index.html'), startedAt, startedAt)
  rmSync(BUILT, { recursive: true, force: true })
  renameSync(made, BUILT)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) buildConsole()
