// Runs the service with its data plane on an S3-compatible store: ingest, query, replace, restart, query again, delete.
// Then it does the same for a sandbox in its own bucket (`custom_s3`), through a proxy that can lie, reject, hang and
// disconnect. Reads S3_ENDPOINT, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY from the environment and creates its own
// bucket.
// Usage: npm run test:s3
import { createHash, createHmac, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, request as forward } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { client, makeSandbox, startCairn, waitForJob } from '../../bench/cairn-process.mjs'

const { S3_ENDPOINT: endpoint, AWS_ACCESS_KEY_ID: keyId = '', AWS_SECRET_ACCESS_KEY: secret = '' } = process.env
if (!endpoint) {
  console.error('Set S3_ENDPOINT, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to an S3-compatible store.')
  process.exit(1)
}
const REGION = process.env.AWS_REGION ?? 'us-east-1'
const bucket = `cairn-${randomBytes(6).toString('hex')}`
const chat = readFileSync(new URL('../../examples/workspace/chat.ndjson', import.meta.url), 'utf8')
const question = { query: 'When does Harbour launch?', reference_date: '2026-07-31' }
const wait = { prefer: 'wait=60' }
let passed = 0

await s3('PUT', `/${bucket}`)
const env = { STORAGE_URL: `s3://${bucket}/knowledge` }
let cairn = await startCairn({ env })
try {
  let call = client(cairn)
  const sandbox = await makeSandbox(call, 's3')
  expectThat((await call('POST', sandbox.records, chat, wait)).status === 'completed', 'the records land')
  const before = await ask(call, sandbox)
  expectThat(before.brief.includes('17 August'), 'the brief answers')
  const note = { external_id: 'note', type: 'note', text: 'Harbour launches on 18 August after all.' }
  for (let time = 0; time < 5; time++) await call('POST', sandbox.records, { records: [note] }, wait)
  await cairn.stop({ keep: true })
  cairn = await startCairn({ folder: cairn.folder, apiKey: cairn.apiKey, env })
  call = client(cairn)
  const exported = (await call('GET', `${sandbox.storage}/export`))
    .split('\n')
    .filter((line) => line.includes('"record"'))
  expectThat(exported.length === chat.trim().split('\n').length + 1, 'every record is there once after a restart')
  expectThat((await ask(call, sandbox)).citations.length > 0, 'the brief cites after a restart')
  await call('DELETE', sandbox.storage)
  const left = await s3('GET', `/${bucket}`, 'list-type=2')
  expectThat(!left.includes(sandbox.id), 'a deleted sandbox leaves no object')
} finally {
  await cairn.stop()
}
await testOwnBucket()
console.log(`${passed} passed, 0 failed`)

async function testOwnBucket() {
  const own = `customer-${randomBytes(6).toString('hex')}`
  await s3('PUT', `/${own}`)
  const door = await openDoor()
  const env = { CAIRN_ALLOW_LOOPBACK: 'on' }
  let cairn = await startCairn({ env })
  try {
    let call = client(cairn)
    const all = '/api/v1/storage/sandboxes'
    const storage = {
      ...{ provider_type: 'custom_s3', bucket: own, region: REGION, endpoint: door.url, prefix: 'kept/here' },
      ...{ access_key_id: keyId, secret_access_key: secret },
    }
    const create = (more = {}) =>
      call('POST', all, { name: 'own', owner_id: 'o', tier: 'pro', storage: { ...storage, ...more } })
    const refused = async (more = {}) => (await create(more).catch((error) => error)).message ?? ''
    expectThat((await refused({ secret_access_key: 'wrong' })).includes('“put”'), 'a wrong key is refused')
    expectThat((await refused({ bucket: `${own}-no` })).includes('“put”'), 'a missing bucket is refused')
    door.mode = 'lying'
    expectThat((await refused()).includes('“conditional put”'), 'F2 a store that lies about conditions is refused')
    door.mode = 'open'
    const sandbox = await placesOf(call, await create())
    expectThat((await call('POST', sandbox.records, chat, wait)).status === 'completed', 'its records are applied')
    expectThat((await ask(call, sandbox)).brief.includes('17 August'), 'its brief answers')
    await cairn.stop({ keep: true })
    cairn = await startCairn({ folder: cairn.folder, apiKey: cairn.apiKey, env })
    call = client(cairn)
    expectThat((await ask(call, sandbox)).citations.length > 0, 'its brief cites after a restart')
    for (const mode of ['closed', 'failing', 'forbidding', 'short', 'slow']) {
      // Restart, because data in memory would be returned without the store.
      await cairn.stop({ keep: true })
      cairn = await startCairn({ folder: cairn.folder, apiKey: cairn.apiKey, env })
      call = client(cairn)
      await testOutage({ call, door, sandbox, mode, all })
    }
    const { deleted } = await call('DELETE', sandbox.storage)
    expectThat(deleted.objects > 0, 'its deletion counts objects')
    expectThat(!(await s3('GET', `/${own}`, 'list-type=2')).includes('<Key>'), 'and leaves no object in its bucket')
  } finally {
    await cairn.stop()
    door.close()
  }
}

