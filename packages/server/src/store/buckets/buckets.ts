import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { type AddressInfo, connect, isIP, type LookupFunction } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Storage } from '@cairnstore/contract'
import { sameDigest, sha256 } from '../../base/digest.ts'
import { Fault } from '../../base/fault.ts'
import { dialable, openSafeFetch } from '../../base/safe-fetch.ts'
import { isSandbox, ofSandbox } from '../../db/of-sandbox.ts'
import type { Sql } from '../../db/open.ts'
import type { SecretScope, SecretStore } from '../../tenancy/secrets/secret-store.ts'
import { type AccessKey, type Bucket, endpointOf, findAccess, placeOf } from '../../tenancy/storage/bucket.ts'
import type { StorageRoot } from '../port.ts'
import { probeBucket } from './probe-bucket.ts'

/** Access to customer-owned buckets. */
export interface Buckets {
  /** True if stores on this machine are allowed, also without TLS. */
  readonly allowLoopback: boolean
  /** Tests a bucket. Throws `storage_unfit`, or `unavailable` if too many probes are running. */
  probe(bucket: Bucket): Promise<void>
  /**
   * Returns the storage root of the sandbox's own bucket. Undefined if the sandbox is in the platform's storage.
   * Returns the same object until the configuration changes. Throws `storage_unavailable` if the bucket's access key is
   * missing.
   */
  rootOf(sandbox: SecretScope): Promise<StorageRoot | undefined>
  /** Returns true if the sandbox has its own bucket, even if the bucket is unavailable. */
  isOwn(sandbox: SecretScope): Promise<boolean>
  /** Discards the cached access key of the sandbox. */
  forget(sandboxId: string): void
  close(): Promise<void>
}

/** Maximum bytes of a response. A listing of 1,000 objects has about 100 kB. An encrypted segment just fits. */
export const ANSWER_BYTES_MAX = 4 * 1024 * 1024
const ANSWER_MS_MAX = 10_000
const PROBES_MAX = 8
/** Milliseconds for which an access key may be used after another process replaced it. */
const CACHE_TTL_MS = 30_000
/** Maximum number of cached sandboxes, at a few hundred bytes each. */
const CACHED_MAX = 10_000

/**
 * Timeouts and retries of Lance's object store client. By default it retries six times, which blocks all other work in
 * the sandbox. Lance's adaptive throttling is off: it logs responses, which can contain the access key id.
 */
const CLIENT_OPTIONS = {
  timeout: '15s',
  connectTimeout: '5s',
  clientMaxRetries: '2',
  clientRetryTimeout: '10',
  lanceAimdMaxRetries: '0',
} as const

interface CachedRoot {
  readonly root: StorageRoot | undefined
  /** JSON of the bucket that the root was created from. */
  readonly from: string
  readonly untilMs: number
}

/** Opens access to customer-owned buckets at public addresses, or on this machine if `allowLoopback` is set. */
export async function openBuckets(
  planes: { sql: Sql; secrets: SecretStore },
  allowLoopback: boolean,
): Promise<Buckets> {
  const limits = { bytesMax: ANSWER_BYTES_MAX, totalMs: ANSWER_MS_MAX }
  const safe = openSafeFetch({ allowLoopback, anyPort: true, ...limits })
  const tunnel = await openGuardedTunnel(allowLoopback)
  const cachedRoots = new Map<string, CachedRoot>()
  let probes = 0

  const toRoot = (place: Storage, access: AccessKey): StorageRoot => {
    const endpoint = endpointOf(place)
    // Only a store on this machine, for development, may be used without TLS.
    const via: Record<string, string> = endpoint.startsWith('http:') ? { allowHttp: 'true' } : { proxyUrl: tunnel.url }
    const options = { ...CLIENT_OPTIONS, ...via, ...access, endpoint, region: place.region }
    const folder = place.prefix === '' ? place.bucket : `${place.bucket}/${place.prefix}`
    return { uri: `s3://${folder}`, options, fetch: safe.fetch }
  }

  const rootOf: Buckets['rootOf'] = async (sandbox) => {
    const cached = cachedRoots.get(sandbox.sandboxId)
    if (cached && performance.now() < cached.untilMs) return cached.root
    const found = await findBucket(planes, sandbox)
    if (found === undefined) return undefined
    if (found === 'platform') {
      cacheRoot(cachedRoots, sandbox.sandboxId, { root: undefined, from: '', untilMs: Number.POSITIVE_INFINITY })
      return undefined
    }
    const from = JSON.stringify(found)
    const root = cached?.from === from ? cached.root : toRoot(found.place, found.access)
    cacheRoot(cachedRoots, sandbox.sandboxId, { root, from, untilMs: performance.now() + CACHE_TTL_MS })
    return root
  }

  return {
    allowLoopback,
    probe: async (bucket) => {
      if (probes >= PROBES_MAX) throw new Fault('unavailable')
      probes += 1
      try {
        await probeBucket(bucket, safe.fetch)
      } finally {
        probes -= 1
      }
    },
    rootOf,
    isOwn: (sandbox) =>
      rootOf(sandbox).then(
        (root) => root !== undefined,
        () => true,
      ),
    forget: (sandboxId) => {
      const cached = cachedRoots.get(sandboxId)
      if (cached?.root) cacheRoot(cachedRoots, sandboxId, { ...cached, untilMs: 0 })
    },
    close: async () => {
      await tunnel.close()
      await safe.close()
    },
  }
}

