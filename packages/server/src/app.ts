import { randomInt, randomUUID } from 'node:crypto'
import { featureOperations } from '@cairnstore/contract'
import { handlers as knowledgeHandlers } from './answer/entities/handlers.ts'
import { startEvaluator } from './answer/evaluation/evaluator.ts'
import { handlers as evaluationHandlers } from './answer/evaluation/handlers.ts'
import { handlers as queryHandlers } from './answer/handlers.ts'
import { openModels } from './answer/models/open-models.ts'
import { createRowCache } from './answer/rows/row-cache.ts'
import { handlers as answerHandlers } from './answer/stored/handlers.ts'
import { startVectorMaker } from './answer/vectors/vector-maker.ts'
import { startDeliverer } from './answer/webhooks/deliverer.ts'
import { handlers as webhookHandlers } from './answer/webhooks/handlers.ts'
import { sha256 } from './base/digest.ts'
import { observedNetwork, openSafeFetch, type SafeFetch } from './base/safe-fetch.ts'
import type { Config } from './config/config.ts'
import { connectionsFor } from './config/descriptors.ts'
import { memoryMax } from './config/memory.ts'
import type { Secrets } from './config/secrets.ts'
import { openDocumentReaders, readingLimits } from './documents/processes/open-document-readers.ts'
import type { HttpApp, HttpHandlers } from './http/context.ts'
import { openForwarding, openHeaderVerifier } from './http/forwarding.ts'
import { READING } from './http/input.ts'
import { openMetrics } from './http/metrics.ts'
import { type HttpServer, openHttp, TIMEOUTS } from './http/server.ts'
import { UPLOAD_WINDOW_MS } from './http/upload-pace.ts'
import { startApplier } from './ingest/applier.ts'
import { handlers as ingestHandlers } from './ingest/handlers.ts'
import { startBackfiller } from './lifecycle/backfill/backfiller.ts'
import { startJanitor } from './lifecycle/erasure/janitor.ts'
import { handlers as lifecycleHandlers } from './lifecycle/handlers.ts'
import { handlers as mcpHandlers } from './mcp/handlers.ts'
import { type Closer, type OpenOptions, openPlanes } from './open-planes.ts'
import { type FindProfile, profileFor } from './sources/connectors/mcp/profile-for.ts'
import { openDeliveries, openSigningSecrets } from './sources/deliveries/ingress/deliveries.ts'
import { handlers as sourceHandlers } from './sources/handlers.ts'
import { type ResumerApp, startImportResumer } from './sources/import/import-resumer.ts'
import { openSpools } from './sources/import/uploads/spools.ts'
import { startFlowSweeper } from './sources/oauth/flow-sweeper.ts'
import { openOAuth } from './sources/oauth/oauth.ts'
import { startPoller } from './sources/polling/poller.ts'
import { openCredentials } from './sources/polling/run-pull.ts'
import { openPullQuota } from './sources/polling/store-page.ts'
import { openTracker } from './sources/tool-servers/tool-port.ts'
import type { Cluster } from './store/cluster/cluster.ts'
import type { Planes } from './store/planes.ts'
import { openLocalEncoder } from './store/vector-space.ts'
import { AccessScope, createBatchedFind } from './tenancy/access/access-scope.ts'
import { openAuthenticator } from './tenancy/accounts/authenticate.ts'
import { linkOfFirst } from './tenancy/accounts/console-sign-in.ts'
import { handlers as accountHandlers } from './tenancy/accounts/handlers.ts'
import { bootstrapAccount } from './tenancy/accounts/store.ts'
import { openTokenAccounts } from './tenancy/accounts/token-account.ts'
import { handlers as usageHandlers } from './tenancy/limits/handlers.ts'
import { openRates } from './tenancy/limits/rates.ts'
import { handlers as memberHandlers } from './tenancy/members/handlers.ts'
import { openOidc } from './tenancy/oidc/oidc.ts'
import { handlers as projectHandlers } from './tenancy/projects/handlers.ts'
import { handlers as sharingHandlers } from './tenancy/sharing/handlers.ts'
import { handlers as sessionHandlers } from './tenancy/sign-in/handlers.ts'

