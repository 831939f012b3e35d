import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * An in-memory S3-compatible store on loopback. It implements what Lance and the probe use, and can fail in several
 * ways.
 */
export interface ObjectStore {
  readonly endpoint: string
  /** Objects of the bucket, by key. */
  readonly objects: Map<string, Buffer>
  /** Behavior from now on. */
  mode: StoreMode
  /** Requests whose object key or list prefix contains this text get no reply; undefined disables this. */
  silentFor: string | undefined
  /** Requests held without a reply because of `silentFor`. */
  readonly unanswered: Set<ServerResponse>
  /** Access key that it accepts. */
  accessKeyId: string
  /** AWS KMS key that every write must request for its encryption; undefined if none is required. */
  kmsKeyId: string | undefined
  /** Number of requests received. */
  requests: number
  close(): Promise<void>
}

/**
 * Failure modes. `liar` ignores conditional headers. `racy` honors them, but not for concurrent writes. `whole` ignores
 * ranges. `forbidden`, `broken` and `silent` fail every request, `short` interrupts the reply, and the others fail one
 * kind of request.
 */
export type StoreMode =
  | 'good'
  | 'liar'
  | 'racy'
  | 'whole'
  | 'forbidden'
  | 'broken'
  | 'silent'
  | 'short'
  | 'unlisted'
  | 'read-only'
  | 'undeletable'
  | 'altering'

/** Name of the only bucket. */
export const BUCKET = 'customer-bucket'

