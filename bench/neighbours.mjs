// Measures the impact of a busy tenant on its neighbor: the neighbor's questions and writes alone, and during each kind
// of load from another account.
// `npm run bench:neighbours`, or with `-- unlimited` for the impact without tier limits.
import { Agent, request } from 'node:http'
import { startCairn, waitForJob } from './cairn-process.mjs'

const isUnlimited = process.argv.includes('unlimited')
const only = process.argv.find((one) => one.startsWith('only='))?.slice('only='.length)
const PHASE_MS = 3_000
const SETTLE_MS = 500
const NEIGHBOUR_RECORDS = 200
const LOUD_RECORDS = 2_000
const BATCH = 500
const PAUSE_MS = 20
const ADMIN_KEY = 'an-admin-key-of-the-benchmark'

/** Rate limits of the free tier. The measured neighbor and the preparation are exempt. */
const limits = {
  enterprise: isUnlimited
    ? { queries_per_minute: null, reads_per_minute: null, ingest_records_per_minute: null }
    : { queries_per_minute: 120, reads_per_minute: 600, ingest_records_per_minute: null },
  pro: { queries_per_minute: null, reads_per_minute: null, ingest_records_per_minute: null },
}

const cairn = await startCairn({ env: { CAIRN_ADMIN_KEY: ADMIN_KEY, CAIRN_LIMITS: JSON.stringify(limits) } })
const { hostname, port } = new URL(cairn.url)

/** @param {string} bearer */
function sender(bearer) {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  /**
   * @param {string} method
   * @param {string} path
   * @param {unknown} [body]
   * @param {Record<string, string>} [headers]
   * @returns {Promise<{ status: number, body: any }>}
   */
  return (method, path, body, headers = {}) =>
    new Promise((resolve, reject) => {
      const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
      const sent = request(
        {
          agent,
          hostname,
          port,
          method,
          path,
          headers: {
            authorization: `Bearer ${bearer}`,
            ...(bytes && { 'content-type': 'application/json', 'content-length': bytes.length }),
            ...headers,
          },
        },
        (reply) => {
          /** @type {Buffer[]} */
          const chunks = []
          reply.on('data', (chunk) => chunks.push(chunk)).once('error', reject)
          reply.once('end', () => {
            const text = Buffer.concat(chunks).toString()
            const isJson = String(reply.headers['content-type']).startsWith('application/json')
            resolve({ status: reply.statusCode ?? 0, body: isJson ? JSON.parse(text) : text })
          })
        },
      )
      sent.once('error', reject)
      sent.end(bytes)
    })
}

/**
 * @param {ReturnType<typeof sender>} call
 * @param {string} tier
 * @param {object[]} records
 */
async function seed(call, tier, records) {
  const { body: sandbox } = await call('POST', '/api/v1/storage/sandboxes', { name: 'S', owner_id: 'o', tier })
  const storage = `/api/v1/storage/sandboxes/${sandbox.sandbox_id}`
  const { body: source } = await call('POST', `${storage}/sources`, { provider: 'bench', name: 'bench' })
  const at = {
    storage,
    query: `/api/v1/query/sandboxes/${sandbox.sandbox_id}`,
    records: `${storage}/sources/${source.data_source_id}/records`,
  }
  for (let from = 0; from < records.length; from += BATCH) {
    const put = await call('POST', at.records, { records: records.slice(from, from + BATCH) })
    if (put.status !== 202) throw new Error(JSON.stringify(put))
    const get = async (/** @type {string} */ method, /** @type {string} */ path) => (await call(method, path)).body
    await waitForJob(/** @type {any} */ (get), storage, put.body.job_id)
  }
  return at
}

/** @param {number} index */
const message = (index) => ({
  external_id: `m${index}`,
  type: index % 3 === 0 ? 'issue' : 'message',
  title: `Delivery ${index} of the harbour project`,
  text: `Person${index % 900} Lastname${index % 800} moved crate ${index} to pier ${index % 70}.`,
  author: `Person${index % 900} Lastname${index % 800}`,
  properties: { pier: index % 70, price: index % 500 },
  entities: [{ type: 'crate', name: `Crate ${index}` }],
})
const many = (/** @type {number} */ count) => Array.from({ length: count }, (_, index) => message(index))

/** @param {number[]} times */
const median = (times) => times.sort((one, other) => one - other)[Math.floor(times.length / 2)] ?? Number.NaN

