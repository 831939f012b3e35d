// Runs before `npm pack`, in the folder of the package. Builds everything and copies the license files into the
// package, so that a fresh clone packs the same files.
import { copyFileSync, existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from './build.mjs'
import { buildConsole } from './console.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

build()
buildConsole()
for (const name of ['LICENSE', 'NOTICE']) {
  if (existsSync(join(root, name))) copyFileSync(join(root, name), name)
}