function cacheRoot(known: Map<string, CachedRoot>, sandboxId: string, entry: CachedRoot): void {
  known.delete(sandboxId)
  known.set(sandboxId, entry)
  const [oldest] = known.keys()
  if (known.size > CACHED_MAX && oldest !== undefined) known.delete(oldest)
}

/** Finds the bucket of a sandbox, also of a deleted sandbox with objects left. Returns undefined if it is unknown. */
async function findBucket(
  { sql, secrets }: { sql: Sql; secrets: SecretStore },
  sandbox: SecretScope,
): Promise<Bucket | 'platform' | undefined> {
  const { userId, sandboxId } = sandbox
  return sql.transact(userId, async (tx) => {
    const row = await tx
      .selectFrom('sandbox')
      .select('storage')
      .where(isSandbox({ userId, sandboxId }))
      .executeTakeFirst()
    if (row && row.storage === null) return 'platform'
    const note = await tx
      .selectFrom('erasure')
      .select('storage')
      .where(ofSandbox({ userId, sandboxId }))
      .where('storage', 'is not', null)
      .executeTakeFirst()
    const place = placeOf(row?.storage ?? note?.storage ?? null)
    if (!place) return undefined
    const access = await findAccess(secrets, tx, sandbox)
    if (!access) throw new Fault('storage_unavailable', { note: 'the access key of a bucket is missing' })
    return { place, access }
  })
}

const CONNECTIONS_MAX = 512
const IDLE_MS_MAX = 120_000
const CONNECT_MS_MAX = 10_000
const PASSWORD_BYTES = 24
const TARGET = /^(\[[0-9a-f:]+\]|[^:]+):(\d{1,5})$/i

/** Opens the tunnel on a free port of the loopback address. */
export async function openGuardedTunnel(allowLoopback: boolean) {
  const password = randomBytes(PASSWORD_BYTES).toString('hex')
  const credential = sha256(`Basic ${Buffer.from(`cairn:${password}`).toString('base64')}`)
  const open = new Set<Duplex>()
  const server = createServer((_, reply) => void reply.writeHead(405).end())
  server.maxConnections = CONNECTIONS_MAX

  const join = async (client: Duplex, host: string, port: number): Promise<void> => {
    const addresses = (await dialable(host, allowLoopback)).map((address) => ({ address, family: isIP(address) }))
    const lookup: LookupFunction = (_, __, done) => done(null, addresses)
    const store = connect({ host, port, lookup, autoSelectFamily: true, timeout: CONNECT_MS_MAX })
    store.once('timeout', () => store.destroy(new Error('no answer')))
    await new Promise<void>((resolve, reject) => store.once('connect', resolve).once('error', reject))
    store.setTimeout(IDLE_MS_MAX)
    for (const [one, other] of [
      [client, store],
      [store, client],
    ] as const) {
      open.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        open.delete(one)
        other.destroy()
      })
    }
    client.write('HTTP/1.1 200 Connected\r\n\r\n')
    client.pipe(store).pipe(client)
  }

  server.on('connect', (request, client) => {
    client.on('error', () => client.destroy())
    const refuse = (status: string) => client.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`)
    if (!sameDigest(sha256(request.headers['proxy-authorization'] ?? ''), credential)) {
      return refuse('407 Proxy Authentication Required')
    }
    const [, host, port] = TARGET.exec(request.url ?? '') ?? []
    if (host === undefined) return refuse('400 Bad Request')
    join(client, host, Number(port)).catch(() => refuse('502 Bad Gateway'))
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  server.unref()
  const { port } = server.address() as AddressInfo
  return {
    /** URL of the proxy, with its password. */
    url: `http://cairn:${password}@127.0.0.1:${port}`,
    close: async () => {
      for (const socket of open) socket.destroy()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
