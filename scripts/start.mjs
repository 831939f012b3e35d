// `npm start`: installs and builds what is missing, then serves in this same process, so that signals reach it.
import { build } from './build.mjs'

build()
// Somebody reads what is printed here, wherever it goes. What keeps a service running has `cairn serve`.
process.env.CAIRN_LOG_LEVEL ??= 'warn'
const entry = new URL('../packages/server/dist/main.js', import.meta.url)
const { main } = await import(entry.href)
await main()
