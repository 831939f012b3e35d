#!/usr/bin/env node
// This file is in the repository and not in `dist`. npm links binaries and makes them executable at install time. In a
// clone that is before the first build.
import { existsSync } from 'node:fs'

const built = new URL('../dist/main.js', import.meta.url)
if (existsSync(built)) {
  const { main } = await import(built.href)
  process.exitCode = await main(process.argv.slice(2))
} else {
  process.stderr.write('cairn: This clone is not built yet. Run `npm run build` in it first.\n')
  process.exitCode = 1
}