export const VERSION = '0.1.0'

/** Milliseconds for which a stopping process reports that it is not ready, so that others take over. */
const DRAIN_MS = { pglite: 200, postgres: 5_000 } as const
/** Milliseconds to wait for running requests afterwards. */
const GRACE_MS = 25_000
/** Milliseconds of it for object stores. A healthy store commits within a second. */
const STORES_GRACE_MS = 10_000

/** Maximum response of a pull: a page of fifty long texts, decoded. */
const PULL_BYTES_MAX = 16 * 1024 * 1024
const PULL_MS_MAX = 30_000

/** Random number from 0 to 1, for jitter. */
const chance = () => randomInt(CHANCES) / CHANCES
const CHANCES = 2 ** 32

/** The running program: an HTTP interface over the control plane and the data plane. */
export interface Cairn {
  readonly http: HttpServer
  readonly app: HttpApp
  /** Starts serving and returns the address as a URL. */
  listen(): Promise<string>
  /** Creates the first account and returns its API key. Undefined if an account exists already. */
  bootstrap(): Promise<string | undefined>
  /** Returns a one-time sign-in link of the console for the first account. Undefined without console or account. */
  consoleLink(): Promise<string | undefined>
  /** Reports that it is not ready while it still answers, so that load balancers stop sending requests. */
  drain(): Promise<void>
  /** Finishes running work and closes everything in reverse order. */
  close(): Promise<void>
}

/** Surroundings of the program. */
export interface CairnOptions extends OpenOptions {
  /** Returns the profile of a public MCP server. Default: the profiles of this version. */
  findProfile?: FindProfile
}

/** Opens all parts in order. If one fails, closes the others again. */
export async function openCairn(config: Config, secrets: Secrets, surroundings: CairnOptions): Promise<Cairn> {
  const closers: Closer[] = []
  try {
    return await open(config, secrets, surroundings, closers)
  } catch (error) {
    await closeAll(closers)
    throw error
  }
}

async function closeAll(closers: Closer[]): Promise<void> {
  for (const close of closers.splice(0).reverse()) await close()
}

