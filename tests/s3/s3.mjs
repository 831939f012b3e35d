// Runs the service with its knowledge plane on an S3-compatible store: load, ask, replace, restart, ask again, delete.
// It takes S3_ENDPOINT, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY from the environment and makes a bucket of its own.
// Usage: npm run test:s3
import { createHash, createHmac, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { client, makeSandbox, startCairn } from '../../bench/cairn-process.mjs'

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
  console.log('5 passed, 0 failed')
} finally {
  await cairn.stop()
}

async function ask(call, sandbox) {
  const { items } = await call('POST', `${sandbox.query}/discover`, question)
  return call('POST', `${sandbox.query}/interpret`, { ...question, items: items.map((item) => item.canonical_ids) })
}

function expectThat(holds, what) {
  if (!holds) throw new Error(`It does not hold that ${what}.`)
  console.log(`ok: ${what}`)
}

/** One signed request (AWS Signature Version 4) without a body. */
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
