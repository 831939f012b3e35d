import { constants, existsSync } from 'node:fs'
import { access, statfs } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { dirname } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { type Config, toConfig } from '../config/config.ts'
import { ConfigError } from '../config/config-error.ts'
import { connectionsFor } from '../config/descriptors.ts'
import { type Env, SETTINGS } from '../config/env.ts'
import { FOLDER_FORMAT, formatOf, isForeignFolder } from './folder-format.ts'

/** A result of an examination: its subject, whether the check passed, and a sentence with advice. */
export interface Finding {
  about: string
  isGood: boolean
  sentence: string
}

interface ExamineInput {
  env: Env
  /** Names of the settings that are set, including unknown ones. */
  names: readonly string[]
  /** Loads the modules that the service needs. Rejects if one cannot be loaded. */
  loadEngines: () => Promise<unknown>
}

const MIB = 2 ** 20
const ANSWER_MS = 3000
const DEFAULT_PORTS: Record<string, number> = { 'http:': 80, 'https:': 443 }
const POSTGRES_PORT = 5432

/** Checks everything that the service needs for a start on this machine. Changes nothing. */
export async function examine({ env, names, loadEngines }: ExamineInput): Promise<Finding[]> {
  const unknown = names.filter((name) => !(name in SETTINGS))
  const found = unknown.map((name) => failed('settings', `${name} is not a setting; docs/settings.md lists them all.`))
  let config: Config
  try {
    config = toConfig(env)
    connectionsFor(config.connectionsMax)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return [...found, failed('settings', error.message)]
  }
  if (found.length === 0) found.push(passed('settings', 'All settings are valid.'))
  const serves = await isCairn(config.host, config.port)
  return [
    ...found,
    await checkFolder(config, serves),
    await checkDisk(config),
    await checkPort(config, serves),
    await checkEngines(loadEngines),
    ...(await checkRemoteServices(env)),
  ]
}

export function passed(about: string, sentence: string): Finding {
  return { about, isGood: true, sentence }
}

export function failed(about: string, sentence: string): Finding {
  return { about, isGood: false, sentence }
}

async function checkFolder({ folder }: Config, serves: boolean): Promise<Finding> {
  const isThere = existsSync(folder)
  const nearest = isThere ? folder : dirname(folder)
  const isOpen = await access(nearest, constants.W_OK).then(
    () => true,
    () => false,
  )
  if (!isOpen) return failed('data', `This user cannot write to ${nearest}: set CAIRN_DATA to a writable folder.`)
  if (!isThere) return passed('data', `${folder} does not exist yet; the first start creates it.`)
  try {
    if (isForeignFolder(folder)) {
      if (serves) return passed('data', `${folder} is not a Cairn data folder; the running service uses another one.`)
      return failed('data', `${folder} contains files that are not Cairn’s: set CAIRN_DATA to an empty or new folder.`)
    }
    const format = formatOf(folder)
    if (format === undefined || format <= FOLDER_FORMAT) return passed('data', `${folder} can be read and written.`)
    return failed('data', `${folder} is of a newer version of Cairn: start that, or set CAIRN_DATA to another folder.`)
  } catch (error) {
    return failed('data', (error as Error).message)
  }
}

async function checkDisk({ folder, reservedBytes }: Config): Promise<Finding> {
  const disk = await statfs(existsSync(folder) ? folder : dirname(folder)).catch(() => undefined)
  if (!disk) return passed('disk', 'The free space on the disk of the data folder is unknown.')
  const free = disk.bavail * disk.bsize
  const shown = `${Math.floor(free / MIB)} MiB are free on the disk of ${folder}`
  if (free >= reservedBytes) return passed('disk', `${shown}.`)
  return failed(
    'disk',
    `${shown}, below the reserve of ${reservedBytes / MIB} MiB, so writes are rejected: free disk space.`,
  )
}

async function checkPort({ host, port }: Config, serves: boolean): Promise<Finding> {
  const code = await listening(host, port)
  const address = `${host}:${port}`
  if (code === undefined) return passed('port', `${address} is free; no service runs there now.`)
  if (code === 'EACCES') return failed('port', `This user may not listen on ${address}: set CAIRN_PORT above 1023.`)
  if (code !== 'EADDRINUSE')
    return failed('port', `${host} is not an address of this machine (${code}): set CAIRN_HOST.`)
  if (serves) return passed('port', `A Cairn service is running at ${address}.`)
  return failed('port', `Another program listens at ${address}: stop it, or set CAIRN_PORT to a free port.`)
}

/** Returns the error code if this process cannot listen at the address. Returns undefined if it can. */
function listening(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code ?? 'unknown'))
    server.listen(port, host, () => server.close(() => resolve(undefined)))
  })
}

async function isCairn(host: string, port: number): Promise<boolean> {
  const name = host.includes(':') ? `[${host}]` : host
  try {
    const reply = await fetch(`http://${name}:${port}/healthz`, { signal: AbortSignal.timeout(ANSWER_MS) })
    return ((await reply.json()) as { status?: unknown }).status === 'ok'
  } catch {
    return false
  }
}

async function checkEngines(loadEngines: () => Promise<unknown>): Promise<Finding> {
  // If a CommonJS module fails in an `import()`, Node also reports an unhandled rejection.
  const ignoreRejection = () => undefined
  process.on('unhandledRejection', ignoreRejection)
  try {
    await loadEngines()
    return passed('engines', 'The database, the store and the query engine can be loaded.')
  } catch (error) {
    const [first] = (error as Error).message.split('\n')
    return failed(
      'engines',
      `Not everything can be loaded (${first}): run \`npm install\` in the clone, with Node 20.19 or newer.`,
    )
  } finally {
    await turn()
    process.off('unhandledRejection', ignoreRejection)
  }
}

async function checkRemoteServices({ DATABASE_URL: database, STORAGE_URL: storage, S3_ENDPOINT: endpoint }: Env) {
  const found: Finding[] = []
  if (database) found.push(await checkConnection('database', 'DATABASE_URL', new URL(database)))
  if (storage && endpoint && URL.canParse(endpoint)) {
    found.push(await checkConnection('store', 'S3_ENDPOINT', new URL(endpoint)))
  }
  return found
}

async function checkConnection(about: string, setting: string, url: URL): Promise<Finding> {
  const port = Number(url.port) || (DEFAULT_PORTS[url.protocol] ?? POSTGRES_PORT)
  const address = `${url.hostname}:${port}`
  const code = await new Promise<string | undefined>((resolve) => {
    const socket = connect({ host: url.hostname.replace(/^\[|\]$/g, ''), port, timeout: ANSWER_MS })
    const end = (why: string | undefined) => {
      socket.destroy()
      resolve(why)
    }
    socket.once('connect', () => end(undefined))
    socket.once('timeout', () => end('no answer'))
    socket.once('error', ({ code: why }: NodeJS.ErrnoException) => end(why ?? 'unknown'))
  })
  if (code === undefined) return passed(about, `${address} (${setting}) accepts connections.`)
  return failed(about, `No connection to ${address} (${code}): start the service, or correct ${setting}.`)
}
