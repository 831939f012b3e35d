import type { Id } from '@cairn/contract'
import { sql as sqlText } from 'kysely'
import { sha256 } from '../../base/digest.ts'
import type { Caller, Planes } from '../handler.ts'
import { isApiKey } from './key-format.ts'
import { isExpired } from './store.ts'

/** Finds callers by their credentials, and counts how often each is used. */
export interface Authenticator {
  /** The caller that a bearer token stands for; undefined for one that is unknown, revoked, expired or suspended. */
  authenticate(token: string): Promise<Caller | undefined>
  /** Makes the next use of a key look it up again: for a key that was revoked here. */
  forget(keyId: string): void
  /** Writes the counts of use that are not written yet. */
  close(): Promise<void>
}

interface Use {
  accountId: string
  count: number
  lastUsedAt: Date
}

/** A key that was found is believed for so long; another process sees a revocation after this time at the latest. */
const BELIEVED_MS = 1_000
/** Keys remembered at once. */
const REMEMBERED_MAX = 10_000
/** Uses are counted in memory and written this often, so that a request costs no write. */
const FLUSH_INTERVAL_MS = 5_000

/** Starts an authenticator. */
export function openAuthenticator(planes: Pick<Planes, 'sql' | 'clock' | 'log'>): Authenticator {
  const uses = new Map<string, Use>()
  const known = new Map<string, Known>()
  let flushing = Promise.resolve()
  const flush = () => {
    flushing = flushing
      .then(() => writeUses(planes, uses))
      .catch((error: unknown) => {
        planes.log.warn('key uses not written', { error })
      })
    return flushing
  }
  const timer = setInterval(flush, FLUSH_INTERVAL_MS).unref()
  return {
    authenticate: async (token) => {
      const found = believed(known, token) ?? (await findKey(planes, token))
      if (!found || isExpired(found, planes.clock.now())) return undefined
      remember(known, token, found)
      countUse(uses, found.caller, planes.clock.now())
      return found.caller
    },
    forget: (keyId) => {
      for (const [token, { caller }] of known) if (caller.credential.id === keyId) known.delete(token)
    },
    close: async () => {
      clearInterval(timer)
      await flush()
    },
  }
}

/** A key as it was found, and until when that is believed. */
interface Known {
  caller: Caller
  expires_at: Date | null
  untilMs: number
}

function believed(known: Map<string, Known>, token: string): Known | undefined {
  const found = known.get(token)
  return found && found.untilMs > performance.now() ? found : undefined
}

function remember(known: Map<string, Known>, token: string, found: Known): void {
  known.set(token, found)
  if (known.size > REMEMBERED_MAX) known.delete(known.keys().next().value as string)
}

async function findKey({ sql }: Pick<Planes, 'sql'>, token: string): Promise<Known | undefined> {
  if (!isApiKey(token)) return undefined
  const keyHash = sha256(token)
  const row = await sql.transact({ keyHash }, (tx) =>
    tx
      .selectFrom('api_key')
      .innerJoin('account', 'account.user_id', 'api_key.user_id')
      .select(['api_key.user_id', 'api_key.id', 'api_key.expires_at'])
      .where('api_key.key_hash', '=', keyHash)
      .where('api_key.revoked_at', 'is', null)
      .where('api_key.connection_id', 'is', null)
      .where('account.status', '=', 'active')
      .executeTakeFirst(),
  )
  if (!row) return undefined
  const caller: Caller = { accountId: row.user_id, credential: { kind: 'api_key', id: row.id as Id<'key'> } }
  return { caller, expires_at: row.expires_at, untilMs: performance.now() + BELIEVED_MS }
}

function countUse(uses: Map<string, Use>, { accountId, credential }: Caller, lastUsedAt: Date): void {
  const count = (uses.get(credential.id)?.count ?? 0) + 1
  uses.set(credential.id, { accountId, count, lastUsedAt })
}

/** Writes counts account by account; what cannot be written is counted again with the next uses. */
async function writeUses({ sql }: Pick<Planes, 'sql'>, uses: Map<string, Use>): Promise<void> {
  for (const [id, { accountId, count, lastUsedAt }] of [...uses]) {
    await sql.transact(accountId, (tx) =>
      tx
        .updateTable('api_key')
        .set({
          use_count: sqlText<number>`use_count + ${count}`,
          last_used_at: sqlText<Date>`greatest(last_used_at, ${lastUsedAt})`,
        })
        .where('user_id', '=', accountId)
        .where('id', '=', id)
        .execute(),
    )
    const left = (uses.get(id)?.count ?? 0) - count
    if (left > 0) uses.set(id, { ...uses.get(id)!, count: left })
    else uses.delete(id)
  }
}