const quiet = sender(cairn.apiKey)
const made = await sender(ADMIN_KEY)('POST', '/api/v1/admin/accounts', { display_name: 'Loud' })
const loud = sender(made.body.key)
const calm = await seed(quiet, 'pro', many(NEIGHBOUR_RECORDS))
const busy = await seed(loud, 'enterprise', many(LOUD_RECORDS))
const found = await quiet('POST', `${calm.query}/discover`, { query: 'Which crates went to pier 12?' })
const busyFound = await loud('POST', `${busy.query}/discover`, { query: 'Which crates went to pier 12?' })
if (found.status !== 200 || busyFound.status !== 200) throw new Error('The questions of the preparation failed.')

const longQuery = 'Which crates of the harbour project were moved to pier twelve by Person4 Lastname4? '.repeat(58)
const ids = busyFound.body.items.flatMap((/** @type {{ canonical_ids: string[] }} */ item) => item.canonical_ids)
const tuples = Array.from({ length: 200 }, (_, at) => ids.slice(at % 5, 50))

/** @type {[string, number, () => Promise<unknown>][]} */
const attacks = [
  ['32 x search of 4.9 KB', 32, () => loud('POST', `${busy.query}/search`, { query: longQuery })],
  ['32 x entities?limit=1000', 32, () => loud('GET', `${busy.storage}/entities?limit=1000`)],
  ['32 x typed rows', 32, () => loud('POST', `${busy.query}/search`, { query: 'How many issues are there per pier?' })],
  [
    '16 x interpret of 200 tuples',
    16,
    () => loud('POST', `${busy.query}/interpret`, { query: 'Pier 12?', items: tuples }),
  ],
  ['4 x export', 4, () => loud('GET', `${busy.storage}/export`)],
  ['64 x openapi.json', 64, () => stranger('GET', '/openapi.json')],
  ['64 x metrics', 64, () => stranger('GET', '/metrics', undefined, { authorization: `Bearer ${ADMIN_KEY}` })],
  ['64 x unknown keys (401)', 64, () => stranger('GET', '/api/v1/users/me/profile')],
]
const stranger = sender(`${cairn.apiKey.slice(0, -7)}abcdefg`)

/** Runs a load until stopped, and counts its reply statuses. */
function load(/** @type {number} */ width, /** @type {() => Promise<any>} */ once) {
  let isOver = false
  /** @type {Record<string, number>} */
  const answered = {}
  const loops = Array.from({ length: width }, async () => {
    while (!isOver) {
      const { status } = await once().catch(() => ({ status: 'broken' }))
      answered[status] = (answered[status] ?? 0) + 1
      // A rejected client retries after a pause.
      if (status !== 200) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
  })
  return async () => {
    isOver = true
    await Promise.all(loops)
    return answered
  }
}

/** Returns the median duration of sequential requests over a period, in milliseconds. */
async function measure(/** @type {(index: number) => Promise<{ status: number }>} */ once) {
  const times = []
  const until = performance.now() + PHASE_MS
  for (let index = 0; performance.now() < until || index === 0; index += 1) {
    const from = performance.now()
    const { status } = await once(index)
    if (status !== 200) throw new Error(`The neighbour was answered ${status}.`)
    times.push(performance.now() - from)
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
  return median(times)
}

let written = 0
const ask = () => quiet('POST', `${calm.query}/discover`, { query: 'Which crates went to pier 12?' })
const put = () => {
  written += 1
  const record = { external_id: `w${written}`, type: 'message', text: `Crate ${written} waits.` }
  return quiet('POST', calm.records, { records: [record] }, { prefer: 'wait=30' })
}
await measure(ask)
await measure(put)
const alone = { ask: await measure(ask), put: await measure(put) }
const row = (/** @type {unknown[]} */ ...cells) => console.log(cells.map((cell) => String(cell).padStart(12)).join(' '))
console.log(
  `Limits of the free tier: ${isUnlimited ? 'off' : 'on'}. Medians in milliseconds; times is under load / alone.`,
)
row('discover', 'times', 'put+wait', 'times', '  load')
row(alone.ask.toFixed(1), '1.0', alone.put.toFixed(1), '1.0', '  none')
for (const [name, width, once] of attacks) {
  if (only && !name.includes(only)) continue
  const stop = load(width, once)
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
  const under = { ask: await measure(ask), put: await measure(put) }
  const answered = await stop()
  const times = { ask: under.ask / alone.ask, put: under.put / alone.put }
  const label = `  ${name}  ${JSON.stringify(answered)}`
  row(under.ask.toFixed(1), times.ask.toFixed(1), under.put.toFixed(1), times.put.toFixed(1), label)
}
await cairn.stop()
process.exit()
