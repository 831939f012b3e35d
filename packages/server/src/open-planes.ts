import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, systemClock } from './base/clock.ts'
import { createCursors } from './base/cursor.ts'
import { openDiskSpaceGuard } from './base/disk-space-guard.ts'
import { newId } from './base/id.ts'
import type { Log } from './base/log.ts'
import { type Observe, unobserved } from './base/observe.ts'
import { type Role, takesWork } from './base/role.ts'
import { createActivityGauge } from './base/yield-point.ts'
import type { Config } from './config/config.ts'
import { ConfigError } from './config/config-error.ts'
import type { Secrets } from './config/secrets.ts'
import { openDatabaseClock } from './db/database-clock.ts'
import { DatabaseUnfit } from './db/migrate.ts'
import { openNotifications } from './db/notifications.ts'
import { observedSql, type Sql, type SqlTarget } from './db/open.ts'
import { openUsableSql } from './db/open-usable-sql.ts'
import { openWorkPoller } from './db/work-poller.ts'
import { closeInterruptedJobs } from './ingest/delivery-jobs.ts'
import { sweepOrphans } from './lifecycle/erasure/erase-sandbox.ts'
import { finishErasures } from './lifecycle/erasure/finish-erasures.ts'
import { clearUploadLeases } from './sources/import/stored/upload-rows.ts'
import { clearPollLeases } from './sources/polling/pull-run.ts'
import { releaseLeases, takeOverLeases } from './sources/take-over-leases.ts'
import { adoptStorage } from './store/adopt-storage.ts'
import { openBuckets } from './store/buckets/buckets.ts'
import { openCluster, singleNodeCluster } from './store/cluster/cluster.ts'
import type { DiskCache } from './store/disk-cache.ts'
import { startDiskCache } from './store/disk-cache.ts'
import { Knowledge } from './store/knowledge.ts'
import { probeStorage, StorageUnfit } from './store/lance/probe-storage.ts'
import type { RoleAccess } from './store/lance/role-access.ts'
import { idOfStorage, storageIdLocation } from './store/lance/storage-id.ts'
import { LanceStores } from './store/lance/stores.ts'
import { clearLeases } from './store/lease.ts'
import { observedStores } from './store/observed-stores.ts'
import type { Planes } from './store/planes.ts'
import type { StorageRoot } from './store/port.ts'
import { RankThreads } from './store/ranking/rank-threads.ts'
import type { OpenedEncoder } from './store/vector-space.ts'
import { spaceOf } from './store/vector-space.ts'
import { createHeldKeys } from './tenancy/caller-keys/retained-keys.ts'
import { adoptMasterKey } from './tenancy/secrets/master-key.ts'
import { openSecretStore } from './tenancy/secrets/secret-store.ts'
import { openVault, openVaultStore, startVaultSweeper } from './tenancy/secrets/vault.ts'

/** Dependencies from outside. Tests pass their own clock and an open database. */
export interface OpenOptions {
  log: Log
  observe?: Observe
  /** Unique id of this process on its database. Defaults to a new one. */
  ownerId?: string
  clock?: Clock
  sql?: Sql
  /** Called with a message for people before each slow step. */
  onStep?: (doing: string) => void
  /** True to only do what is requested: no cleanup after killed processes, and no cluster node. */
  isForRepair?: boolean
  /** The encoder, which is being opened. */
  encoder?: Promise<OpenedEncoder | undefined>
}

/** Closes one part of the program. */
export type Closer = () => void | Promise<void>

/**
 * Opens the control plane and the data plane, adds their closers, and finishes what a killed process left undone.
 * Throws ConfigError with the reason if the database or object store cannot be used.
 */
