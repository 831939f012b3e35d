import type { Clock } from '../../base/clock.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import { findSecretRow, putSecretRow } from './secret-row.ts'
import type { SecretStore } from './secret-store.ts'
import type { Vault } from './vault.ts'

/** The version of a secret that was removed. */
export const REMOVED = 0

const NOTHING_SEALED = Buffer.alloc(0)

/** The path of a reference in the vault, with each part encoded. */
export function vaultPath(ref: string): string {
  const part = (text: string) => text.replace(/[^\w-]/gu, (sign) => `_${sign.codePointAt(0)?.toString(16)}`)
  return ref.split('/').map(part).join('/')
}

/**
 * The secret store with its values in a vault. The row names the one version that counts, so a transaction that is
 * rolled back has changed nothing, whatever the vault has taken; the sweeper removes what no row names. What was sealed
 * before there was a vault is read from where it is.
 */
export function openVaultStore({ clock }: { clock: Clock }, vault: Vault, sealed: SecretStore): SecretStore {
  return {
    put: async (tx, place, ref, value) => {
      const version = await vault.write(vaultPath(ref), value)
      const kept = { sealed: NOTHING_SEALED, sealed_at: clock.now(), vault_version: version, vault_settled: false }
      await putSecretRow(tx, place, ref, kept)
    },
    find: async (tx, place, ref) => {
      const row = await findSecretRow(tx, place, ref)
      if (!row || row.vault_version === REMOVED) return undefined
      if (row.vault_version === null) return sealed.find(tx, place, ref)
      return vault.find(vaultPath(ref), row.vault_version)
    },
    destroy: async (tx, place, ref) => {
      const { numUpdatedRows } = await tx
        .updateTable('sealed_secret')
        .set({ vault_version: REMOVED, vault_settled: false, sealed_at: clock.now() })
        .where(ofSandbox(place))
        .where('ref', '=', ref)
        .where('vault_version', '>', REMOVED)
        .executeTakeFirst()
      return numUpdatedRows > 0n || sealed.destroy(tx, place, ref)
    },
  }
}
