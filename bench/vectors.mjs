// Measures the cost of vectors: per record after ingest, and per question compared with the same question without them,
// in one run with a fast loopback model.
// Usage: npm run bench:vectors [-- RECORDS [DIMENSIONS]]
import { createServer } from 'node:http'
import { client, makeSandbox, startCairn, waitForJob } from './cairn-process.mjs'
import { poster, printTiming, timed } from './timing.mjs'
import { openWorkload, seeded } from './workload.mjs'

const RECORDS = Number(process.argv[2] ?? 100_000)
const DIMENSIONS = Number(process.argv[3] ?? 768)
const LINES_PER_REQUEST = 20_000
const QUESTIONS = 200
const WARM_UP = 20
/**
 * Number of distinct vectors of the model: enough that each is near to few others, few enough to generate them in
 * advance.
 */
const VECTORS = 4_096
const LOOK_MS = 100
const QUIET_MS = 3_000
const MIB = 2 ** 20

const random = seeded(5)
const vectors = Array.from({ length: VECTORS }, () =>
  JSON.stringify(Array.from({ length: DIMENSIONS }, () => Number((random() - 0.5).toFixed(6)))),
)
let texts = 0
const model = createServer(async (request, response) => {
  const parts = []
  for await (const part of request) parts.push(part)
  const { input } = JSON.parse(Buffer.concat(parts).toString('utf8'))
  const data = input.map((text, index) => `{"index":${index},"embedding":${vectors[pick(text)]}}`)
  texts += input.length
  response.setHeader('content-type', 'application/json').end(`{"data":[${data.join(',')}],"usage":{"total_tokens":1}}`)
})
await new Promise((resolve) => model.listen(0, '127.0.0.1', () => resolve(undefined)))

const { port } = /** @type {import('node:net').AddressInfo} */ (model.address())
const cairn = await startCairn({
  env: {
    CAIRN_EMBED_BASE_URL: `http://127.0.0.1:${port}`,
    CAIRN_EMBED_NAME: 'bench',
    CAIRN_EMBED_DIMENSIONS: String(DIMENSIONS),
    CAIRN_EMBED_REQUESTS_PER_MINUTE: '60000',
    CAIRN_EMBED_SIMILARITY_MIN: '0',
  },
})
try {
  const workload = openWorkload()
  const records = Array.from({ length: RECORDS }, (_, number) => workload.record(number))
  const call = client(cairn)
  const sandbox = await makeSandbox(call, 'vectors')
  const from = performance.now()
  const [fromCpu, fromMemory] = [cairn.cpuMs(), cairn.memory().now]
  for (let at = 0; at < records.length; at += LINES_PER_REQUEST) {
    const lines = records.slice(at, at + LINES_PER_REQUEST).map((record) => JSON.stringify(record))
    const { job_id: jobId } = await call('POST', sandbox.records, lines.join('\n'))
    if (at + LINES_PER_REQUEST >= records.length) await waitForJob(call, sandbox.storage, jobId)
  }
  const [applied, appliedCpu] = [performance.now(), cairn.cpuMs()]
  console.log(
    `${RECORDS} records can be queried after ${seconds(applied - from)} s, ${texts} of them given to the model by then`,
  )
  let changed = performance.now()
  for (let seen = -1; texts < RECORDS || performance.now() - changed < QUIET_MS; await rest(LOOK_MS)) {
    if (seen !== texts) changed = performance.now()
    seen = texts
  }
  const cpu = cairn.cpuMs() - appliedCpu
  console.log(`all have vectors ${seconds(changed - applied)} s later, of ${DIMENSIONS} dimensions`)
  console.log(`processor: ${each(appliedCpu - fromCpu)} ms a record until then, ${each(cpu)} ms a record after it`)
  console.log(`memory: ${mib(fromMemory)} MiB before, ${mib(cairn.memory().now)} MiB with all vectors\n`)

  const { post, close } = poster(cairn.url, cairn.apiKey, 1)
  const questions = Array.from({ length: QUESTIONS }, () => workload.question(records[Math.floor(random() * RECORDS)]))
  /** @param {string} preset */
  const discover = (preset) => (/** @type {number} */ index) =>
    post(`${sandbox.query}/discover`, { query: questions[index % QUESTIONS], preset })
  for (const preset of ['fast', 'auto']) await timed(WARM_UP, 1, discover(preset))
  console.log(`${'milliseconds'.padEnd(44)}     p50     p95     p99 a second`)
  const without = await timed(QUESTIONS, 1, discover('fast'))
  printTiming('discover without vectors', without)
  const withThem = await timed(QUESTIONS, 1, discover('auto'))
  printTiming('discover with vectors', withThem, `${(withThem.p50 - without.p50).toFixed(1)} ms more at p50`)
  close()
} finally {
  await cairn.stop()
  model.close()
}

/** @param {string} text */
function pick(text) {
  let hash = 7
  for (let at = 0; at < text.length; at += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) >>> 0
  return hash % VECTORS
}

/** @param {number} ms */
function rest(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** @param {number} ms */
function seconds(ms) {
  return (ms / 1_000).toFixed(1)
}

/** @param {number} ms */
function each(ms) {
  return (ms / RECORDS).toFixed(2)
}

/** @param {number} bytes */
function mib(bytes) {
  return (bytes / MIB).toFixed(0)
}
