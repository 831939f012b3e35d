import { existsSync, readFileSync } from 'node:fs'
import { homedir, tmpdir, userInfo } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Access } from '@cairnstore/contract'
import type { Options } from './inputs.ts'
import { usageFailure } from './output.ts'
import { type Profile, profileOf, readProfiles } from './profiles.ts'

/** Address, credentials and defaults of a command. */
export interface Settings {
  /** No trailing slash. */
  url: string
  /** Empty for operations that need no key. */
  key: string
  /** Setting or file that the key came from. */
  keyName: string
  /** Sandbox to work in, by id or name; undefined if none is set. */
  sandbox: string | undefined
  /** Customer-managed key of a sandbox in base64, for operations on content; undefined if none is set. */
  encryptionKey?: string | undefined
  /** True to print only the result and errors. */
  isQuiet: boolean
}

type KeyName = 'CAIRN_API_KEY' | 'CAIRN_ADMIN_KEY'
type Env = NodeJS.ProcessEnv

/** Default address that `npm start` listens on. */
export const DEFAULT_URL = 'http://127.0.0.1:8484'
const PORT_MAX = 65_535
/** File in a data folder that holds the address of the service using that folder. */
const ADDRESS_FILE = 'address'

/** Data folder of the clone that contains this program. */
const OWN_DATA = fileURLToPath(new URL('../../../data', import.meta.url))

const HOW_TO_GET: Record<KeyName, string> = {
  CAIRN_API_KEY: 'Run `cairn init` to get and store one, or set CAIRN_API_KEY to the API key of your account.',
  CAIRN_ADMIN_KEY:
    "Set CAIRN_ADMIN_KEY to the operator's key. An embedded service keeps it in its data folder: " +
    'CAIRN_ADMIN_KEY=$(cat data/admin.key)',
}

export function profilesPath(env: Env = process.env): string {
  return join(env.XDG_CONFIG_HOME?.trim() || join(homeFolder(env), '.config'), 'cairn', 'profiles.json')
}

/** Returns the path of the file of stored conversations. */
export function conversationsPath(env: Env = process.env): string {
  return join(env.XDG_STATE_HOME?.trim() || join(homeFolder(env), '.local/state'), 'cairn', 'conversations.json')
}

/** Returns the home folder. In a container whose user has none, returns the service's data folder. */
export function homeFolder(env: Env = process.env): string {
  const data = env.CAIRN_DATA?.trim()
  try {
    const home = homedir()
    // Containers report `/` as the home of a user without a passwd entry.
    return (home === '' || home === '/') && data ? data : home
  } catch {
    return data || tmpdir()
  }
}

/**
 * Resolves the settings of an operation from flags, the environment and the profile. Precedence: the profile of
 * `--profile`, then the environment, then the profile of CAIRN_PROFILE or the default one. A profile's key is sent only
 * to that profile's service. If no operator key is set, the one in the data folder is used, but only for a service on
 * this machine. Throws a usage Failure for missing or invalid settings.
 */
export function readSettings(access: Access, options: Options, env: Env = process.env): Settings {
  const { profile, name, isNamed } = chosenProfile(options, env)
  const set = isNamed ? {} : env
  const url = readUrl(set.CAIRN_URL?.trim() || profile?.url || localUrl(set))
  const own = profile && readUrl(profile.url) === url ? profile : undefined
  const sandbox = text(options.sandbox) ?? (set.CAIRN_SANDBOX?.trim() || own?.sandbox_id)
  const encryptionKey = readEncryptionKey(set.CAIRN_ENCRYPTION_KEY)
  const shared = { url, sandbox, encryptionKey, isQuiet: options.quiet === true }
  if (access === 'public') return { ...shared, key: '', keyName: '' }
  const setting = access === 'admin' ? 'CAIRN_ADMIN_KEY' : 'CAIRN_API_KEY'
  const found =
    access === 'admin' ? adminKey(url, env) : accountKey(set.CAIRN_API_KEY, own && { ...own, name: name ?? '' }, env)
  if (!found) throw usageFailure(`This command needs a key. ${HOW_TO_GET[setting]}`)
  if (!isKey(found.key)) throw usageFailure(`The key from ${found.keyName} contains invalid characters. Copy it again.`)
  return { ...shared, ...found }
}

const ENCRYPTION_KEY_BYTES = 32

/** Returns the customer-managed key, if one is set. Throws a usage Failure unless it is 32 bytes in base64. */
function readEncryptionKey(set: string | undefined): string | undefined {
  const key = set?.trim()
  if (!key) return undefined
  const bytes = Buffer.from(key, 'base64')
  if (bytes.length === ENCRYPTION_KEY_BYTES && bytes.toString('base64') === key) return key
  throw usageFailure('CAIRN_ENCRYPTION_KEY must be 32 bytes in base64, as `openssl rand -base64 32` makes them.')
}

/** Returns true if a text can be sent as a key in a header. */
export function isKey(value: string): boolean {
  return /^[\x21-\x7e]+$/.test(value)
}

interface ChosenProfile {
  profile: Profile | undefined
  name: string | undefined
  /** True if the `--profile` flag named the profile. */
  isNamed: boolean
}

