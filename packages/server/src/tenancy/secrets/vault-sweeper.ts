import type { ExpressionBuilder } from 'kysely'
import type { Tx } from '../../db/open.ts'
import type { Row, Tables } from '../../db/tables.ts'
import type { Planes } from '../planes.ts'
import type { Vault } from './vault.ts'
import { REMOVED, vaultPath } from './vault-store.ts'

/** A transaction that has written to the vault is over by then, so whatever no row names never will be. */
const UNSETTLED_MS = 30_000
const ROUND_MS = 15_000
/** Rows that one round settles. */
const ROWS_MAX = 500

/** Removes from the vault what no row names: what was replaced or removed, and what a transaction left behind. */
interface VaultSweeper {
  stop(): Promise<void>
}

/** Starts sweeping. */
export function startVaultSweeper(planes: Pick<Planes, 'sql' | 'clock' | 'log'>, vault: Vault): VaultSweeper {
  let sweeping: Promise<void> = Promise.resolve()
  let isOver = true
  const timer = setInterval(() => {
    if (!isOver) return
    isOver = false
    sweeping = sweepVault(planes, vault)
      .catch((error: unknown) => planes.log.warn('vault not swept', { error }))
      .finally(() => {
        isOver = true
      })
  }, ROUND_MS).unref()
  return {
    stop: async () => {
      clearInterval(timer)
      await sweeping
    },
  }
}

/** One round. */
export async function sweepVault({ sql, clock }: Pick<Planes, 'sql' | 'clock'>, vault: Vault): Promise<void> {
  const before = new Date(clock.now().getTime() - UNSETTLED_MS)
  const rows = await sql.transact({ worker: true }, (tx) =>
    tx
      .selectFrom('sealed_secret')
      .select(['user_id', 'sandbox_id', 'ref', 'vault_version', 'vault_settled', 'sealed_at'])
      .where('vault_version', 'is not', null)
      .execute(),
  )
  const unsettled = rows.filter((row) => !row.vault_settled && row.sealed_at < before).slice(0, ROWS_MAX)
  for (const row of unsettled) {
    const path = vaultPath(row.ref)
    const all = await vault.versions(path)
    const old = all.filter((one) => one.version !== row.vault_version && one.writtenAt < before)
    // By their numbers, since another may be written at this moment.
    await vault.destroyVersions(
      path,
      old.map((one) => one.version),
    )
    await sql.transact(row.user_id, (tx) => settle(tx, row))
  }
  await removeOrphans(vault, new Set(rows.map(({ ref }) => sourceOf(vaultPath(ref)))), before)
}

function sourceOf(path: string): string {
  return path.split('/').slice(0, 2).join('/')
}

type Unsettled = Pick<Row<'sealed_secret'>, 'user_id' | 'sandbox_id' | 'ref' | 'vault_version'>

/** Notes that the vault has nothing else under the reference, unless it has been changed meanwhile. */
async function settle(tx: Tx, row: Unsettled): Promise<void> {
  const { user_id: userId, sandbox_id: sandboxId, ref, vault_version: version } = row
  const isSame = (is: ExpressionBuilder<Tables, 'sealed_secret'>) =>
    is.and({ user_id: userId, sandbox_id: sandboxId, ref, vault_version: version })
  if (version === REMOVED) await tx.deleteFrom('sealed_secret').where(isSame).execute()
  else await tx.updateTable('sealed_secret').set({ vault_settled: true }).where(isSame).execute()
}

/** Removes what is kept for sources that have no secret in any row. */
async function removeOrphans(vault: Vault, known: ReadonlySet<string>, before: Date): Promise<void> {
  for (const provider of await vault.list('')) {
    for (const name of await vault.list(provider)) {
      const source = `${provider}${name}`.replace(/\/$/, '')
      if (known.has(source)) continue
      for (const purpose of await vault.list(`${source}/`)) {
        const path = `${source}/${purpose}`
        const isFresh = (await vault.versions(path)).some(({ writtenAt }) => writtenAt >= before)
        if (!isFresh) await vault.remove(path)
      }
    }
  }
}
