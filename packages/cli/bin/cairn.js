#!/usr/bin/env node
// Stands in the repository and not in `dist`, because npm links and marks as executable only what is there when it
// installs, which in a clone is before the first build.
import { existsSync } from 'node:fs'

const built = new URL('../dist/main.js', import.meta.url)
if (existsSync(built)) {
  const { main } = await import(built.href)
  process.exitCode = await main(process.argv.slice(2))
} else {
  process.stderr.write('cairn: This clone is not built yet. Run `npm run build` in it first.\n')
  process.exitCode = 1
}
