// `npm start`: installs and builds if necessary, then serves in this process, so that it receives signals.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { compile } from './build.mjs'
import { install } from './install.mjs'

const CONSOLE = fileURLToPath(new URL('console.mjs', import.meta.url))

// On a fresh clone both installs mostly wait for the network, so they run at the same time, as do both builds.
await beside(['install'], install)
await beside([], compile)
// The output is for a person, so log only warnings. A supervised service uses `cairn serve`.
process.env.CAIRN_LOG_LEVEL ??= 'warn'
const entry = new URL('../packages/server/dist/main.js', import.meta.url)
const { main } = await import(entry.href)
await main()

/**
 * Runs the console's script with these arguments while `work` runs, and exits if it fails.
 * @param {string[]} args
 * @param {() => void} work
 */
async function beside(args, work) {
  const running = spawn(process.execPath, [CONSOLE, ...args], { stdio: 'inherit' })
  const ended = once(running, 'exit')
  work()
  const [status] = await ended
  if (status !== 0) process.exit(status ?? 1)
}