/** Selects the named profile, or the default one if it exists. Throws a usage Failure if the named one is missing. */
function chosenProfile(options: Options, env: Env = process.env): ChosenProfile {
  const path = profilesPath(env)
  const stored = readProfiles(path)
  const flag = text(options.profile)
  const named = flag ?? (env.CAIRN_PROFILE?.trim() || undefined)
  const profile = profileOf(stored, named ?? stored.default)
  if (named !== undefined && !profile) {
    const names = Object.keys(stored.profiles)
    const known = names.length > 0 ? `Profiles: ${names.join(', ')}.` : 'There are no profiles yet.'
    throw usageFailure(`${path} has no profile "${named}". ${known} \`cairn init --profile ${named}\` creates it.`)
  }
  return { profile, name: named ?? (profile && stored.default), isNamed: flag !== undefined }
}

/** Returns the address, key and profile that the environment names, for commands that write a profile. */
export function fromEnvironment(env: Env = process.env): { url?: string; key?: string; profile?: string } {
  const url = env.CAIRN_URL?.trim()
  const key = env.CAIRN_API_KEY?.trim()
  const profile = env.CAIRN_PROFILE?.trim()
  return { ...(url && { url }), ...(key && { key }), ...(profile && { profile }) }
}

function accountKey(set: string | undefined, profile: (Profile & { name: string }) | undefined, env: Env) {
  const key = set?.trim()
  if (key) return { key, keyName: 'CAIRN_API_KEY' }
  if (!profile?.key) return undefined
  return { key: profile.key, keyName: `the profile "${profile.name}" in ${profilesPath(env)}` }
}

/** Returns the address from CAIRN_PORT or from the data folder that CAIRN_DATA names. Undefined without either. */
export function namedLocalUrl(env: Env = process.env): string | undefined {
  const port = Number(env.CAIRN_PORT?.trim() || 0)
  if (Number.isInteger(port) && port > 0 && port <= PORT_MAX) return `http://127.0.0.1:${port}`
  const named = env.CAIRN_DATA?.trim()
  return named ? addressIn(named) : undefined
}

/** Returns the address of the local service: from the settings, then from a data folder, else the default. */
export function localUrl(env: Env = process.env): string {
  const found =
    namedLocalUrl(env) ??
    dataFolders(env)
      .map(addressIn)
      .find((address) => address !== undefined)
  return found ?? DEFAULT_URL
}

/** Returns the address that a service wrote into its data folder. Undefined if there is none. */
function addressIn(folder: string): string | undefined {
  try {
    return readUrl(readFileSync(join(folder, ADDRESS_FILE), 'utf8').trim())
  } catch {
    // No service uses the folder, another user owns it, or the file holds no address.
    return undefined
  }
}

/** Returns the data folders to search: the one from CAIRN_DATA, else those of the current folder and of this clone. */
function dataFolders(env: Env): string[] {
  const named = env.CAIRN_DATA?.trim()
  // Another program may have a folder named `data`. The `format` file shows that a Cairn service has used it.
  return named ? [named] : ['data', OWN_DATA].filter((folder) => existsSync(join(folder, 'format')))
}

/** Returns the operator's key for a service: from CAIRN_ADMIN_KEY, or from that service's data folder. */
export function adminKey(url: string, env: Env = process.env): { key: string; keyName: string } | undefined {
  const set = env.CAIRN_ADMIN_KEY?.trim()
  if (set) return { key: set, keyName: 'CAIRN_ADMIN_KEY' }
  for (const folder of dataFolders(env)) {
    // Never send a data folder's key to a different local service.
    const address = addressIn(folder)
    if (address === undefined ? !isLoopback(url) : !isSameService(address, url)) continue
    const path = resolve(folder, 'admin.key')
    try {
      return { key: readFileSync(path, 'utf8').trim(), keyName: path }
    } catch {
      // Missing, or owned by another user; try the next folder.
    }
  }
  return undefined
}

/** Returns the current user's name. Empty in a container whose user has no passwd entry. */
export function userName(userOf: () => { username: string } = userInfo): string {
  try {
    return userOf().username
  } catch {
    return process.env.USER ?? ''
  }
}

/** Returns true if two URLs name the same service. All loopback names count as one host. */
function isSameService(one: string, other: string): boolean {
  const [first, second] = [new URL(one), new URL(other)]
  return first.origin === second.origin || (isLoopback(one) && isLoopback(other) && first.port === second.port)
}

/** Returns true if the URL's host is a loopback address. */
export function isLoopback(url: string): boolean {
  return ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(url).hostname)
}

/** Returns the address of a service without a trailing slash. Throws a usage Failure if it is invalid. */
export function readUrl(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined
  const isPlain = url && url.username === '' && url.password === '' && url.search === '' && url.hash === ''
  if (!isPlain || !['http:', 'https:'].includes(url.protocol)) {
    throw usageFailure(
      `CAIRN_URL must be the address of the service without user, query or fragment, such as ${DEFAULT_URL}.`,
    )
  }
  return url.href.replace(/\/+$/, '')
}

function text(value: Options[string]): string | undefined {
  return typeof value === 'string' ? value : undefined
}