async function open(config: Config, secrets: Secrets, surroundings: CairnOptions, closers: Closer[]): Promise<Cairn> {
  const opening = beginReading(config, surroundings, closers)
  const { measured, around } = await openMeasured(config, surroundings, closers)
  const planes = await openPlanes(config, secrets, { ...around, encoder: opening }, closers)
  const { sql } = planes
  const applier = startApplier(planes)
  closers.push(() => applier.stop())
  const janitor = startJanitor(planes, applier)
  closers.push(() => janitor.stop(), startBackfiller(planes, applier).stop)
  const network = openSafeFetch({ allowLoopback: config.allowLoopback, bytesMax: PULL_BYTES_MAX, totalMs: PULL_MS_MAX })
  closers.push(() => network.close())
  const asking = observedNetwork(network, planes.observe)
  const tracker = openTracker(config)
  closers.push(() => tracker.close())
  const rates = openRates(planes)
  const openCredential = openCredentials(planes)
  const findProfile = surroundings.findProfile ?? profileFor
  const oauth = openOAuthClient(planes, asking, { config, secrets }, closers)
  const deliverer = startDeliverer(planes, { network, chance })
  closers.push(() => deliverer.stop())
  const authenticator = openAuthenticator(planes, {
    adminKeyHash: hashOf(secrets.adminKey),
    tokens: secrets.jwt && openTokenAccounts(secrets.jwt, planes),
  })
  closers.push(() => authenticator.close())
  const deliveries = openDeliveries(planes, openSigningSecrets(planes))
  closers.push(() => deliveries.close())
  const answering = await openAnswering(planes, { config, secrets, opening, applier, rates }, closers)
  const { recognisers = {} } = answering.models
  const findTogether = createBatchedFind()
  const uploads = openUploads({ ...planes, applier, rates, recognisers }, config, closers)
  const poller = startPoller(planes, {
    applier,
    fetch: asking.fetch,
    openCredential,
    chance,
    takeRecords: openPullQuota(planes, rates),
    documents: uploads.documents,
    toolServers: { rates, network: asking, tracker, oauth, findProfile },
  })
  closers.push(() => poller.stop())
  const oidc = secrets.oidc && openOidc(secrets.oidc, planes, network)
  const doors = { authenticator, deliveries, oidc, recognisers, ...uploads, ...addressesOf(secrets) }
  const pulling = { poller, rates, network, tracker, oauth, findProfile }
  const app = { ...planes, ...doors, ...answering, ...pulling, applier, janitor, deliverer }
  const between = openBetween(planes, config.nodeUrl, secrets.nodeKey, closers)
  const http = await openHttp({
    operations: featureOperations,
    handlers,
    app,
    authenticate: authenticator.authenticate,
    accessOf: (caller, sandboxId) => AccessScope.of(sql, caller, sandboxId, findTogether),
    isReady: () => sql.transact(null, async () => true),
    changed: deliveries.sources.invalidate,
    ...between,
    ...measured,
    timeouts: timeoutsFor(config),
    version: VERSION,
    trustProxy: config.trustProxy,
    origins: config.origins,
    scrapers: { keyHash: hashOf(secrets.metricsKey), isOpen: config.hasOpenMetrics },
    connectionsMax: connectionsFor(config.connectionsMax),
  })
  closers.push(() => http.close(GRACE_MS))
  return {
    http,
    app,
    listen: () => listenOn(http, app, config),
    bootstrap: () => bootstrapAccount(app, secrets.bootstrapApiKey),
    consoleLink: () => linkOfFirst(app),
    drain: () => drain(http, app, config.drainMs ?? DRAIN_MS[sql.kind]),
    close: async () => {
      const timer = setTimeout(() => planes.knowledge.stores.abort(), STORES_GRACE_MS)
      await closeAll(closers).finally(() => clearTimeout(timer))
    },
  }
}

/** Opens the metrics. Loads the OpenTelemetry SDK only if a collector is configured. */
async function openMeasured({ telemetry }: Config, surroundings: OpenOptions, closers: Closer[]) {
  const hasTraces = telemetry?.hasTraces === true
  const metrics = openMetrics({ hasTraces })
  const ownerId = randomUUID()
  const telemetryContext = { registry: metrics.registry, log: surroundings.log, version: VERSION, instanceId: ownerId }
  if (telemetry) {
    const { openTelemetry } = await import('./telemetry/open-telemetry.ts')
    closers.push(openTelemetry(telemetry, telemetryContext))
  }
  return { measured: { metrics, hasTraces }, around: { ...surroundings, ownerId, observe: metrics.observe } }
}

/** Opens this service as an OAuth client, and starts removing abandoned consents. */
function openOAuthClient(
  planes: Planes,
  network: SafeFetch,
  { config, secrets }: { config: Config; secrets: Secrets },
  closers: Closer[],
) {
  const { allowLoopback, hasOAuthDocument: hasDocument } = config
  const oauth = openOAuth(planes, network, { issuers: secrets.oauthIssuers, hasDocument, allowLoopback })
  closers.push(startFlowSweeper({ ...planes, oauth }).stop)
  return oauth
}

/** Dependencies of answering questions. */
interface Answering {
  config: Config
  secrets: Secrets
  opening: ReturnType<typeof openLocalEncoder>
  applier: ReturnType<typeof startApplier>
  rates: ReturnType<typeof openRates>
}

