// `npm start`: installs and builds what is missing, then serves in this same process, so that signals reach it.
import { build } from './build.mjs'

build()
const entry = new URL('../packages/server/dist/main.js', import.meta.url)
const { main } = await import(entry.href)
await main()
