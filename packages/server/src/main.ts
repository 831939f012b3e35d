#!/usr/bin/env node
import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { openCairn } from './app.ts'
import { systemClock } from './base/clock.ts'
import { openLog } from './base/log.ts'
import { toConfig } from './config/config.ts'
import { ConfigError } from './config/config-error.ts'
import { readEnv } from './config/env.ts'
import { readSecrets } from './config/secrets.ts'
import { showExample } from './first-start.ts'
import { FolderInUse, lockFolder } from './folder-lock.ts'

const print = (line: string) => void process.stdout.write(`${line}\n`)

/** Serves until SIGTERM or SIGINT, then drains and exits with 0; a second signal exits at once with 1. */
export async function main(): Promise<void> {
  try {
    await serve()
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof FolderInUse)) throw error
    process.stderr.write(`cairn: ${error.message}\n`)
    process.exitCode = 1
  }
}

async function serve(): Promise<void> {
  const env = readEnv()
  const config = toConfig(env)
  const lock = await lockFolder(config.folder)
  const log = openLog(config.logLevel, systemClock, (line) => void process.stderr.write(line))
  const cairn = await openCairn(config, readSecrets(env, config), { clock: systemClock, log })
  const stopping = stopOnSignal()
  try {
    const apiKey = await cairn.bootstrap()
    const address = await cairn.listen()
    print(`Cairn is listening on ${address}`)
    if (apiKey) await welcome(address, apiKey, config.loadExample, stopping)
    await new Promise<void>((resolve) => {
      if (stopping.aborted) resolve()
      stopping.addEventListener('abort', () => resolve())
    })
  } finally {
    await cairn.close()
    await lock.release()
  }
}

/** On new data: shows the first account's key once and, with the example workspace, what the service does. */
async function welcome(address: string, apiKey: string, loadExample: boolean, stopping: AbortSignal): Promise<void> {
  const showKey = () => print(`The first account's API key, shown this once: ${apiKey}`)
  if (!loadExample) return showKey()
  try {
    await showExample(address, apiKey, print, stopping)
  } catch (error) {
    if (stopping.aborted) return
    showKey()
    throw error
  }
}

function stopOnSignal(): AbortSignal {
  const controller = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(1)
      controller.abort()
    })
  }
  return controller.signal
}

const isEntry = process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)
if (isEntry) await main()
