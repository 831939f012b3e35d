import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { type AddressInfo, connect, isIP, type LookupFunction } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Storage } from '@cairnstore/contract'
import { sameDigest, sha256 } from '../../base/digest.ts'
import { Fault } from '../../base/fault.ts'
import { dialable, openSafeFetch } from '../../base/safe-fetch.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Sql } from '../../db/open.ts'
import type { SecretPlace, SecretStore } from '../../tenancy/secrets/secret-store.ts'
import { type Access, type Bucket, endpointOf, findAccess, placeOf } from '../../tenancy/storage/bucket.ts'
import type { StorageRoot } from '../port.ts'
import { probeBucket } from './probe-bucket.ts'

/** The buckets that sandboxes have of their own: how they are tried, found and reached. */
export interface Buckets {
  /** Whether stores on this machine may be used, also without TLS. */
  readonly allowLoopback: boolean
  /** Tries a bucket. Throws `storage_unfit`, and `unavailable` when too many are being tried. */
  probe(bucket: Bucket): Promise<void>
  /**
   * Where the sandbox's datasets are when it has a bucket of its own; undefined in the platform's storage. The same
   * object as before while nothing has changed. Throws `storage_unavailable` when its access key is gone.
   */
  rootOf(sandbox: SecretPlace): Promise<StorageRoot | undefined>
  /** Whether the sandbox has a bucket of its own, be it within reach or not. */
  isOwn(sandbox: SecretPlace): Promise<boolean>
  /** Looks the sandbox's access key up anew the next time. */
  forget(sandboxId: string): void
  close(): Promise<void>
}

/** A listing of a thousand objects has some hundred thousand bytes; a piece of a graph, sealed, is just within it. */
export const ANSWER_BYTES_MAX = 4 * 1024 * 1024
const ANSWER_MS_MAX = 10_000
const PROBES_MAX = 8
/** An access key that another process replaced is used for so long at most. */
const KNOWN_MS = 30_000
/** Sandboxes whose place is remembered: a few hundred bytes each. */
const KNOWN_MAX = 10_000

/**
 * What the datasets' client may take for one request, and how often it tries: it tries again itself, six times over,
 * and everything else in the sandbox waits. Its own throttling would log what a store answers, which can hold the id of
 * the access key.
 */
const CLIENT_OPTIONS = {
  timeout: '15s',
  connectTimeout: '5s',
  clientMaxRetries: '2',
  clientRetryTimeout: '10',
  lanceAimdMaxRetries: '0',
} as const

interface Known {
  readonly root: StorageRoot | undefined
  /** What the root was made from. */
  readonly from: string
  readonly untilMs: number
}

/** Opens what leads to buckets that are not the platform's: everything that is dialled is a public address. */
export async function openBuckets(
  planes: { sql: Sql; secrets: SecretStore },
  allowLoopback: boolean,
): Promise<Buckets> {
  const limits = { bytesMax: ANSWER_BYTES_MAX, totalMs: ANSWER_MS_MAX }
  const safe = openSafeFetch({ allowLoopback, anyPort: true, ...limits })
  const tunnel = await openGuardedTunnel(allowLoopback)
  const known = new Map<string, Known>()
  let probes = 0

  const toRoot = (place: Storage, access: Access): StorageRoot => {
    const endpoint = endpointOf(place)
    // Without TLS there is nothing but a store on this machine, for development.
    const way: Record<string, string> = endpoint.startsWith('http:') ? { allowHttp: 'true' } : { proxyUrl: tunnel.url }
    const options = { ...CLIENT_OPTIONS, ...way, ...access, endpoint, region: place.region }
    const folder = place.prefix === '' ? place.bucket : `${place.bucket}/${place.prefix}`
    return { uri: `s3://${folder}`, options, fetch: safe.fetch }
  }

  const rootOf: Buckets['rootOf'] = async (sandbox) => {
    const kept = known.get(sandbox.sandboxId)
    if (kept && performance.now() < kept.untilMs) return kept.root
    const found = await findBucket(planes, sandbox)
    if (found === undefined) return undefined
    if (found === 'platform') {
      keep(known, sandbox.sandboxId, { root: undefined, from: '', untilMs: Number.POSITIVE_INFINITY })
      return undefined
    }
    const from = JSON.stringify(found)
    const root = kept?.from === from ? kept.root : toRoot(found.place, found.access)
    keep(known, sandbox.sandboxId, { root, from, untilMs: performance.now() + KNOWN_MS })
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
      const kept = known.get(sandboxId)
      if (kept?.root) keep(known, sandboxId, { ...kept, untilMs: 0 })
    },
    close: async () => {
      await tunnel.close()
      await safe.close()
    },
  }
}

function keep(known: Map<string, Known>, sandboxId: string, entry: Known): void {
  known.delete(sandboxId)
  known.set(sandboxId, entry)
  const [oldest] = known.keys()
  if (known.size > KNOWN_MAX && oldest !== undefined) known.delete(oldest)
}

/** The bucket of a sandbox, or of one that is deleted and whose objects are not gone; undefined for no sandbox. */
async function findBucket(
  { sql, secrets }: { sql: Sql; secrets: SecretStore },
  sandbox: SecretPlace,
): Promise<Bucket | 'platform' | undefined> {
  const { userId, sandboxId } = sandbox
  return sql.transact(userId, async (tx) => {
    const row = await tx
      .selectFrom('sandbox')
      .select('storage')
      .where('user_id', '=', userId)
      .where('id', '=', sandboxId)
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
    if (!access) throw new Fault('storage_unavailable', { note: 'the access key of a bucket is gone' })
    return { place, access }
  })
}

/**
 * A way out for a client that dials by itself: a proxy on this machine that joins it to public addresses alone. What
 * goes through is TLS between the client and the store.
 */
interface GuardedTunnel {
  /** The proxy's address, with the password that it asks for. */
  readonly url: string
  close(): Promise<void>
}

const CONNECTIONS_MAX = 512
const IDLE_MS_MAX = 120_000
const CONNECT_MS_MAX = 10_000
const PASSWORD_BYTES = 24
const TARGET = /^(\[[0-9a-f:]+\]|[^:]+):(\d{1,5})$/i

/** Opens the tunnel on a free port of the loopback address. */
export async function openGuardedTunnel(allowLoopback: boolean): Promise<GuardedTunnel> {
  const password = randomBytes(PASSWORD_BYTES).toString('hex')
  const credential = sha256(`Basic ${Buffer.from(`cairn:${password}`).toString('base64')}`)
  const open = new Set<Duplex>()
  const server = createServer((_, reply) => void reply.writeHead(405).end())
  server.maxConnections = CONNECTIONS_MAX

  const join = async (client: Duplex, host: string, port: number): Promise<void> => {
    const addresses = (await dialable(host, allowLoopback)).map((address) => ({ address, family: isIP(address) }))
    const looked: LookupFunction = (_, __, done) => done(null, addresses)
    const store = connect({ host, port, lookup: looked, autoSelectFamily: true, timeout: CONNECT_MS_MAX })
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
    url: `http://cairn:${password}@127.0.0.1:${port}`,
    close: async () => {
      for (const socket of open) socket.destroy()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