/**
 * Checks a temporary outage of the store: only its sandbox is affected, and accepted records are applied afterwards.
 */
async function testOutage({ call, door, sandbox, mode, all }) {
  const plain = await makeSandbox(call, `beside ${mode}`)
  door.mode = mode
  const note = { external_id: `note ${mode}`, type: 'note', text: `Harbour and the store that was ${mode}.` }
  const job = await call('POST', sandbox.records, { records: [note] })
  const asking = call('POST', `${sandbox.query}/discover`, question).catch((error) => error.message)
  await call('POST', plain.records, { records: [note] }, wait)
  const beside = await call('POST', `${plain.query}/discover`, question)
  const answer = await asking
  expectThat(beside.count === 1, `F1 ${mode}: others continue`)
  expectThat(String(answer).includes('storage_unavailable'), `F1 ${mode}: its questions answer 503`)
  door.mode = 'open'
  await waitForJob(call, sandbox.storage, job.job_id)
  const lines = (await exportOnceBack(call, sandbox)).split('\n')
  expectThat(
    lines.filter((line) => line.includes(note.text)).length === 1,
    `F1 ${mode}: what was accepted is there once`,
  )
  await call('DELETE', `${all}/${plain.id}`)
}

/** Exports a sandbox whose store works again. Retries while its circuit breaker is open, one second after a failure. */
async function exportOnceBack(call, sandbox) {
  for (let left = 10; ; left--) {
    try {
      return await call('GET', `${sandbox.storage}/export`)
    } catch (error) {
      if (left === 0 || !error.message.includes('storage_unavailable')) throw error
      await setTimeout(500)
    }
  }
}

/** Opens a proxy to the store. It forwards signed requests unchanged, unless a failure mode is set. */
async function openDoor() {
  const door = { mode: 'open', url: '', close: () => {} }
  const server = createServer((request, reply) => {
    const { mode } = door
    if (mode === 'closed') return request.socket.destroy()
    if (mode === 'slow') return undefined
    if (mode === 'failing') return reply.writeHead(500).end('<Error><Code>InternalError</Code></Error>')
    if (mode === 'forbidding') return reply.writeHead(403).end('<Error><Code>AccessDenied</Code></Error>')
    const { method, url, headers } = request
    const asked = forward(`${endpoint}${url}`, { method, headers }, (answer) => {
      const isLie = mode === 'lying' && answer.statusCode === 412
      reply.writeHead(isLie ? 200 : (answer.statusCode ?? 500), answer.headers)
      if (mode === 'short' && method === 'GET') answer.once('data', () => reply.destroy())
      else answer.pipe(reply)
    })
    asked.on('error', () => reply.destroy())
    return request.pipe(asked)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  door.url = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`
  door.close = () => {
    server.closeAllConnections()
    server.close()
  }
  return door
}

async function placesOf(call, { sandbox_id: id }) {
  const storage = `/api/v1/storage/sandboxes/${id}`
  const source = await call('POST', `${storage}/sources`, { provider: 'bench', name: 'bench' })
  return {
    id,
    storage,
    records: `${storage}/sources/${source.data_source_id}/records`,
    query: `/api/v1/query/sandboxes/${id}`,
  }
}

async function ask(call, sandbox) {
  const { items } = await call('POST', `${sandbox.query}/discover`, question)
  return call('POST', `${sandbox.query}/interpret`, { ...question, items: items.map((item) => item.canonical_ids) })
}

function expectThat(holds, what) {
  if (!holds) throw new Error(`Expectation failed: ${what}.`)
  passed += 1
  console.log(`ok: ${what}`)
}

/** Sends one signed request (AWS Signature Version 4) without a body. */
async function s3(method, path, query = '') {
  const { host } = new URL(endpoint)
  const time = new Date().toISOString().replace(/[-:]|\.\d+/g, '')
  const day = time.slice(0, 8)
  const digest = createHash('sha256').update('').digest('hex')
  const headers = `host:${host}\nx-amz-content-sha256:${digest}\nx-amz-date:${time}\n`
  const signed = 'host;x-amz-content-sha256;x-amz-date'
  const canonical = [method, path, query, headers, signed, digest].join('\n')
  const scope = `${day}/${REGION}/s3/aws4_request`
  const text = ['AWS4-HMAC-SHA256', time, scope, createHash('sha256').update(canonical).digest('hex')].join('\n')
  const hmac = (key, value) => createHmac('sha256', key).update(value).digest()
  const key = ['s3', 'aws4_request'].reduce(hmac, hmac(hmac(`AWS4${secret}`, day), REGION))
  const signature = createHmac('sha256', key).update(text).digest('hex')
  const reply = await fetch(`${endpoint}${path}${query && `?${query}`}`, {
    method,
    headers: {
      'x-amz-date': time,
      'x-amz-content-sha256': digest,
      authorization: `AWS4-HMAC-SHA256 Credential=${keyId}/${scope}, SignedHeaders=${signed}, Signature=${signature}`,
    },
  })
  const body = await reply.text()
  if (!reply.ok) throw new Error(`${method} ${path} answered ${reply.status}: ${body}`)
  return body
}
