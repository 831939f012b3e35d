#!/usr/bin/env node
import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { systemClock } from './base/clock.ts'
import { Fault } from './base/fault.ts'
import { bufferLines, openLog } from './base/log.ts'
import { answers } from './base/role.ts'
import { type Config, toConfig } from './config/config.ts'
import { ConfigError } from './config/config-error.ts'
import { connectionsFor } from './config/descriptors.ts'
import { deprecatedSettings, namesOfSettings, prepareForStores, readEnv, useOwnTemporaryFolder } from './config/env.ts'
import { readSecrets } from './config/secrets.ts'
import { showExample } from './first-start.ts'
import { FolderInUse, FolderOpenToOthers, lockFolder } from './folder-lock.ts'
import { examine, type Finding } from './operations/examine.ts'
import { assertNotForeign, bringUpToDate } from './operations/folder-format.ts'
import { runOperation, UsageError } from './operations/run-operation.ts'

const EXIT_FAILED = 1
const EXIT_WRONG_USE = 2

const START_ADVICE = 'Check the disk space of CAIRN_DATA, the database and the object store, and start again.'

const print = (line: string) => void process.stdout.write(`${line}\n`)

/**
 * Serves until SIGTERM or SIGINT, then drains and exits with 0. A second signal exits at once with 1. With arguments
 * other than `serve` it runs one command on the data folder instead. Invalid arguments exit with 2.
 */
export async function main(args: string[] = process.argv.slice(2)): Promise<void> {
  try {
    if (args.length === 0 || (args.length === 1 && args[0] === 'serve')) await serve()
    else if (args[0] === 'repair') await runRepairs(args.slice(1))
    else await runOperation(args, toConfig(readEnv()), systemClock, print)
  } catch (error) {
    const sentence = sentenceFor(error)
    if (!sentence) throw error
    process.stderr.write(`cairn: ${sentence}\n`)
    process.exitCode = error instanceof UsageError ? EXIT_WRONG_USE : EXIT_FAILED
  }
}

/** Checks this machine's requirements for a start, for `cairn doctor`. Changes nothing. */
export function examineMachine(): Promise<Finding[]> {
  return examine({ env: readEnv(), names: namesOfSettings(), loadEngines: () => import('./app.ts') })
}

/** Checks all processes on one database, for `cairn doctor --cluster`. Changes nothing. */
export async function examineCluster(): Promise<Finding[]> {
  const { examineCluster: examineAll } = await import('./examination/examine-cluster.ts')
  return examineAll(readEnv())
}

/** Returns a message for a failed start. Undefined if only the stack trace explains it. */
function sentenceFor(error: unknown): string | undefined {
  if (error instanceof FolderOpenToOthers) return error.message
  if (error instanceof ConfigError || error instanceof FolderInUse || error instanceof UsageError) return error.message
  if (error instanceof Fault && error.code === 'unavailable') return `Startup failed: ${error.message}. ${START_ADVICE}`
  const { code, syscall, port } = error as NodeJS.ErrnoException & { port?: number }
  if (code === 'EADDRINUSE')
    return `Port ${port ?? ''} is already in use. Stop the other program, or set CAIRN_PORT to another port.`
  if (syscall === 'getaddrinfo' || code === 'EADDRNOTAVAIL') return 'CAIRN_HOST is not an address of this machine.'
  if (code === 'EACCES' && syscall === 'listen')
    return 'This user may not listen on the address. Change CAIRN_PORT or CAIRN_DATA.'
  if (code && ['EACCES', 'EEXIST', 'ENOTDIR', 'EROFS', 'EPERM', 'ENOSPC'].includes(code)) {
    return 'CAIRN_DATA must name a folder that this user can write to, on a disk with free space.'
  }
  return undefined
}

