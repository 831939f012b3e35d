// Measures the effect of size over HTTP: one sandbox that grows tenfold twice, with every operation at each size; then
// many small sandboxes and the first question to each after a restart; then the time until a record is found while a
// thousand others per second are ingested. Each growth is printed as a ratio to the previous size.
// Usage: npm run bench:scale [-- RECORDS [SANDBOXES]]; 0 skips that part.
import { readdirSync } from 'node:fs'
import { client, makeSandbox, startCairn, untilTaken, waitForJob } from './cairn-process.mjs'
import { poster, quantiles, timed } from './timing.mjs'
import { openWorkload } from './workload.mjs'

const RECORDS = Number(process.argv[2] ?? 1_000_000)
const SANDBOXES = Number(process.argv[3] ?? 10_000)
const SIZES = [RECORDS / 100, RECORDS / 10, RECORDS].map(Math.round)
const LINES_PER_REQUEST = 20_000
const QUESTIONS = 200
/** One record in this many mentions the same customer. */
const HUB_SHARE = 10
const HUB = 'Northwind Works'
const RECORDS_PER_SANDBOX = 50
const WRITERS = 8
const ASKED_SANDBOXES = 1_000
const STREAMED_A_SECOND = 1_000
const STREAM_SECONDS = 30
const FOUND_MS_MAX = 30_000
const MIB = 2 ** 20

if (RECORDS > 0) await grow()
if (SANDBOXES > 0) await spread()

/** Returns a record of the workload. A constant share of all records mentions one entity, at any size. */
function recordOf(workload, number) {
  const record = workload.record(number)
  if (number % HUB_SHARE !== 0) return record
  return { ...record, entities: [...(record.entities ?? []), { type: 'organisation', name: HUB }] }
}

/** Measures one sandbox that grows tenfold at each step. */
async function grow() {
  const workload = openWorkload()
  const cairn = await startCairn()
  try {
    const call = client(cairn)
    const sandbox = await makeSandbox(call, 'scale')
    const table = []
    for (const [step, size] of SIZES.entries()) {
      const from = step === 0 ? 0 : SIZES[step - 1]
      const seconds = await load(call, sandbox, workload, from, size)
      const sampled = Array.from({ length: QUESTIONS }, () => workload.question(workload.record(size - 1)))
      table.push({ size, rate: (size - from) / seconds, ...(await measure(cairn, call, sandbox, sampled)) })
      printStep(table)
    }
    await readOwnWrites(cairn, call, sandbox, workload)
  } finally {
    await cairn.stop()
  }
}

/** Loads records by number and returns the seconds until the last one can be queried. */
async function load(call, sandbox, workload, from, to) {
  const startedAt = performance.now()
  let last
  for (let at = from; at < to; at += LINES_PER_REQUEST) {
    const lines = []
    for (let number = at; number < Math.min(to, at + LINES_PER_REQUEST); number++) {
      lines.push(JSON.stringify(recordOf(workload, number)))
    }
    last = await untilTaken(() => call('POST', sandbox.records, lines.join('\n')))
  }
  await waitForJob(call, sandbox.storage, last.job_id)
  await call('POST', `${sandbox.query}/discover`, { query: 'anything' })
  return (performance.now() - startedAt) / 1000
}

async function measure(cairn, call, sandbox, questions) {
  const { post, close } = poster(cairn.url, cairn.apiKey, 1)
  const ask = (path, body) => post(`${sandbox.query}/${path}`, body)
  const pinned = []
  for (const query of questions) {
    const { items } = JSON.parse(await ask('discover', { query }))
    if (items.length > 0) pinned.push({ query, items: items.map((item) => item.canonical_ids) })
  }
  const discover = await timed(QUESTIONS, 1, (at) => ask('discover', { query: questions[at] }))
  const interpret = await timed(QUESTIONS, 1, (at) => ask('interpret', pinned[at % pinned.length]))
  const { results } = await call('GET', `${sandbox.storage}/entities/search?q=${encodeURIComponent(HUB)}&limit=1`)
  const items = [[results[0].canonical_id]]
  const hub = await timed(QUESTIONS, 1, (at) => ask('interpret', { query: questions[at], items }))
  close()
  const { now, peak } = cairn.memory()
  return { discover: discover.p95, interpret: interpret.p95, hub: hub.p95, now: now / MIB, peak: peak / MIB }
}

