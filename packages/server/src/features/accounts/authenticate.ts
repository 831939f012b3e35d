import type { Id } from '@cairn/contract'
import { sql as sqlText } from 'kysely'
import { sha256 } from '../../base/digest.ts'
import type { App, Caller } from '../handler.ts'
import { isApiKey } from './key-format.ts'
import { isExpired } from './store.ts'

/** Finds callers by their credentials, and counts how often each is used. */
export interface Authenticator {
  /** The caller that a bearer token stands for; undefined for one that is unknown, revoked, expired or suspended. */
  authenticate(token: string): Promise<Caller | undefined>
  /** Writes the counts of use that are not written yet. */
  close(): Promise<void>
}

interface Use {
  accountId: string
  count: number
  lastUsedAt: Date
}

/** Uses are counted in memory and written this often, so that a request costs no write. */
const FLUSH_INTERVAL_MS = 5_000

/** Starts an authenticator. It asks the database each time, so a revoked key stops working at once. */
export function openAuthenticator(app: Pick<App, 'sql' | 'clock' | 'log'>): Authenticator {
  const uses = new Map<string, Use>()
  let flushing = Promise.resolve()
  const flush = () => {
    flushing = flushing
      .then(() => writeUses(app, uses))
      .catch((error: unknown) => {
        app.log.warn('key uses not written', { error })
      })
    return flushing
  }
  const timer = setInterval(flush, FLUSH_INTERVAL_MS).unref()
  return {
    authenticate: async (token) => {
      const caller = await findCaller(app, token)
      if (caller) countUse(uses, caller, app.clock.now())
      return caller
    },
    close: async () => {
      clearInterval(timer)
      await flush()
    },
  }
}

async function findCaller({ sql, clock }: Pick<App, 'sql' | 'clock'>, token: string): Promise<Caller | undefined> {
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
  if (!row || isExpired(row, clock.now())) return undefined
  return { accountId: row.user_id, credential: { kind: 'api_key', id: row.id as Id<'key'> } }
}

function countUse(uses: Map<string, Use>, { accountId, credential }: Caller, lastUsedAt: Date): void {
  const count = (uses.get(credential.id)?.count ?? 0) + 1
  uses.set(credential.id, { accountId, count, lastUsedAt })
}

/** Writes counts account by account; what cannot be written is counted again with the next uses. */
async function writeUses({ sql }: Pick<App, 'sql'>, uses: Map<string, Use>): Promise<void> {
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
