// `npm start`: installs and builds if necessary, then serves in this process, so that it receives signals.
import { build } from './build.mjs'
import { buildConsole } from './console.mjs'

build()
buildConsole()
// The output is for a person, so log only warnings. A supervised service uses `cairn serve`.
process.env.CAIRN_LOG_LEVEL ??= 'warn'
const entry = new URL('../packages/server/dist/main.js', import.meta.url)
const { main } = await import(entry.href)
await main()
