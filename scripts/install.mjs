// Installs the dependencies if they are missing or older than the lock file. It depends only on Node.
import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/**
 * Runs a command in a folder, by default the project's root, and exits if it fails. Its output goes to standard error,
 * because callers such as `npm pack --json` print results to standard output.
 * @param {string} command
 * @param {string[]} args
 */
export function run(command, args, cwd = root) {
  const { status, error } = spawnSync(command, args, { cwd, stdio: ['inherit', process.stderr, 'inherit'] })
  if (error || status !== 0) {
    process.stderr.write(`cairn: "${command} ${args.join(' ')}" failed${error ? `: ${error.message}` : ''}\n`)
    process.exit(status || 1)
  }
}

/** @param {string} path */
function modifiedAt(path) {
  return existsSync(path) ? statSync(path).mtimeMs : 0
}

/** Makes `node_modules` of a folder match its lock file. @param {string} folder @param {string[]} options */
export function install(folder = root, options = []) {
  const installed = modifiedAt(join(folder, 'node_modules/.package-lock.json'))
  if (installed > 0 && installed >= modifiedAt(join(folder, 'package-lock.json'))) return
  process.stderr.write(`cairn: installing dependencies${folder === root ? '' : ` of ${basename(folder)}`}\n`)
  run('npm', ['ci', ...options, '--no-audit', '--no-fund', '--loglevel=error'], folder)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) install()
