// `npm start`: installs and builds if necessary, then serves in this process, so that it receives signals.
import { spawn } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { compile } from './build.mjs'
import { install } from './install.mjs'

install()
compile()
// On a fresh clone the console takes as long as everything else, so it is built at low priority while the service
// already answers.
const building = spawn(process.execPath, [fileURLToPath(new URL('console.mjs', import.meta.url))], { stdio: 'inherit' })
if (building.pid !== undefined) setPriority(building.pid, constants.priority.PRIORITY_LOW)
// The output is for a person, so log only warnings. A supervised service uses `cairn serve`.
process.env.CAIRN_LOG_LEVEL ??= 'warn'
const entry = new URL('../packages/server/dist/main.js', import.meta.url)
const { main } = await import(entry.href)
await main()
