import { CairnError } from './errors.ts'

/** Options of a client. Defaults come from the environment, then from the command line's profile. */
export interface CairnOptions {
  /**
   * Address of the service. Default: CAIRN_URL, the profile's, in a browser the page's origin, else
   * http://127.0.0.1:8484.
   */
  url?: string
  /** API key or token. A function is called before each request. Default: CAIRN_API_KEY, or the profile's. */
  apiKey?: string | (() => string | Promise<string>)
  /** Signs requests with the browser's session cookie instead of a key. Works only on pages of the service itself. */
  usesCookie?: boolean
  /** Sandbox to work in, by id or name. Default: CAIRN_SANDBOX, the profile's, else the only one. */
  sandbox?: string
  /** Command line profile to use, regardless of the environment. Default: CAIRN_PROFILE, or the default profile. */
  profile?: string
  /** True (default) to take missing options from the environment and a profile. */
  readsEnvironment?: boolean
  /** For an owner: reads with the access scope of this account in sandboxes shared with it. Writes are not possible. */
  asUser?: string
  /** Customer-managed key of a sandbox: 32 bytes, or these in base64. Default: CAIRN_ENCRYPTION_KEY. */
  encryptionKey?: string | Uint8Array
  /** Sends that key encrypted under the API key (`X-Encryption-Token`) instead of as plaintext. */
  encryptsKey?: boolean
  /** Timeout in milliseconds until the reply, and between the chunks of a stream (300,000). */
  timeoutMs?: number
  /** Number of retries after a transient failure (3). */
  retries?: number
  /** Maximum Retry-After that the client obeys, in seconds (60). A longer one fails at once. */
  waitSecondsMax?: number
  /** Called before each wait, with the failure that caused it. */
  onWait?: (seconds: number, failure: CairnError) => void
  /** Replaces the runtime's `fetch`. */
  fetch?: typeof fetch
}

/** Resolved address, credentials and sandbox. */
export interface ResolvedSettings {
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

/** Default address that `npm start` listens on. */
const DEFAULT_URL = 'http://127.0.0.1:8484'

/** Returns a built-in module of the runtime; undefined if there is none, as in a browser. */
export function builtin<T>(name: string): T | undefined {
  const { process } = globalThis as { process?: Runtime }
  return process?.getBuiltinModule?.(name) as T | undefined
}

/**
 * Resolves the settings from the options, the environment and the profile. Precedence: an explicitly named profile,
 * then the environment, then the default profile. A profile's key is sent only to that profile's service.
 */
export function resolveSettings(options: CairnOptions): ResolvedSettings {
  const { process } = globalThis as { process?: Runtime }
  const { readsEnvironment = true } = options
  const env = readsEnvironment && options.profile === undefined ? (process?.env ?? {}) : {}
  const set = (name: string) => env[name]?.trim() || undefined
  const named = options.profile ?? set('CAIRN_PROFILE')
  const profile = readsEnvironment || named !== undefined ? findProfile(named) : undefined
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

/** Returns the address of a service without a trailing slash. Throws CairnError if it is invalid. */
function addressOf(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined
  const isPlain = url && !url.username && !url.password && !url.search && !url.hash && url.protocol.startsWith('http')
  if (!isPlain)
    throw new CairnError(`The address of a service must have no user, query or fragment, such as ${DEFAULT_URL}.`)
  return url.href.replace(/\/+$/, '')
}

/** Reads the named or default profile that the command line stored for this user. */
function findProfile(name: string | undefined): StoredProfile | undefined {
  const fs = builtin<typeof import('node:fs')>('node:fs')
  const os = builtin<typeof import('node:os')>('node:os')
  const { process } = globalThis as { process?: Runtime }
  if (!fs || !os) return undefined
  let path = 'profiles.json'
  let stored: { default?: string; profiles?: Record<string, StoredProfile> } = {}
  // Runtimes such as Deno can deny access to the environment or files. Then there is no profile.
  try {
    path = `${process?.env?.XDG_CONFIG_HOME?.trim() || `${os.homedir()}/.config`}/cairn/profiles.json`
    stored = JSON.parse(fs.readFileSync(path, 'utf8')) as typeof stored
  } catch (cause) {
    if (name !== undefined) throw new CairnError(`There is no profile "${name}": ${path} cannot be read.`, { cause })
  }
  const selected = name ?? stored.default ?? ''
  const found = Object.hasOwn(stored.profiles ?? {}, selected) ? stored.profiles?.[selected] : undefined
  if (!found && name !== undefined) throw new CairnError(`${path} has no profile "${name}".`)
  return found
}
