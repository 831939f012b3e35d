// Before `npm pack` gathers the files of a package: everything is built, and what the project is licensed under lies
// beside it, so that a fresh clone packs what a built one does. npm runs it in the folder of the package.
import { copyFileSync, existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from './build.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

build()
for (const name of ['LICENSE', 'NOTICE']) {
  if (existsSync(join(root, name))) copyFileSync(join(root, name), name)
}
