import { CairnError } from './errors.ts'

/** What a client is opened with. What is left out comes from the environment, or the command line's profile. */
export interface CairnOptions {
  /** Where the service is. CAIRN_URL, the profile's, on a page the page's own, else http://127.0.0.1:8484. */
  url?: string
  /** An API key or a token; a function is asked before each request. CAIRN_API_KEY, or the profile's. */
  apiKey?: string | (() => string | Promise<string>)
  /** Signs requests with the browser's session cookie instead of a key. Works only on pages of the service itself. */
  usesCookie?: boolean
  /** The sandbox to work in, by id or name. CAIRN_SANDBOX, the profile's, else the only one that there is. */
  sandbox?: string
  /** The profile of the command line to use, whatever the environment says. CAIRN_PROFILE, or the default one. */
  profile?: string
  /** Whether what is not given is looked for in the environment and in a profile (true). */
  looksAround?: boolean
  /** For an owner: reads in sandboxes with the reach of this account, to which they are shared; changes nothing. */
  asUser?: string
  /** A sandbox's 32-byte key that only its caller holds, or it in base64. CAIRN_ENCRYPTION_KEY. */
  encryptionKey?: string | Uint8Array
  /** Sends that key sealed under the API key (`X-Encryption-Token`) and not as it is. */
  sealsKey?: boolean
  /** How long an answer may take, and what comes in pieces may be silent, in milliseconds (300 000). */
  timeoutMs?: number
  /** How often a call that failed for reasons of the moment is made again (3). */
  retries?: number
  /** The longest wait that a service may ask for, in seconds (60); what wants a longer one fails at once. */
  waitSecondsMax?: number
  /** Is told of each wait before it is made, with the failure that it is for. */
  onWait?: (seconds: number, failure: CairnError) => void
  /** In place of the runtime's own. */
  fetch?: typeof fetch
}

/** Where a service is, what opens it, and where in it to work. */
export interface FoundSettings {
  url: string
  apiKey: CairnOptions['apiKey']
  sandbox: string | undefined
  encryptionKey: string | Uint8Array | undefined
}

interface StoredProfile {
  url: string
  key?: string
  sandbox_id?: string
}

interface Runtime {
  env?: Record<string, string | undefined>
  getBuiltinModule?: (name: string) => unknown
}

/** Where `npm start` serves when nothing else is set. */
const DEFAULT_URL = 'http://127.0.0.1:8484'

/** The runtime's own module of this name; undefined where there is none, as on a page. */
export function builtin<T>(name: string): T | undefined {
  const { process } = globalThis as { process?: Runtime }
  return process?.getBuiltinModule?.(name) as T | undefined
}

/**
 * What the options, the environment and the profile say. A profile that is named outranks the environment, which
 * outranks the default one. A profile's key goes to its own service alone.
 */
export function findSettings(options: CairnOptions): FoundSettings {
  const { process } = globalThis as { process?: Runtime }
  const { looksAround = true } = options
  const env = looksAround && options.profile === undefined ? (process?.env ?? {}) : {}
  const set = (name: string) => env[name]?.trim() || undefined
  const named = options.profile ?? set('CAIRN_PROFILE')
  const profile = looksAround || named !== undefined ? findProfile(named) : undefined
  const { origin } = (globalThis as { location?: { origin?: string } }).location ?? {}
  const page = origin?.startsWith('http') ? origin : undefined
  const url = addressOf(options.url ?? set('CAIRN_URL') ?? profile?.url ?? page ?? DEFAULT_URL)
  const own = profile && addressOf(profile.url) === url ? profile : undefined
  return {
    url,
    apiKey: options.apiKey ?? set('CAIRN_API_KEY') ?? own?.key,
    sandbox: options.sandbox ?? set('CAIRN_SANDBOX') ?? own?.sandbox_id,
    encryptionKey: options.encryptionKey ?? set('CAIRN_ENCRYPTION_KEY'),
  }
}

/** The address of a service without a slash at its end. */
function addressOf(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined
  const isPlain = url && !url.username && !url.password && !url.search && !url.hash && url.protocol.startsWith('http')
  if (!isPlain) throw new CairnError(`The address of a service is like ${DEFAULT_URL}, and nothing more.`)
  return url.href.replace(/\/+$/, '')
}

/** The profile of this name, or the default one, that the command line keeps for this user. */
function findProfile(name: string | undefined): StoredProfile | undefined {
  const fs = builtin<typeof import('node:fs')>('node:fs')
  const os = builtin<typeof import('node:os')>('node:os')
  const { process } = globalThis as { process?: Runtime }
  if (!fs || !os) return undefined
  let path = 'profiles.json'
  let kept: { default?: string; profiles?: Record<string, StoredProfile> } = {}
  // Where a program may neither know whose it is nor read files, as on Deno, there is no profile.
  try {
    path = `${process?.env?.XDG_CONFIG_HOME?.trim() || `${os.homedir()}/.config`}/cairn/profiles.json`
    kept = JSON.parse(fs.readFileSync(path, 'utf8')) as typeof kept
  } catch (cause) {
    if (name !== undefined) throw new CairnError(`There is no profile "${name}": ${path} cannot be read.`, { cause })
  }
  const wanted = name ?? kept.default ?? ''
  const found = Object.hasOwn(kept.profiles ?? {}, wanted) ? kept.profiles?.[wanted] : undefined
  if (!found && name !== undefined) throw new CairnError(`${path} has no profile "${name}".`)
  return found
}