async function serve(): Promise<void> {
  const env = readEnv()
  prepareForStores()
  const config = toConfig(env)
  for (const line of deprecatedSettings()) process.stderr.write(`cairn: ${line}\n`)
  if (isEmbedded(config)) assertNotForeign(config.folder)
  // Before anything opens more file descriptors than allowed.
  connectionsFor(config.connectionsMax)
  // Before the slow steps, so that the user sees at once that it starts.
  print(`Starting on ${config.folder}: loading the engines …`)
  // Node opens all imported files at once, and this library has the most. It is imported separately to limit open
  // files.
  await import('kysely')
  const { openCairn } = await import('./app.ts')
  const lock = await lockFolder(config.folder)
  // Called after the lock, which may be in the system's temporary folder so that every process finds it.
  useOwnTemporaryFolder()
  if (isEmbedded(config)) await bringUpToDate(config.folder)
  // Keeps the startup messages together, even if they and the log go to one file.
  const lines = bufferLines((text) => void process.stderr.write(text))
  process.on('exit', lines.flush)
  // At a terminal, a line per request would hide the startup messages.
  const log = openLog(config.logLevel ?? (process.stderr.isTTY ? 'warn' : 'info'), systemClock, lines.write)
  const onStep = (doing: string) => print(`${doing} …`)
  const cairn = await openCairn(config, readSecrets(env, config), { log, onStep })
  const stopping = stopOnSignal()
  try {
    // The port comes first. If it fails, no account is created whose key could not be shown.
    const address = await cairn.listen()
    // A worker does not answer requests, so it creates no account.
    const apiKey = answers(config.role) ? await cairn.bootstrap() : undefined
    lock.publish(address)
    print(`Cairn is listening on ${address}`)
    if (apiKey) await welcome(address, apiKey, config.loadExample, stopping)
    else if (!answers(config.role)) print('It processes work from other processes (CAIRN_ROLE=worker).')
    else print(`${referenceAt(address)}. If you have no API key, \`cairn keys reset\` creates one.`)
    if (config.databaseUrl === null) await showConsole(cairn.consoleLink)
    lines.release()
    await new Promise<void>((resolve) => {
      if (stopping.aborted) resolve()
      stopping.addEventListener('abort', () => resolve())
    })
    await cairn.drain()
  } finally {
    await cairn.close()
    await lock.release()
  }
  // The client of an abandoned store continues its requests for a while and would keep the process alive.
  process.exit()
}

/** Prints how to open the console. Prints the sign-in link only to a terminal, since others can read stored logs. */
async function showConsole(linkOf: () => Promise<string | undefined>): Promise<void> {
  if (process.stdout.isTTY !== true) return print('\nTo sign in to the console, run `cairn console`: it prints a link.')
  const link = await linkOf()
  if (link) print(`\nSign-in link to the console (works once, for ten minutes):\n  ${link}`)
}

async function runRepairs(args: string[]): Promise<void> {
  const env = readEnv()
  prepareForStores()
  const config = toConfig(env)
  const { parseRepair, runRepair } = await import('./repair-command.ts')
  const repairArgs = parseRepair(args)
  if (!repairArgs) throw new UsageError('Usage: cairn repair [--apply] [--erased LIST] [--while-serving]')
  process.exitCode = await runRepair(config, readSecrets(env, config), repairArgs, print)
}

/** Returns true if the data folder has persistent data. */
function isEmbedded({ databaseUrl, storage }: Config): boolean {
  return databaseUrl === null || !storage.root.startsWith('s3:')
}

/** Shows the first account's key once, and the example workspace if enabled. */
async function welcome(address: string, apiKey: string, loadExample: boolean, stopping: AbortSignal): Promise<void> {
  const showKey = () => print(`The API key of the first account (shown only once): ${apiKey}`)
  if (!loadExample) {
    showKey()
    return print(`${referenceAt(address)}.`)
  }
  try {
    await showExample(address, apiKey, print, stopping)
  } catch (error) {
    if (stopping.aborted) return
    showKey()
    throw error
  }
}

function referenceAt(address: string): string {
  return `The API reference is at ${address}/docs`
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
