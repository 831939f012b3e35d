// Access to the store of S3_ENDPOINT, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY for benchmarks and whole-process
// tests: a separate bucket behind a proxy that delays, counts and hangs requests.
import { createHash, createHmac, randomBytes } from 'node:crypto'
import { createServer, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

const { S3_ENDPOINT = '', AWS_ACCESS_KEY_ID: keyId = '', AWS_SECRET_ACCESS_KEY: secret = '' } = process.env
const REGION = process.env.AWS_REGION ?? 'us-east-1'

/** True if a store is configured. */
export const hasStore = S3_ENDPOINT !== ''

/** Starts a proxy for the store that delays and counts requests, and hangs those about a given sandbox. */
export async function startProxy(/** @type {number} */ delayMs) {
  const store = new URL(S3_ENDPOINT)
  let [requests, writes, inFlight, mostInFlight, bytesPut, bytesGot] = [0, 0, 0, 0, 0, 0]
  /** @type {string | undefined} */
  let hanging
  const server = createServer(async (incoming, outgoing) => {
    if (hanging !== undefined && incoming.url?.includes(hanging)) return
    requests += 1
    if (isPricedAsWrite(incoming)) writes += 1
    inFlight += 1
    mostInFlight = Math.max(mostInFlight, inFlight)
    outgoing.once('close', () => {
      inFlight -= 1
    })
    await sleep(delayMs)
    const { method, url: path, headers } = incoming
    const onward = request({ host: store.hostname, port: store.port, method, path, headers }, (reply) => {
      outgoing.writeHead(reply.statusCode ?? 500, reply.headers)
      reply.on('data', (/** @type {Buffer} */ part) => {
        bytesGot += part.length
      })
      reply.pipe(outgoing)
    })
    onward.once('error', () => outgoing.destroy())
    incoming.on('data', (/** @type {Buffer} */ part) => {
      bytesPut += part.length
    })
    incoming.pipe(onward)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    reset: () => {
      requests = 0
      writes = 0
      mostInFlight = 0
      bytesPut = 0
      bytesGot = 0
    },
    seen: () => ({ requests, writes, mostInFlight, bytesPut, bytesGot }),
    hang: (/** @type {string | undefined} */ id) => {
      hanging = id
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/**
 * Returns true if a request has the price of a write. Object stores price listings like writes; other reads cost a
 * tenth.
 * @param {import('node:http').IncomingMessage} request
 */
function isPricedAsWrite({ method, url = '' }) {
  return method === 'PUT' || method === 'POST' || (method === 'GET' && /[?&](list-type|uploads|prefix)\b/.test(url))
}

/** Creates a bucket with AWS Signature Version 4 and returns its name. */
export async function makeBucket() {
  const store = new URL(S3_ENDPOINT)
  const bucket = `cairn-${randomBytes(6).toString('hex')}`
  const time = new Date().toISOString().replace(/[-:]|\.\d+/g, '')
  const day = time.slice(0, 8)
  const sha = (/** @type {string} */ text) => createHash('sha256').update(text).digest('hex')
  const hmac = (/** @type {string | Buffer} */ key, /** @type {string} */ text) =>
    createHmac('sha256', key).update(text).digest()
  const signed = { host: store.host, 'x-amz-content-sha256': sha(''), 'x-amz-date': time }
  const names = Object.keys(signed).join(';')
  const lines = Object.entries(signed).map(([name, value]) => `${name}:${value}\n`)
  const canonical = ['PUT', `/${bucket}`, '', ...[lines.join('')], names, sha('')].join('\n')
  const scope = `${day}/${REGION}/s3/aws4_request`
  const toSign = ['AWS4-HMAC-SHA256', time, scope, sha(canonical)].join('\n')
  const key = [day, REGION, 's3', 'aws4_request'].reduce(hmac, /** @type {string | Buffer} */ (`AWS4${secret}`))
  const signature = createHmac('sha256', key).update(toSign).digest('hex')
  const authorization = `AWS4-HMAC-SHA256 Credential=${keyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`
  const { host: _, ...headers } = signed
  const reply = await fetch(new URL(`/${bucket}`, store), { method: 'PUT', headers: { ...headers, authorization } })
  if (!reply.ok) throw new Error(`The store cannot create a bucket: ${reply.status} ${await reply.text()}`)
  return bucket
}