function printStep(table) {
  const row = table.at(-1)
  const before = table.at(-2)
  const against = (name) => (before === undefined ? '' : ` (${(row[name] / before[name]).toFixed(2)} of before)`)
  console.log(`\n${row.size} records in one sandbox`)
  console.log(`  ingest to queryable     ${row.rate.toFixed(0)} a second${against('rate')}`)
  for (const name of ['discover', 'interpret', 'hub']) {
    const label = name === 'hub' ? `interpret, 1 of ${HUB_SHARE}` : name
    console.log(`  ${label.padEnd(24)}${row[name].toFixed(1)} ms p95${against(name)}`)
  }
  console.log(
    `  memory                  ${row.now.toFixed(0)} MiB, at its highest ${row.peak.toFixed(0)}${against('now')}`,
  )
}

/** Writes at a steady rate and queries single new records until each is found. */
async function readOwnWrites(cairn, call, sandbox, workload) {
  const { post, close } = poster(cairn.url, cairn.apiKey, 4)
  const durations = []
  let missing = 0
  let written = 0
  const probing = []
  const startedAt = performance.now()
  for (let second = 0; second < STREAM_SECONDS; second++) {
    const lines = Array.from({ length: STREAMED_A_SECOND }, () =>
      JSON.stringify({ ...workload.record(RECORDS - 1), external_id: `stream-${written++}` }),
    )
    await call('POST', sandbox.records, lines.join('\n'))
    probing.push(probe(`probe${second}${'qwertz'.repeat(2)}`))
    await sleep(startedAt + (second + 1) * 1_000 - performance.now())
  }
  await Promise.all(probing)
  close()
  const { p50, p95 } = quantiles(durations)
  console.log(`\nread your writes while ${STREAMED_A_SECOND} records a second come in, ${RECORDS} being there`)
  console.log(`  from 2xx to found       ${p50.toFixed(0)} ms p50, ${p95.toFixed(0)} ms p95; ${missing} not found`)

  async function probe(word) {
    const records = [{ external_id: word, type: 'note', text: `The ${word} is here.` }]
    await post(sandbox.records, { records })
    const from = performance.now()
    for (;;) {
      const { items } = JSON.parse(await post(`${sandbox.query}/discover`, { query: `Where is the ${word}?` }))
      if (items.some(({ external_id: id }) => id === word)) break
      if (performance.now() - from > FOUND_MS_MAX) {
        missing++
        return
      }
      await sleep(20)
    }
    durations.push(performance.now() - from)
  }
}

/** Measures many small sandboxes: loading them, then the first question to each after a restart. */
async function spread() {
  const workload = openWorkload()
  const first = await startCairn()
  const made = []
  const startedAt = performance.now()
  const call = client(first)
  await timed(SANDBOXES, WRITERS, async (at) => {
    const sandbox = await makeSandbox(call, `scale ${at}`)
    const records = Array.from({ length: RECORDS_PER_SANDBOX }, (_, number) => workload.record(number))
    const { job_id: jobId } = await call('POST', sandbox.records, { records })
    made.push({ sandbox, jobId, query: workload.question(records[0]) })
  })
  for (const { sandbox, jobId } of made) await waitForJob(call, sandbox.storage, jobId)
  const seconds = (performance.now() - startedAt) / 1000
  await first.stop({ keep: true })
  console.log(`\n${SANDBOXES} sandboxes of ${RECORDS_PER_SANDBOX} records`)
  console.log(`  made and loaded         ${(SANDBOXES / seconds).toFixed(0)} a second`)
  const second = await startCairn({ folder: first.folder, apiKey: first.apiKey })
  try {
    const { post, close } = poster(second.url, second.apiKey, 1)
    const stride = Math.max(1, Math.floor(SANDBOXES / ASKED_SANDBOXES))
    const asked = made.filter((_, at) => at % stride === 0)
    const figures = await timed(asked.length, 1, (at) =>
      post(`${asked[at].sandbox.query}/discover`, { query: asked[at].query }),
    )
    for (const { sandbox, query } of made) await post(`${sandbox.query}/discover`, { query })
    close()
    const { now, peak } = second.memory()
    console.log(`  first discover of each  ${figures.p50.toFixed(1)} ms p50, ${figures.p95.toFixed(1)} ms p95`)
    console.log(
      `  after one to every one  ${(now / MIB).toFixed(0)} MiB, at its highest ${(peak / MIB).toFixed(0)} MiB`,
    )
    console.log(`  open files              ${readdirSync(`/proc/${second.pid}/fd`).length}`)
  } finally {
    await second.stop()
  }
}

function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)))
}
