import { sha256 } from '../../base/digest.ts'
import type { Caller } from '../caller.ts'
import type { Planes } from '../planes.ts'
import { findAdmin } from './admin-key.ts'
import { findKey, isKeyLike } from './find-key.ts'
import type { Found } from './found-caller.ts'
import { openGuessCap } from './guess-cap.ts'
import { openKeyUses } from './key-uses.ts'
import type { TokenAccounts } from './token-account.ts'

/** Whose credentials to look up again: of one key, of one connection, or of one account. */
type Forgotten = { keyId: string } | { connectionId: string } | { accountId: string }

/** Finds callers by their credentials, and counts how often each key is used. */
export interface Authenticator {
  /**
   * The caller that a bearer token stands for, which for a token of an issuer may also be meant for one of `audiences`
   * alone, the addresses of the door it came to; undefined for one that is unknown, revoked, expired or suspended.
   * Throws `unavailable` when that cannot be known at the moment, and `rate_limited` for a key that was never good here
   * when too many others from this address were not.
   */
  authenticate(token: string, address: string, audiences?: readonly string[]): Promise<Caller | undefined>
  /**
   * Counts something from an address that may be a guess at a credential. The result takes it back, when it was good
   * or that could not be known. Throws `rate_limited` when too many from this address were not.
   */
  countGuess(address: string): () => void
  /** Makes the next use of these credentials look them up again: for what was revoked or suspended here. */
  forget(which: Forgotten): void
  /** Writes the counts of use that are not written yet. */
  close(): Promise<void>
}

/** What a token can be checked against, beside the keys in the database. */
interface Trusted {
  /** The sha256 of the admin key; null when there is none. */
  adminKeyHash: Uint8Array | null
  /** The accounts of tokens of a configured issuer; null when none is configured. */
  tokens: TokenAccounts | null
}

/** What is looked up, and the name that it is remembered by. */
interface Asked {
  token: string
  name: string
  address: string
  audiences: readonly string[]
}

/** A credential that was found is believed for so long; another process sees a revocation after it at the latest. */
const BELIEVED_MS = 1_000
/** Credentials remembered at once. */
const REMEMBERED_MAX = 10_000
/** Longer tokens are remembered by their digest, so that memory holds none of them whole. */
const KEPT_CHARS_MAX = 128

type Known = Found & { untilMs: number }

/** Starts an authenticator. */
export function openAuthenticator(
  planes: Pick<Planes, 'sql' | 'clock' | 'log'>,
  { adminKeyHash, tokens }: Trusted,
): Authenticator {
  const uses = openKeyUses(planes)
  const known = new Map<string, Known>()
  // What was looked up before something was forgotten may be what was forgotten, so it is not remembered.
  let forgettings = 0
  const guesses = openGuessCap()
  // A key that was good is looked up however many wrong ones come from where it comes from, as long as it is good.
  const look = async (token: string, name: string, address: string): Promise<Found | undefined> => {
    const isGuess = isKeyLike(token) && !known.has(name)
    const takeBack = isGuess ? guesses.count(address) : undefined
    try {
      const found = await findKey(planes, token)
      if (found) takeBack?.()
      else known.delete(name)
      return found
    } catch (cause) {
      takeBack?.()
      throw cause
    }
  }
  const find = async ({ token, name, address, audiences }: Asked): Promise<Found | undefined> => {
    const before = forgettings
    const found =
      findAdmin(adminKeyHash, token) ?? (await tokens?.find(token, audiences)) ?? (await look(token, name, address))
    if (found && before === forgettings) remember(known, name, { ...found, untilMs: performance.now() + BELIEVED_MS })
    return found
  }
  return {
    authenticate: async (token, address, audiences = []) => {
      const kept = token.length > KEPT_CHARS_MAX ? sha256(token).toString('base64') : token
      // What is meant for one door alone is not believed at another.
      const name = isKeyLike(token) ? kept : [kept, ...audiences].join(' ')
      const found = believed(known, name) ?? (await find({ token, name, address, audiences }))
      const now = planes.clock.now()
      if (!found || (found.expiresAt !== null && found.expiresAt <= now)) return undefined
      if (found.holderId !== null) uses.count(found.caller.credential.id, found.holderId, now)
      return found.caller
    },
    countGuess: (address) => guesses.count(address),
    forget: (which) => {
      forgettings += 1
      for (const [name, found] of known) if (isOf(found, which)) known.delete(name)
    },
    close: () => uses.close(),
  }
}

function believed(known: Map<string, Known>, name: string): Known | undefined {
  const found = known.get(name)
  return found && found.untilMs > performance.now() ? found : undefined
}

function remember(known: Map<string, Known>, name: string, found: Known): void {
  known.delete(name)
  known.set(name, found)
  if (known.size > REMEMBERED_MAX) known.delete(known.keys().next().value as string)
}

function isOf({ caller: { accountId, credential }, holderId }: Found, which: Forgotten): boolean {
  if ('keyId' in which) return credential.id === which.keyId
  if ('accountId' in which) return accountId === which.accountId || holderId === which.accountId
  return credential.kind === 'connection_key' && credential.connectionId === which.connectionId
}
