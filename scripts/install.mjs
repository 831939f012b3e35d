// Installs the dependencies if they are missing or older than the lock file. It depends only on Node.
import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/**
 * Runs a command in the project's root and exits if it fails.
 * @param {string} command
 * @param {string[]} args
 */
export function run(command, args) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit' })
  if (error || status !== 0) {
    process.stderr.write(`cairn: "${command} ${args.join(' ')}" failed${error ? `: ${error.message}` : ''}\n`)
    process.exit(status || 1)
  }
}

/** @param {string} path */
function modifiedAt(path) {
  return existsSync(path) ? statSync(path).mtimeMs : 0
}

/** Makes `node_modules` match the lock file. */
export function install() {
  const installed = modifiedAt(join(root, 'node_modules/.package-lock.json'))
  if (installed > 0 && installed >= modifiedAt(join(root, 'package-lock.json'))) return
  process.stderr.write('cairn: installing dependencies\n')
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'])
}

if (process.argv[1] === fileURLToPath(import.meta.url)) install()
