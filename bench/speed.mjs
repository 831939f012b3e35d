// Measures speed over HTTP at a given size: ingest until queryable; discover, search and interpret with one and with
// many concurrent requests; discover during ingest; and memory. Baselines in the same run are Lance's own search and a
// bare HTTP round trip.
// Usage: npm run bench:speed [-- RECORDS [--read]]; with --read it first waits until all records are embedded.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { client, makeSandbox, startCairn, waitForJob } from './cairn-process.mjs'
import { poster, printTiming, quantiles, timed } from './timing.mjs'
import { openWorkload } from './workload.mjs'

const [count = '100000', ...options] = process.argv.slice(2)
const RECORDS = Number(count)
const LINES_PER_REQUEST = 20_000
const QUESTIONS = 400
const IN_FLIGHT = 16
const STREAMED = Math.min(20_000, RECORDS)
const LOOK_MS = 1_000
const MIB = 2 ** 20

const workload = openWorkload()
const records = Array.from({ length: RECORDS }, (_, number) => workload.record(number))
const questions = Array.from({ length: QUESTIONS }, () =>
  workload.question(records[Math.floor(workload.random() * RECORDS)]),
)
const cairn = await startCairn()
const call = client(cairn)
try {
  const sandbox = await makeSandbox(call, 'speed')
  const loaded = await load(sandbox, records)
  console.log(
    `ingest to queryable: ${RECORDS} records in ${loaded.toFixed(1)} s, ${(RECORDS / loaded).toFixed(0)} a second`,
  )
  console.log(`memory after ingest: ${memory()}\n`)
  if (options.includes('--read')) console.log(`read behind the ingest in ${(await untilRead(sandbox)).toFixed(0)} s\n`)
  console.log(`${'milliseconds'.padEnd(44)}     p50     p95     p99 a second`)
  const http = await bareHttp()
  printTiming('floor: bare HTTP round trip', http)
  const lance = await bareLance()
  printTiming('floor: bare Lance search, 50 rows', lance)
  await measureQueries(sandbox, lance, http)
  await measureWhileStreaming(sandbox)
  console.log(`\nmemory at the end: ${memory()}`)
} finally {
  await cairn.stop()
}

function memory() {
  const { now, peak } = cairn.memory()
  return `${(now / MIB).toFixed(0)} MiB, at its highest ${(peak / MIB).toFixed(0)} MiB`
}

async function load(sandbox, list) {
  const from = performance.now()
  for (let at = 0; at < list.length; at += LINES_PER_REQUEST) {
    const lines = list.slice(at, at + LINES_PER_REQUEST).map((record) => JSON.stringify(record))
    const { job_id: jobId } = await call('POST', sandbox.records, lines.join('\n'))
    if (at + LINES_PER_REQUEST >= list.length) await waitForJob(call, sandbox.storage, jobId)
  }
  await call('POST', `${sandbox.query}/discover`, { query: 'anything' })
  return (performance.now() - from) / 1000
}

async function untilRead(sandbox) {
  const from = performance.now()
  while ((await call('GET', `${sandbox.storage}/usage`)).reading.waiting > 0)
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  return (performance.now() - from) / 1000
}

async function measureQueries(sandbox, lance, http) {
  const { post, close } = poster(cairn.url, cairn.apiKey, IN_FLIGHT)
  const discover = (index) => post(`${sandbox.query}/discover`, { query: questions[index % QUESTIONS] })
  const pinned = []
  for (const query of questions) {
    const { items } = JSON.parse(await post(`${sandbox.query}/discover`, { query }))
    if (items.length > 0) pinned.push({ query, items: items.map((item) => item.canonical_ids) })
  }
  const interpret = (index) => post(`${sandbox.query}/interpret`, pinned[index % pinned.length])
  const alone = await timed(QUESTIONS, 1, discover)
  printTiming(
    'discover, 1 in flight',
    alone,
    `${(alone.p50 / lance.p50).toFixed(2)} of bare Lance, ${(alone.p50 / http.p50).toFixed(1)} of bare HTTP`,
  )
  await measureFast(post, sandbox)
  const search = (index) => post(`${sandbox.query}/search`, { query: questions[index % QUESTIONS] })
  printTiming('search, 1 in flight', await timed(QUESTIONS, 1, search))
  printTiming('interpret, 1 in flight', await timed(QUESTIONS, 1, interpret))
  printTiming(`discover, ${IN_FLIGHT} in flight`, await timed(QUESTIONS * 5, IN_FLIGHT, discover))
  printTiming(`interpret, ${IN_FLIGHT} in flight`, await timed(QUESTIONS * 2, IN_FLIGHT, interpret))
  close()
}

/** Measures the overhead of semantic comparison: the same questions alternately without and with it. */
async function measureFast(post, sandbox) {
  const took = { fast: [], auto: [] }
  for (const query of questions) {
    for (const [preset, durations] of Object.entries(took)) {
      const from = performance.now()
      await post(`${sandbox.query}/discover`, { query, preset })
      durations.push(performance.now() - from)
    }
  }
  const [fast, whole] = [quantiles(took.fast), quantiles(took.auto)]
  printTiming('discover, fast, 1 in flight', fast)
  printTiming(
    'discover, in turn with it',
    whole,
    `${(whole.p50 - fast.p50).toFixed(1)} ms more at the median than fast`,
  )
}

async function measureWhileStreaming(sandbox) {
  const { post, close } = poster(cairn.url, cairn.apiKey, 1)
  const more = Array.from({ length: STREAMED }, (_, at) => workload.record(RECORDS + at))
  let isLoading = true
  const from = performance.now()
  const loading = load(sandbox, more).finally(() => {
    isLoading = false
  })
  const durations = []
  for (let at = 0; isLoading; at++) {
    const started = performance.now()
    await post(`${sandbox.query}/discover`, { query: questions[at % QUESTIONS] })
    durations.push(performance.now() - started)
  }
  await loading
  const rate = STREAMED / ((performance.now() - from) / 1000)
  printTiming(
    'discover, 1 in flight, while records stream in',
    quantiles(durations),
    `${rate.toFixed(0)} records a second at the same time`,
  )
  close()
}

/** Measures a plain Node server that reads a body and returns as many bytes as discover. */
async function bareHttp() {
  const child = spawn(process.execPath, [fileURLToPath(new URL('./bare-http.mjs', import.meta.url))], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const url = await new Promise((resolve) => child.stdout.once('data', (line) => resolve(String(line).trim())))
  const { post, close } = poster(url, 'none', 1)
  await timed(QUESTIONS, 1, () => post('/', { query: 'warm-up' }))
  const figures = await timed(QUESTIONS * 5, 1, (index) => post('/', { query: questions[index % QUESTIONS] }))
  close()
  child.kill()
  return figures
}

/** Measures LanceDB's own full-text search of the same texts in this process. */
async function bareLance() {
  const { connect, Index, MatchQuery } = await import('@lancedb/lancedb')
  const folder = mkdtempSync(join(tmpdir(), 'cairn-lance-'))
  try {
    const db = await connect(folder)
    const table = await db.createTable(
      'texts',
      records.map(({ external_id: id, title, text }) => ({ id, text: `${title ?? ''} ${text}` })),
    )
    await table.createIndex('text', { config: Index.fts({ withPosition: false }) })
    const search = (index) =>
      table
        .query()
        .fullTextSearch(new MatchQuery(questions[index % QUESTIONS], 'text'))
        .select(['id', '_score'])
        .limit(50)
        .toArray()
    await timed(50, 1, search)
    return await timed(QUESTIONS, 1, search)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
