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

/** A result of an examination: the subject, whether it is good, and a sentence with advice. */
export interface Finding {
  about: string
  isGood: boolean
  sentence: string
}

/** Inputs of an examination of this machine. */
interface Examined {
  env: Env
  /** Names of the settings that are set, known or not. */
  names: readonly string[]
  /** Loads the modules that the service needs. Rejects if one cannot be loaded. */
  loadEngines: () => Promise<unknown>
}

const MIB = 2 ** 20
const ANSWER_MS = 3000
const POSTGRES_PORT = 5432
const S3_PORT = 443

/** Checks everything that the service needs on this machine to start. Changes nothing. */
export async function examine({ env, names, loadEngines }: Examined): Promise<Finding[]> {
  const unknown = names.filter((name) => !(name in SETTINGS))
  const found = unknown.map((name) => wrong('settings', `${name} is not a setting; docs/settings.md lists them all.`))
  let config: Config
  try {
    config = toConfig(env)
    connectionsFor(config.connectionsMax)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return [...found, wrong('settings', error.message)]
  }
  if (found.length === 0) found.push(good('settings', 'All settings are valid.'))
  const serves = await isCairn(config.host, config.port)
  return [
    ...found,
    await folderOf(config, serves),
    await diskOf(config),
    await portOf(config, serves),
    await enginesOf(loadEngines),
    ...(await enginesElsewhere(env)),
  ]
}

function good(about: string, sentence: string): Finding {
  return { about, isGood: true, sentence }
}

function wrong(about: string, sentence: string): Finding {
  return { about, isGood: false, sentence }
}

async function folderOf({ folder }: Config, serves: boolean): Promise<Finding> {
  const isThere = existsSync(folder)
  const nearest = isThere ? folder : dirname(folder)
  const isOpen = await access(nearest, constants.W_OK).then(
    () => true,
    () => false,
  )
  if (!isOpen) return wrong('data', `This user cannot write to ${nearest}: set CAIRN_DATA to a writable folder.`)
  if (!isThere) return good('data', `${folder} does not exist yet; the first start creates it.`)
  try {
    if (isForeignFolder(folder)) {
      if (serves) return good('data', `${folder} is not a Cairn data folder; the running service uses another one.`)
      return wrong('data', `${folder} contains files that are not Cairn’s: set CAIRN_DATA to an empty or new folder.`)
    }
    const format = formatOf(folder)
    if (format === undefined || format <= FOLDER_FORMAT) return good('data', `${folder} can be read and written.`)
    return wrong('data', `${folder} is of a newer version of Cairn: start that, or set CAIRN_DATA to another folder.`)
  } catch (error) {
    return wrong('data', (error as Error).message)
  }
}

async function diskOf({ folder, keptBackBytes }: Config): Promise<Finding> {
  const disk = await statfs(existsSync(folder) ? folder : dirname(folder)).catch(() => undefined)
  if (!disk) return good('disk', 'The free space on the disk of the data folder is unknown.')
  const free = disk.bavail * disk.bsize
  const shown = `${Math.floor(free / MIB)} MiB are free on the disk of ${folder}`
  if (free >= keptBackBytes) return good('disk', `${shown}.`)
  return wrong(
    'disk',
    `${shown}, below the reserve of ${keptBackBytes / MIB} MiB, so writes are rejected: free disk space.`,
  )
}

async function portOf({ host, port }: Config, serves: boolean): Promise<Finding> {
  const code = await listening(host, port)
  const place = `${host}:${port}`
  if (code === undefined) return good('port', `${place} is free; no service runs there now.`)
  if (code === 'EACCES') return wrong('port', `This user may not listen on ${place}: set CAIRN_PORT above 1023.`)
  if (code !== 'EADDRINUSE')
    return wrong('port', `${host} is not an address of this machine (${code}): set CAIRN_HOST.`)
  if (serves) return good('port', `A Cairn service is running at ${place}.`)
  return wrong('port', `Another program listens at ${place}: stop it, or set CAIRN_PORT to a free port.`)
}

/** Returns the error code if this process cannot listen at the address; undefined if it can. */
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

async function enginesOf(loadEngines: () => Promise<unknown>): Promise<Finding> {
  // If a CommonJS module fails within an import, Node also reports it as an unhandled rejection.
  const toldAlready = () => undefined
  process.on('unhandledRejection', toldAlready)
  try {
    await loadEngines()
    return good('engines', 'The database, the store and the query engine can be loaded.')
  } catch (error) {
    const [first] = (error as Error).message.split('\n')
    return wrong(
      'engines',
      `Not everything can be loaded (${first}): run \`npm install\` in the clone, with Node 20.19 or newer.`,
    )
  } finally {
    await turn()
    process.off('unhandledRejection', toldAlready)
  }
}

async function enginesElsewhere({ DATABASE_URL: database, STORAGE_URL: storage, S3_ENDPOINT: endpoint }: Env) {
  const found: Finding[] = []
  if (database) found.push(await reached('database', 'DATABASE_URL', new URL(database), POSTGRES_PORT))
  if (storage && endpoint && URL.canParse(endpoint)) {
    found.push(await reached('store', 'S3_ENDPOINT', new URL(endpoint), S3_PORT))
  }
  return found
}

async function reached(about: string, setting: string, { hostname, port }: URL, usual: number): Promise<Finding> {
  const place = `${hostname}:${port || usual}`
  const code = await new Promise<string | undefined>((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) || usual, timeout: ANSWER_MS })
    const end = (why: string | undefined) => {
      socket.destroy()
      resolve(why)
    }
    socket.once('connect', () => end(undefined))
    socket.once('timeout', () => end('no answer'))
    socket.once('error', ({ code: why }: NodeJS.ErrnoException) => end(why ?? 'unknown'))
  })
  if (code === undefined) return good(about, `${place} (${setting}) accepts connections.`)
  return wrong(about, `No connection to ${place} (${code}): start the service, or correct ${setting}.`)
}