/** Opens the models and the row cache for answers, and starts the workers that use them. */
async function openAnswering(
  planes: Planes,
  { config, secrets, opening, applier, rates }: Answering,
  closers: Closer[],
) {
  const rows = createRowCache()
  closers.push(() => rows.close())
  const models = await openModels(config.models, secrets.modelKeys, planes, await opening)
  if (models.embedder) closers.push(startVectorMaker(planes, { applier, embedder: models.embedder }).stop)
  const evaluator = startEvaluator({ ...planes, models, rates, rows })
  closers.push(() => evaluator.stop())
  return { rows, models, evaluator }
}

/** Opens the upload spools and the document readers, and resumes imports that another process left unfinished. */
function openUploads(app: Omit<ResumerApp, 'spools' | 'documents'>, config: Config, closers: Closer[]) {
  const spools = openSpools(config.spool)
  const documents = openDocumentReaders(readingLimits(memoryMax()))
  closers.push(async () => documents.close())
  // On shutdown, ends the uploads that are still read after their reply, before closing the stores that they write to.
  closers.push(() => spools.idle())
  closers.push(startImportResumer({ ...app, spools, documents }, READING).stop)
  return { spools, documents }
}

function timeoutsFor({ uploads }: Config) {
  return { ...TIMEOUTS, upload: { ...uploads, windowMs: UPLOAD_WINDOW_MS, nowMs: () => performance.now() } }
}

function hashOf(key: string | null): Buffer | null {
  return key === null ? null : sha256(key)
}

/** Opens request forwarding between the processes that share the database. */
function openBetween(planes: Planes, nodeUrl: string | null, key: Buffer, closers: Closer[]) {
  const readSigned = nodeUrl === null ? undefined : openHeaderVerifier(planes, key, nodeUrl)
  const forwarding = openForwarding(planes, key)
  closers.push(() => forwarding.close())
  return { forwarding, ...(readSigned && { readSigned }) }
}

/** Starts serving and returns the address. Sets the public URLs that depend on it. */
async function listenOn(
  http: HttpServer,
  app: { publicUrl: string; consoleUrl: string | null; cluster: Cluster },
  { host, port, publicUrl, nodeUrl }: Config,
): Promise<string> {
  const address = await http.listen(host, port)
  await app.cluster.join(nodeUrl)
  app.publicUrl = publicUrl ?? address
  app.consoleUrl = `${app.publicUrl}/console`
  return address
}

/** Answers for a while as not ready. Meanwhile hands its sandboxes over to other processes. */
async function drain(http: HttpServer, { cluster, applier }: HttpApp, drainMs: number): Promise<void> {
  const giving = cluster.leave().then((hasOthers) => (hasOthers ? applier.releaseLeases() : undefined))
  await Promise.all([http.drain(drainMs), giving])
}

/** Returns the addresses for callers. The console's is known once the service listens. */
function addressesOf({ jwt, signInKey }: Secrets) {
  const consoleUrl: string | null = null
  return { tokenIssuer: jwt?.issuer ?? null, consoleUrl, signInKey }
}

/** Starts to open the encoder, so that its model loads while the databases open. */
function beginReading({ models }: Config, { log }: OpenOptions, closers: Closer[]) {
  const opening = openLocalEncoder(models.encoder, log)
  closers.push(async () => (await opening.catch(() => undefined))?.encoder.close())
  return opening
}

const handlers: HttpHandlers<typeof featureOperations> = {
  ...accountHandlers,
  ...memberHandlers,
  ...sessionHandlers,
  ...sourceHandlers,
  ...projectHandlers,
  ...ingestHandlers,
  ...knowledgeHandlers,
  ...queryHandlers,
  ...answerHandlers,
  ...evaluationHandlers,
  ...webhookHandlers,
  ...usageHandlers,
  ...sharingHandlers,
  ...lifecycleHandlers,
  ...mcpHandlers,
}