export async function openPlanes(
  config: Config,
  secrets: Secrets,
  { log, observe = unobserved, ownerId = randomUUID(), ...given }: OpenOptions,
  closers: Closer[],
): Promise<Planes> {
  const { onStep = () => undefined, encoder, isForRepair = false } = given
  const { databaseUrl: url, directUrl, databaseConnections: connectionsMax } = config
  const target = url ? { url, directUrl, connectionsMax } : { folder: join(config.folder, 'sql') }
  onStep(describeOpening(target))
  const sql = observedSql(given.sql ?? (await openDatabase(target)), observe)
  if (!given.sql) closers.push(() => sql.close())
  const clock = given.clock ?? (await openClock(sql, closers))
  const access = await openAccess(config, log, closers)
  const { root } = access
  if (root.uri.startsWith('s3:')) await assertUsableStorage(root, clock)
  if (sql.kind === 'postgres') {
    await adoptStorage(
      { sql, clock },
      { uri: root.uri, id: await idOfStorage(root), idLocation: storageIdLocation(root) },
    )
  }
  const { rewrapped, broken } = await adoptMasterKey({ sql, clock }, secrets.wrappingKeys)
  if (rewrapped > 0) log.info('data keys re-encrypted with the current master key', { count: rewrapped })
  if (broken > 0) log.error('data keys of accounts cannot be decrypted; their secrets are lost', { count: broken })
  // No other process uses an embedded database, so the leases of a killed process can be released at once.
  if (sql.kind === 'pglite') {
    await sql.transact({ worker: true }, clearLeases)
    await clearPollLeases({ sql })
    await clearUploadLeases({ sql })
    await closeInterruptedJobs({ sql, clock })
  } else await takeOverLeases({ clock, sql, log, ownerId }, config.folder)
  const sealedStore = openSecretStore({ clock, keys: secrets.wrappingKeys })
  const vault = config.vault && openVault(config.vault, secrets.vaultToken ?? '')
  const secretStore = vault ? openVaultStore({ clock }, vault, sealedStore) : sealedStore
  onStep('Opening the record store')
  const buckets = await openBuckets({ sql, secrets: secretStore }, config.allowLoopback)
  closers.push(() => buckets.close())
  const parts = config.models.embedder ?? (await encoder)?.parts
  const space = parts && spaceOf(parts)
  const cache = isForRepair ? undefined : openCache({ sql, log }, config, closers)
  const lance = new LanceStores(root, { cache, cacheBytesMax: config.storeCacheBytes })
  access.onChange(lance.reconnect.bind(lance))
  const stores = observedStores(lance, observe)
  const threads = config.rankThreads > 0 ? new RankThreads(config.rankThreads, log) : undefined
  if (threads) closers.push(() => threads.close())
  const bounds = { graphBytesMax: config.graphBytes, recordBytesMax: config.recordCacheBytes }
  const { snapshotKey } = secrets
  const knowledge = new Knowledge(stores, buckets.rootOf, log, { space, threads, snapshotKey, ...bounds, observe })
  closers.push(() => knowledge.close())
  const isAlone = isForRepair || sql.kind === 'pglite'
  const shared = await openShared({ sql, log, observe, ownerId, isAlone }, config.role, closers)
  const planes: Planes = {
    clock,
    log,
    observe,
    sql,
    knowledge,
    cache,
    buckets,
    ...shared,
    diskSpace: openDiskSpaceGuard(config.folder, config.reservedBytes),
    cursors: createCursors(secrets.cursorKey),
    secrets: secretStore,
    seals: createHeldKeys(),
    questions: createActivityGauge(),
    ...settingsOf(config),
    publicUrl: config.publicUrl ?? `http://${config.host}:${config.port}`,
    ownerId,
  }
  // No other process uses an embedded database, so interrupted erasures are completed before anything else starts.
  if (sql.kind === 'pglite' && !isForRepair) {
    await finishErasures(planes, 'platform', (_, work) => work(), 0)
    await sweepOrphans(planes)
  }
  if (vault && !isForRepair && takesWork(config.role)) {
    const sweeper = startVaultSweeper(planes, vault)
    closers.push(() => sweeper.stop())
  }
  return planes
}

