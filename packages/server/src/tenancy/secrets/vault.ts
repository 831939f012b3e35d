import { setTimeout as sleep } from 'node:timers/promises'
import type { ExpressionBuilder } from 'kysely'
import type { Clock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import type { Log } from '../../base/log.ts'
import { repeatedly } from '../../base/one-at-a-time.ts'
import { timeoutSignal } from '../../base/timeout-signal.ts'
import type { VaultConfig } from '../../config/vault.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Sql, Tx } from '../../db/open.ts'
import type { Row, Tables } from '../../db/tables.ts'
import { findSecretRow, putSecretRow, type SecretStore } from './secret-store.ts'

/** Client of a key-value engine, version 2, of Vault or OpenBao. Each call throws `unavailable` on failure. */
type Vault = ReturnType<typeof openVault>

/** Maximum total milliseconds for one operation, including retries. */
const TOTAL_MS_MAX = 4_500
/** Delays before retries, in milliseconds. A replica may lag behind a recent write. */
const RETRY_MS = [50, 200, 600] as const
const ANSWER_CHARS_MAX = 256 * 1024
const ABSENT = 404

interface VaultAnswer {
  status: number
  body: { data?: Record<string, unknown> } | undefined
}

type VaultRequest = (method: string, path: string, body?: object) => Promise<VaultAnswer>

/** Opens the client. It follows no redirects, so that its token is not sent to another server. */
export function openVault({ address, mount, prefix, namespace }: VaultConfig, token: string) {
  const headers = {
    'x-vault-token': token,
    'x-vault-request': 'true',
    'content-type': 'application/json',
    ...(namespace !== null && { 'x-vault-namespace': namespace }),
  }
  const openRequest = (signal = timeoutSignal(TOTAL_MS_MAX)): VaultRequest => {
    return async (method, path, body) => {
      try {
        const init = {
          method,
          headers,
          signal,
          redirect: 'error' as const,
          ...(body && { body: JSON.stringify(body) }),
        }
        const reply = await fetch(`${address}/v1/${mount}/${path}`, init)
        const text = await reply.text()
        if (text.length > ANSWER_CHARS_MAX) throw new Error('The vault’s response is too large.')
        if (!reply.ok && reply.status !== ABSENT) throw new Error(`The vault responded ${reply.status}.`)
        return { status: reply.status, body: text === '' ? undefined : JSON.parse(text) }
      } catch (cause) {
        throw new Fault('unavailable', { note: 'the secret store is unavailable', cause })
      }
    }
  }
  const read = async (request: VaultRequest, path: string, version: number): Promise<string | undefined> => {
    const { status, body } = await request('GET', `data/${prefix}/${path}?version=${version}`)
    const value = status === ABSENT ? undefined : (body?.data?.data as { value?: unknown } | null)?.value
    return typeof value === 'string' ? value : undefined
  }
  const readWithRetry = async (request: VaultRequest, path: string, version: number): Promise<string | undefined> => {
    for (const waitMs of RETRY_MS) {
      const value = await read(request, path, version)
      if (value !== undefined) return value
      await sleep(waitMs)
    }
    return read(request, path, version)
  }
  return {
    /** Writes a new version of the value at the path, verifies it by reading it back, and returns its number. */
    write: async (path: string, value: string) => {
      const request = openRequest()
      const { body } = await request('POST', `data/${prefix}/${path}`, { data: { value } })
      const version = body?.data?.version
      if (typeof version !== 'number') throw new Fault('unavailable', { note: 'the secret store returned no version' })
      const stored = await readWithRetry(request, path, version)
      if (stored !== value) throw new Fault('unavailable', { note: 'the secret store lost a value that it accepted' })
      return version
    },
    /** Returns the value of a version; undefined if there is none. */
    find: (path: string, version: number) => readWithRetry(openRequest(), path, version),
    /** Lists the names directly under a path. A name that ends in a slash is a folder. */
    list: async (path: string) => {
      const { body } = await openRequest()('GET', `metadata/${prefix}/${path}?list=true`)
      const names = body?.data?.keys
      return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []
    },
    /** Lists the versions that are not destroyed, with the time of writing. */
    versions: async (path: string) => {
      const { body } = await openRequest()('GET', `metadata/${prefix}/${path}`)
      const all = (body?.data?.versions ?? {}) as Record<string, { created_time: string; destroyed: boolean }>
      return Object.entries(all)
        .filter(([, { destroyed }]) => !destroyed)
        .map(([version, { created_time: at }]) => ({ version: Number(version), writtenAt: new Date(at) }))
    },
    /** Destroys these versions permanently. */
    destroyVersions: async (path: string, versions: readonly number[]) => {
      if (versions.length > 0) await openRequest()('PUT', `destroy/${prefix}/${path}`, { versions })
    },
    /** Removes the path with all versions. */
    remove: async (path: string) => {
      await openRequest()('DELETE', `metadata/${prefix}/${path}`)
    },
  }
}

/** Version number that marks a removed secret. */
const REMOVED = 0

const NO_CIPHERTEXT = Buffer.alloc(0)

/** Returns the vault path of a reference, with each part encoded. */
function vaultPath(ref: string): string {
  const part = (text: string) => text.replace(/[^\w-]/gu, (sign) => `_${sign.codePointAt(0)?.toString(16)}`)
  return ref.split('/').map(part).join('/')
}

/**
 * Opens a secret store with its values in a vault. The row names the valid version, so a rolled-back transaction has no
 * effect. The sweeper removes versions without a row. Values stored before the vault was configured are read from
 * `sealed`.
 */
export function openVaultStore({ clock }: { clock: Clock }, vault: Vault, sealed: SecretStore): SecretStore {
  return {
    put: async (tx, place, ref, value) => {
      const version = await vault.write(vaultPath(ref), value)
      const row = { sealed: NO_CIPHERTEXT, sealed_at: clock.now(), vault_version: version, vault_settled: false }
      await putSecretRow(tx, place, ref, row)
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
        .where(ofSandbox(place, { ref }))
        .where('vault_version', '>', REMOVED)
        .executeTakeFirst()
      if (numUpdatedRows > 0n) return true
      // A row that is marked as removed stays until its version is removed from the vault.
      const row = await findSecretRow(tx, place, ref)
      return row?.vault_version === null && sealed.destroy(tx, place, ref)
    },
  }
}

/** Minimum age in milliseconds of a version to remove. Every transaction that could reference it has ended by then. */
const UNSETTLED_MS = 30_000
const SWEEP_INTERVAL_MS = 15_000
/** Maximum number of rows settled in one run. */
const ROWS_MAX = 500

interface SweptPlanes {
  readonly sql: Sql
  readonly clock: Clock
}

/**
 * Starts the periodic removal of unreferenced versions from the vault: replaced or removed values, and those of
 * rolled-back transactions.
 */
export function startVaultSweeper(planes: SweptPlanes & { readonly log: Log }, vault: Vault) {
  const failed = (error: unknown) => planes.log.warn('vault sweep failed', { error })
  return repeatedly(SWEEP_INTERVAL_MS, () => sweepVault(planes, vault), failed)
}

export async function sweepVault({ sql, clock }: SweptPlanes, vault: Vault): Promise<void> {
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
    // Only the listed versions are destroyed, because another may be written at the same time.
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

/** Marks a row as settled after its old versions were destroyed, unless it has changed in the meantime. */
async function settle(tx: Tx, row: Unsettled): Promise<void> {
  const { user_id: userId, sandbox_id: sandboxId, ref, vault_version: version } = row
  const isSame = (is: ExpressionBuilder<Tables, 'sealed_secret'>) =>
    is.and({ user_id: userId, sandbox_id: sandboxId, ref, vault_version: version })
  if (version === REMOVED) await tx.deleteFrom('sealed_secret').where(isSame).execute()
  else await tx.updateTable('sealed_secret').set({ vault_settled: true }).where(isSame).execute()
}

/** Removes the vault entries of sources without a secret row. */
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
