import { randomInt, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { featureOperations } from '@cairn/contract'
import { handlers as knowledgeHandlers } from './answer/entities/handlers.ts'
import { handlers as queryHandlers } from './answer/handlers.ts'
import { openModels } from './answer/models/open-models.ts'
import { createRowCache } from './answer/rows/row-cache.ts'
import { startVectorMaker } from './answer/vectors/vector-maker.ts'
import { createAtWork } from './base/at-work.ts'
import { type Clock, systemClock } from './base/clock.ts'
import { cursorsUnder } from './base/cursor.ts'
import { sha256 } from './base/digest.ts'
import { newId } from './base/id.ts'
import type { Log } from './base/log.ts'
import { openSafeFetch } from './base/safe-fetch.ts'
import type { Config } from './config/config.ts'
import { ConfigError } from './config/config-error.ts'
import { connectionsFor } from './config/descriptors.ts'
import type { Secrets } from './config/secrets.ts'
import { openDatabaseClock } from './db/database-clock.ts'
import { DatabaseUnfit } from './db/migrate.ts'
import type { Sql, SqlTarget } from './db/open.ts'
import { openFitSql } from './db/open-fit.ts'
import type { App, Handlers } from './http/context.ts'
import { type HttpServer, openHttp } from './http/server.ts'
import { startApplier } from './ingest/applier.ts'
import { closeCutJobs } from './ingest/close-cut-jobs.ts'
import { handlers as ingestHandlers } from './ingest/handlers.ts'
import { finishErasures } from './lifecycle/erasure/finish-erasures.ts'
import { startJanitor } from './lifecycle/erasure/janitor.ts'
import { sweepOrphans } from './lifecycle/erasure/sweep-orphans.ts'
import { handlers as lifecycleHandlers } from './lifecycle/handlers.ts'
import { openDeliveries } from './sources/deliveries/deliveries.ts'
import { handlers as deliveryHandlers } from './sources/deliveries/handlers.ts'
import { openSigningSecrets } from './sources/deliveries/signing-secret.ts'
import { handlers as importHandlers } from './sources/import/handlers.ts'
import { openSpools } from './sources/import/spools.ts'
import { openCredentials } from './sources/polling/open-credential.ts'
import { startPoller } from './sources/polling/poller.ts'
import { clearPollLeases } from './sources/polling/pull-run.ts'
import { takePulled } from './sources/polling/take-pulled.ts'
import { handlers as sourceHandlers } from './sources/registry/handlers.ts'
import { takeOverLeases } from './sources/take-over-leases.ts'
import { handlers as toolServerHandlers } from './sources/tool-servers/handlers.ts'
import { openTracker } from './sources/tool-servers/open-tracker.ts'
import { openBuckets } from './store/buckets/buckets.ts'
import { Knowledge } from './store/knowledge.ts'
import { probeStorage, StorageUnfit } from './store/lance/probe-storage.ts'
import { LanceStores } from './store/lance/stores.ts'
import { clearLeases } from './store/lease.ts'
import type { Planes } from './store/planes.ts'
import type { StorageRoot } from './store/port.ts'
import { spaceOf } from './store/vector-space.ts'
import { openAuthenticator } from './tenancy/accounts/authenticate.ts'
import { bootstrapAccount } from './tenancy/accounts/bootstrap.ts'
import { handlers as accountHandlers } from './tenancy/accounts/handlers.ts'
import { openTokenAccounts } from './tenancy/accounts/token-account.ts'
import { createHeldSeals } from './tenancy/caller-keys/held-seals.ts'
import { openDiskRoom } from './tenancy/limits/disk-room.ts'
import { handlers as usageHandlers } from './tenancy/limits/handlers.ts'
import { openRates } from './tenancy/limits/rates.ts'
import { handlers as projectHandlers } from './tenancy/projects/handlers.ts'
import { createFindTogether } from './tenancy/reach/find-together.ts'
import { Reach } from './tenancy/reach/reach.ts'
import { adoptMasterKey } from './tenancy/secrets/master-key.ts'
import { openSecretStore } from './tenancy/secrets/secret-store.ts'
import { openVault } from './tenancy/secrets/vault.ts'
import { openVaultStore } from './tenancy/secrets/vault-store.ts'
import { startVaultSweeper } from './tenancy/secrets/vault-sweeper.ts'
import { handlers as sharingHandlers } from './tenancy/sharing/handlers.ts'

export const VERSION = '0.1.0'

/** For how long a stopping process says so before it takes no more: with a server's database others may stand in. */
const DRAIN_MS = { pglite: 200, postgres: 5_000 } as const
/** How long it then waits for what it has begun. */
const GRACE_MS = 25_000
/** Of that, how long for object stores: a healthy one commits in a second, and a dead one holds a commit up for 45. */
const STORES_GRACE_MS = 10_000

/** The largest answer that a pull takes: a page of fifty long texts, decoded. */
const PULL_BYTES_MAX = 16 * 1024 * 1024
const PULL_MS_MAX = 30_000

/** Spreads what would otherwise happen at once. */
const chance = () => randomInt(CHANCES) / CHANCES
const CHANCES = 2 ** 32

/** What the program takes from around it; tests give a clock of their own and a database that is open already. */
export interface Surroundings {
  log: Log
  clock?: Clock
  sql?: Sql
}

/** The program, opened: one HTTP interface over one control plane and one knowledge plane. */
export interface Cairn {
  readonly http: HttpServer
  readonly app: App
  /** Starts serving and returns the address as a URL. */
  listen(): Promise<string>
  /** Makes the first account and returns its API key; undefined when there is an account already. */
  bootstrap(): Promise<string | undefined>
  /** Says that it is not ready while it still answers, so that whoever sends requests here stops. */
  drain(): Promise<void>
  /** Finishes what was begun and closes everything in reverse. */
  close(): Promise<void>
}

/** Opens everything in order; what was opened is closed again when a later part fails. */
export async function openCairn(config: Config, secrets: Secrets, surroundings: Surroundings): Promise<Cairn> {
  const closers: Closer[] = []
  try {
    return await open(config, secrets, surroundings, closers)
  } catch (error) {
    await closeAll(closers)
    throw error
  }
}

type Closer = () => void | Promise<void>

async function closeAll(closers: Closer[]): Promise<void> {
  for (const close of closers.splice(0).reverse()) await close()
}

async function open(
  config: Config,
  secrets: Secrets,
  { log, clock: givenClock, sql: given }: Surroundings,
  closers: Closer[],
): Promise<Cairn> {
  const sql =
    given ??
    (await openOrSay(config.databaseUrl ? { url: config.databaseUrl } : { folder: join(config.folder, 'sql') }))
  if (!given) closers.push(() => sql.close())
  const clock = givenClock ?? (await openClock(sql, closers))
  const { rewrapped, broken } = await adoptMasterKey({ sql, clock }, secrets.wrappingKeys)
  if (rewrapped > 0) log.info('keys sealed under the present master key', { count: rewrapped })
  if (broken > 0) log.error('keys of accounts do not open; their secrets are lost', { count: broken })
  const ownerId = randomUUID()
  // Nobody else uses an embedded database, so what a killed process left need not run out first.
  if (sql.kind === 'pglite') {
    await sql.transact({ worker: true }, clearLeases)
    await clearPollLeases({ sql })
    await closeCutJobs({ sql, clock })
  } else await takeOverLeases({ sql, log, ownerId }, config.folder)
  const root = { uri: config.storage.root, options: config.storage.options }
  if (root.uri.startsWith('s3:')) await assertFit(root, clock)
  const sealedStore = openSecretStore({ clock, keys: secrets.wrappingKeys })
  const vault = config.vault && openVault(config.vault, secrets.vaultToken ?? '')
  const secretStore = vault ? openVaultStore({ clock }, vault, sealedStore) : sealedStore
  const buckets = await openBuckets({ sql, secrets: secretStore }, config.allowLoopback)
  closers.push(() => buckets.close())
  const space = config.models.embedder ? spaceOf(config.models.embedder) : undefined
  const knowledge = new Knowledge(new LanceStores(root), buckets.rootOf, log, { space })
  closers.push(() => knowledge.close())
  const planes: Planes = {
    clock,
    log,
    sql,
    knowledge,
    buckets,
    room: openDiskRoom(config.folder, config.keptBackBytes),
    cursors: cursorsUnder(secrets.cursorKey),
    secrets: secretStore,
    seals: createHeldSeals(),
    questions: createAtWork(),
    limits: config.limits,
    publicUrl: config.publicUrl ?? `http://${config.host}:${config.port}`,
    ephemeralIdleHours: config.ephemeralIdleHours,
    ownerId,
  }
  // Nobody else is at work on an embedded database, so what a crash cut short is finished before anything begins.
  if (sql.kind === 'pglite') {
    await finishErasures(planes, 'platform', (_, work) => work(), 0)
    await sweepOrphans(planes)
  }
  if (vault) {
    const sweeper = startVaultSweeper(planes, vault)
    closers.push(() => sweeper.stop())
  }
  const applier = startApplier(planes)
  closers.push(() => applier.stop())
  const janitor = startJanitor(planes, applier)
  closers.push(() => janitor.stop())
  const network = openSafeFetch({ allowLoopback: config.allowLoopback, bytesMax: PULL_BYTES_MAX, totalMs: PULL_MS_MAX })
  closers.push(() => network.close())
  const tracker = openTracker(config)
  closers.push(() => tracker.close())
  const rates = openRates(planes)
  const openCredential = openCredentials(planes)
  const takeRecords = takePulled(planes, rates)
  const poller = startPoller(planes, {
    applier,
    fetch: network.fetch,
    openCredential,
    chance,
    takeRecords,
    toolServers: { rates, network, tracker },
  })
  closers.push(() => poller.stop())
  const authenticator = openAuthenticator(planes, {
    adminKeyHash: secrets.adminKey === null ? null : sha256(secrets.adminKey),
    tokens: secrets.jwt && openTokenAccounts(secrets.jwt, planes),
  })
  closers.push(() => authenticator.close())
  const deliveries = openDeliveries(planes, openSigningSecrets(planes))
  closers.push(() => deliveries.close())
  const rows = createRowCache()
  closers.push(() => rows.close())
  const models = await openModels(config.models, secrets.modelKeys, planes)
  if (models.embedder) {
    const maker = startVectorMaker(planes, { applier, embedder: models.embedder })
    closers.push(() => maker.stop())
  }
  const findTogether = createFindTogether()
  const doors = { authenticator, deliveries, spools: openSpools(config.spool) }
  const app = { ...planes, ...doors, applier, janitor, poller, rates, rows, models, network, tracker }
  const http = await openHttp({
    operations: featureOperations,
    handlers,
    app,
    authenticate: authenticator.authenticate,
    reachOf: (caller, sandboxId) => Reach.of(sql, caller, sandboxId, findTogether),
    isReady: () => sql.transact(null, async () => true),
    changed: deliveries.sources.forget,
    version: VERSION,
    trustProxy: config.trustProxy,
    connectionsMax: connectionsFor(config.connectionsMax),
  })
  closers.push(() => http.close(GRACE_MS))
  return {
    http,
    app,
    listen: async () => {
      const address = await http.listen(config.host, config.port)
      app.publicUrl = config.publicUrl ?? address
      return address
    },
    bootstrap: () => bootstrapAccount(app, secrets.bootstrapApiKey),
    drain: () => http.drain(DRAIN_MS[sql.kind]),
    close: async () => {
      const timer = setTimeout(() => knowledge.giveUp(), STORES_GRACE_MS)
      await closeAll(closers).finally(() => clearTimeout(timer))
    },
  }
}

/** An embedded database has this machine's time; one that processes share has its own, by which all of them go. */
async function openClock(sql: Sql, closers: Closer[]): Promise<Clock> {
  if (sql.kind === 'pglite') return systemClock
  const clock = await openDatabaseClock(sql)
  closers.push(() => clock.stop())
  return clock
}

/** Throws ConfigError, which says why, for a database that cannot be used. */
async function openOrSay(target: SqlTarget): Promise<Sql> {
  try {
    return await openFitSql(target)
  } catch (cause) {
    if (!(cause instanceof DatabaseUnfit)) throw cause
    throw new ConfigError(cause.message, { cause })
  }
}

/** Throws ConfigError for an object store on which a stale writer could replace what is committed. */
async function assertFit(root: StorageRoot, clock: Clock): Promise<void> {
  try {
    await probeStorage(root, newId('sandbox', clock))
  } catch (cause) {
    if (!(cause instanceof StorageUnfit)) throw cause
    throw new ConfigError('STORAGE_URL names a store without conditional writes; commits could be lost there.', {
      cause,
    })
  }
}

const handlers: Handlers<typeof featureOperations> = {
  ...accountHandlers,
  ...sourceHandlers,
  ...projectHandlers,
  ...ingestHandlers,
  ...importHandlers,
  ...deliveryHandlers,
  ...knowledgeHandlers,
  ...queryHandlers,
  ...usageHandlers,
  ...sharingHandlers,
  ...lifecycleHandlers,
  ...toolServerHandlers,
}
