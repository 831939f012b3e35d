import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
/** Scope of the project's own packages, which a clone must not take from this checkout. */
const SCOPE = '@cairnstore'

/**
 * Copies the repository to a temporary folder with this checkout's dependencies, but without build output. Returns its
 * path.
 */
export function freshClone(): string {
  const clone = mkdtempSync(join(tmpdir(), 'cairn-clone-'))
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT })
  for (const path of String(listed).split('\0')) {
    // Keep the timestamps: npm would reinstall dependencies that are older than the lock file.
    if (path && existsSync(join(ROOT, path))) cpSync(join(ROOT, path), join(clone, path), { preserveTimestamps: true })
  }
  execFileSync('git', ['init', '--quiet'], { cwd: clone })
  const libraries = join(clone, 'node_modules')
  linkLibraries(join(ROOT, 'node_modules'), libraries)
  for (const name of readdirSync(join(clone, 'packages'))) {
    symlinkSync(join(clone, 'packages', name), join(libraries, SCOPE, name))
  }
  linkLibraries(join(ROOT, 'packages/console/node_modules'), join(clone, 'packages/console/node_modules'))
  return clone
}

/** Links the libraries of a folder into another one. A clone without the console's build tools would install them. */
function linkLibraries(from: string, to: string): void {
  mkdirSync(join(to, SCOPE), { recursive: true })
  const names = existsSync(from) ? readdirSync(from).filter((name) => name !== SCOPE) : []
  for (const name of names) symlinkSync(join(from, name), join(to, name))
}
