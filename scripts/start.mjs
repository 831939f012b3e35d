// `npm start`: installs and builds if necessary, then serves in this process, so that it receives signals.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { compile } from './build.mjs'
import { install } from './install.mjs'

install()
// On a fresh clone the console's libraries are downloaded while the other packages compile.
const building = spawn(process.execPath, [fileURLToPath(new URL('console.mjs', import.meta.url))], { stdio: 'inherit' })
compile()
const [status] = await once(building, 'exit')
if (status !== 0) process.exit(status ?? 1)
// The output is for a person, so log only warnings. A supervised service uses `cairn serve`.
process.env.CAIRN_LOG_LEVEL ??= 'warn'
const entry = new URL('../packages/server/dist/main.js', import.meta.url)
const { main } = await import(entry.href)
await main()
