import { sql as sqlText } from 'kysely'
import type { Planes } from '../planes.ts'

/** Counts how often keys are used, in memory first, so that a request costs no write. */
interface KeyUses {
  /** Counts a use of a key, which is a row of this account. */
  count(keyId: string, holderId: string, at: Date): void
  /** Writes the counts that are not written yet. */
  close(): Promise<void>
}

interface Use {
  holderId: string
  count: number
  lastUsedAt: Date
}

/** Counts are written this often. */
const FLUSH_INTERVAL_MS = 5_000

/** Starts counting. */
export function openKeyUses(planes: Pick<Planes, 'sql' | 'log'>): KeyUses {
  const uses = new Map<string, Use>()
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
    count: (keyId, holderId, lastUsedAt) => {
      uses.set(keyId, { holderId, count: (uses.get(keyId)?.count ?? 0) + 1, lastUsedAt })
    },
    close: async () => {
      clearInterval(timer)
      await flush()
    },
  }
}

/** Writes counts account by account; what cannot be written is counted again with the next uses. */
async function writeUses({ sql }: Pick<Planes, 'sql'>, uses: Map<string, Use>): Promise<void> {
  for (const [id, { holderId, count, lastUsedAt }] of [...uses]) {
    await sql.transact(holderId, (tx) =>
      tx
        .updateTable('api_key')
        .set({
          use_count: sqlText<number>`use_count + ${count}`,
          last_used_at: sqlText<Date>`greatest(last_used_at, ${lastUsedAt})`,
        })
        .where('user_id', '=', holderId)
        .where('id', '=', id)
        .execute(),
    )
    const left = (uses.get(id)?.count ?? 0) - count
    if (left > 0) uses.set(id, { ...uses.get(id)!, count: left })
    else uses.delete(id)
  }
}