/** Returns the settings for both requests and background work. */
function settingsOf(config: Config) {
  const { textExtraction, commitsAtOnce, compaction, leaseSeconds, limits } = config
  const { ephemeralIdleHours, jobRetentionDays, answerDays, auditRetentionMonths, restorableDays, modelDailyTokens } =
    config
  const work = { textExtraction, commitsAtOnce, compaction, leaseSeconds, limits }
  const retention = { ephemeralIdleHours, jobRetentionDays, answerDays, auditRetentionMonths, restorableDays }
  return { ...work, ...retention, modelDailyTokens, originalBytesMax: config.originalBytesMax }
}

function openCache(planes: Pick<Planes, 'sql' | 'log'>, config: Config, closers: Closer[]): DiskCache | undefined {
  if (config.cache === null) return undefined
  const running = startDiskCache(planes, config.cache)
  closers.push(() => running.stop())
  return running.cache
}

/** Opens what this process shares with others on its database: notifications, cluster and work poller. */
async function openShared(
  { isAlone, ...planes }: Pick<Planes, 'sql' | 'log' | 'observe' | 'ownerId'> & { isAlone: boolean },
  role: Role,
  closers: Closer[],
) {
  const { sql, log, ownerId } = planes
  const notifications = openNotifications(sql, ownerId, log)
  closers.push(() => notifications.stop())
  const releaseLeasesOf = (gone: string) => releaseLeases({ sql }, gone)
  const cluster = isAlone ? singleNodeCluster() : await openCluster({ ...planes, role, notifications, releaseLeasesOf })
  closers.push(() => cluster.stop())
  const workPoller = openWorkPoller(sql, log)
  closers.push(() => workPoller.stop())
  return { notifications, cluster, workPoller }
}

/** Opens the clock: this machine's time for an embedded database, else the database's. */
async function openClock(sql: Sql, closers: Closer[]): Promise<Clock> {
  if (sql.kind === 'pglite') return systemClock
  const clock = await openDatabaseClock(sql)
  closers.push(() => clock.stop())
  return clock
}

function describeOpening(target: SqlTarget): string {
  if ('url' in target) return 'Opening the database at DATABASE_URL'
  return existsSync(target.folder) ? 'Opening the database' : 'Creating the database (takes some seconds)'
}

/** Opens the database. Throws ConfigError with the reason if it cannot be used. */
async function openDatabase(target: SqlTarget): Promise<Sql> {
  try {
    return await openUsableSql(target)
  } catch (cause) {
    if (!(cause instanceof DatabaseUnfit)) throw cause
    throw new ConfigError(cause.message, { cause })
  }
}

/** Throws ConfigError for an object store on which a stale writer could overwrite committed data. */
async function assertUsableStorage(root: StorageRoot, clock: Clock): Promise<void> {
  try {
    await probeStorage(root, newId('sandbox', clock))
  } catch (cause) {
    if (!(cause instanceof StorageUnfit)) throw cause
    throw new ConfigError(
      'The object store at STORAGE_URL does not support conditional writes. Commits could be lost there.',
      {
        cause,
      },
    )
  }
}

/** Opens the access to the storage: configured credentials, or those of the process's role, which are renewed. */
async function openAccess(
  { storage: { root: uri, options, role } }: Config,
  log: Log,
  closers: Closer[],
): Promise<Pick<RoleAccess, 'root' | 'onChange'>> {
  if (role === null) return { root: { uri, options }, onChange: () => undefined }
  // Loaded only when needed, since it is large.
  const { openRoleAccess } = await import('./store/lance/role-access.ts')
  try {
    const access = await openRoleAccess({ uri, options }, role, { log, nowMs: () => systemClock.now().getTime() })
    closers.push(access.stop)
    return access
  } catch (cause) {
    throw new ConfigError(NO_CREDENTIALS, { cause })
  }
}

const NO_CREDENTIALS =
  'STORAGE_URL needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or an AWS role of this process: ' +
  'AWS_WEB_IDENTITY_TOKEN_FILE, the container and the machine provided no credentials.'