/** Starts a store on a free port. */
export async function openObjectStore(): Promise<ObjectStore> {
  const objects = new Map<string, Buffer>()
  const uploads = new Map<string, Map<number, Buffer>>()
  const store: Omit<ObjectStore, 'endpoint' | 'close'> = {
    objects,
    mode: 'good',
    silentFor: undefined,
    unanswered: new Set(),
    kmsKeyId: undefined,
    accessKeyId: 'test-access',
    requests: 0,
  }
  const server = createServer((request, reply) => {
    store.requests += 1
    read(request).then(
      (body) => answer(store, uploads, request, reply, body),
      () => reply.destroy(),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = () => {
    server.closeAllConnections()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  }
  return Object.assign(store, { endpoint, close })
}

type Inner = Pick<ObjectStore, 'objects' | 'mode' | 'silentFor' | 'unanswered' | 'accessKeyId' | 'kmsKeyId'>
type Uploads = Map<string, Map<number, Buffer>>

function answer(
  store: Inner,
  uploads: Uploads,
  request: IncomingMessage,
  reply: ServerResponse,
  body: Buffer,
): unknown {
  const url = new URL(request.url ?? '', 'http://store')
  const [, bucket, ...parts] = url.pathname.split('/')
  const key = decodeURIComponent(parts.join('/'))
  const { method = '' } = request
  const isMine = request.headers.authorization?.includes(`Credential=${store.accessKeyId}/`) === true
  if (store.mode === 'silent') return undefined
  if (store.silentFor && decodeURIComponent(url.href).includes(store.silentFor)) {
    store.unanswered.add(reply)
    return reply.on('close', () => store.unanswered.delete(reply))
  }
  if (store.mode === 'broken') return refuse(reply, 500, 'InternalError')
  if (store.mode === 'forbidden') return refuse(reply, 403, 'AccessDenied')
  if (!isMine) return refuse(reply, 403, 'InvalidAccessKeyId', request.headers.authorization)
  const isBegun = method === 'PUT' ? !url.searchParams.has('uploadId') : url.searchParams.has('uploads')
  if (isBegun && !isEncrypted(store, request)) return refuse(reply, 403, 'AccessDenied', 'not encrypted')
  if (bucket !== BUCKET) return refuse(reply, 404, 'NoSuchBucket')
  if (key === '' && method === 'GET') return list(store, url, reply)
  if (key === '' && method === 'POST' && url.searchParams.has('delete')) return deleteMany(store, body, reply)
  if (method === 'POST' || url.searchParams.has('uploadId'))
    return upload(store, uploads, { url, key, method, body }, reply)
  if (method === 'PUT') return put(store, key, request, reply, body)
  if (method === 'DELETE') {
    if (store.mode !== 'undeletable') store.objects.delete(key)
    return reply.writeHead(204).end()
  }
  return get(store, key, request, reply)
}

function isEncrypted({ kmsKeyId }: Inner, { headers }: IncomingMessage): boolean {
  const kind = headers['x-amz-server-side-encryption']
  if (kmsKeyId === undefined) return kind === undefined
  return kind === 'aws:kms' && headers['x-amz-server-side-encryption-aws-kms-key-id'] === kmsKeyId
}

async function read(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

function put(
  { objects, mode }: Inner,
  key: string,
  request: IncomingMessage,
  reply: ServerResponse,
  body: Buffer,
): unknown {
  if (mode === 'read-only') return refuse(reply, 403, 'AccessDenied')
  const isTaken = request.headers['if-none-match'] === '*' && mode !== 'liar' && objects.has(key)
  if (isTaken) return refuse(reply, 412, 'PreconditionFailed')
  const write = () => {
    objects.set(key, mode === 'altering' ? Buffer.alloc(body.length) : body)
    reply.writeHead(200, { etag: etag(body) }).end()
  }
  // Checks first and writes later, like a store without atomic conditional writes.
  if (mode === 'racy' && request.headers['if-none-match'] === '*') return setTimeout(write, 50)
  return write()
}

function get({ objects, mode }: Inner, key: string, request: IncomingMessage, reply: ServerResponse): unknown {
  const whole = objects.get(key)
  if (!whole) return refuse(reply, 404, 'NoSuchKey')
  const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? '') ?? []
  const isPart = (from !== undefined || to !== undefined) && mode !== 'whole'
  const start = !isPart ? 0 : from ? Number(from) : Math.max(0, whole.length - Number(to))
  const end = isPart && from && to ? Math.min(Number(to) + 1, whole.length) : whole.length
  const bytes = whole.subarray(start, end)
  const headers = {
    etag: etag(whole),
    'content-length': bytes.length,
    'last-modified': 'Fri, 20 Nov 2026 12:00:00 GMT',
    ...(isPart && { 'content-range': `bytes ${start}-${end - 1}/${whole.length}` }),
  }
  reply.writeHead(isPart ? 206 : 200, headers)
  if (request.method === 'HEAD') return reply.end()
  if (mode === 'short') return reply.write(bytes.subarray(0, bytes.length / 2), () => reply.destroy())
  return reply.end(bytes)
}

function list({ objects, mode }: Inner, url: URL, reply: ServerResponse): unknown {
  const prefix = url.searchParams.get('prefix') ?? ''
  const delimiter = url.searchParams.get('delimiter')
  const after = url.searchParams.get('start-after') ?? ''
  const contents: string[] = []
  const folders = new Set<string>()
  for (const key of [...objects.keys()].sort()) {
    if (!key.startsWith(prefix) || key <= after || mode === 'unlisted') continue
    const at = delimiter ? key.indexOf(delimiter, prefix.length) : -1
    if (at >= 0) folders.add(key.slice(0, at + 1))
    else contents.push(`<Contents><Key>${key}</Key><Size>${objects.get(key)!.length}</Size>${DATED}</Contents>`)
  }
  const common = [...folders].map((folder) => `<CommonPrefixes><Prefix>${folder}</Prefix></CommonPrefixes>`)
  return reply.end(
    `<ListBucketResult><IsTruncated>false</IsTruncated>${contents.join('')}${common.join('')}</ListBucketResult>`,
  )
}

const DATED = '<LastModified>2026-11-20T12:00:00.000Z</LastModified><ETag>"e"</ETag>'

function deleteMany({ objects, mode }: Inner, body: Buffer, reply: ServerResponse): unknown {
  const keys = [...body.toString().matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key]) => key!)
  if (mode !== 'undeletable') for (const key of keys) objects.delete(key)
  return reply.end(`<DeleteResult>${keys.map((key) => `<Deleted><Key>${key}</Key></Deleted>`).join('')}</DeleteResult>`)
}

interface Part {
  url: URL
  key: string
  method: string
  body: Buffer
}

/** Handles a multipart upload. */
function upload(
  { objects }: Inner,
  uploads: Uploads,
  { url, key, method, body }: Part,
  reply: ServerResponse,
): unknown {
  const id = url.searchParams.get('uploadId') ?? `upload-${uploads.size}`
  const parts = uploads.get(id) ?? new Map<number, Buffer>()
  uploads.set(id, parts)
  if (method === 'PUT') {
    parts.set(Number(url.searchParams.get('partNumber')), body)
    return reply.writeHead(200, { etag: etag(body) }).end()
  }
  if (method === 'DELETE') return reply.writeHead(204).end()
  if (url.searchParams.has('uploads')) {
    return reply.end(`<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`)
  }
  objects.set(key, Buffer.concat([...parts].sort(([a], [b]) => a - b).map(([, part]) => part)))
  return reply.end(`<CompleteMultipartUploadResult><ETag>"e"</ETag></CompleteMultipartUploadResult>`)
}

function etag(body: Buffer): string {
  return `"${createHash('md5').update(body).digest('hex')}"`
}

/** Sends an error reply. It repeats the request's credentials as AWS does. */
function refuse(reply: ServerResponse, status: number, code: string, said = ''): unknown {
  reply.writeHead(status, { 'content-type': 'application/xml' })
  return reply.end(`<Error><Code>${code}</Code><Message>${code}</Message><Said>${said}</Said></Error>`)
}
