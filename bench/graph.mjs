// Measures the memory and build time of a graph, and its ranking time. Larger sizes repeat the analyzed records with
// new ids, because ingesting that many would take hours.
// Usage: npm run bench:graph [-- RECORDS…]
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRecordGraph, GraphFull, readSnapshotFile, writeSnapshotFile } from './product.mjs'
import { openSandbox } from './sandbox.mjs'
import { quantiles } from './timing.mjs'
import { openWorkload } from './workload.mjs'

const SIZES = process.argv.slice(2).map(Number)
/** Number of records that are analyzed; a larger graph repeats them. */
const ANALYSED = 50_000
const QUESTIONS = 200
const WARM_UP = 50
const RANKED = 50
const ID_DIGITS = 26
const TIE_MAX = 2 ** 52
const MIB = 2 ** 20
/** Bytes of the key that signs an index snapshot. */
const KEY_BYTES = 32

if (SIZES.length === 0) SIZES.push(100_000, 1_000_000)
const workload = openWorkload()
const sent = Array.from({ length: Math.min(ANALYSED, Math.max(...SIZES)) }, (_, number) => workload.record(number))
const sandbox = await openSandbox(sent)
const questions = Array.from({ length: QUESTIONS }, () =>
  sandbox.analyse(workload.question(sent[Math.floor(workload.random() * sent.length)])),
)
for (const size of SIZES) await measure(size)

/** Returns an id like the product's: base 32, sortable by creation order. */
function idOf(number) {
  return `rec_${number.toString(32).padStart(ID_DIGITS, '0')}`
}

function rowOf(number) {
  const row = sandbox.rows[number % sandbox.rows.length]
  const tie = (row.tie + number * 1_000_003) % TIE_MAX
  const externalKey = (row.externalKey + number * 1_000_033) % TIE_MAX
  return { ...row, id: idOf(number), seq: 1 + Math.floor(number / 1_000), tie, externalKey }
}

/** Returns the memory of the process after garbage collection. */
function memory() {
  globalThis.gc?.()
  globalThis.gc?.()
  const { heapUsed, arrayBuffers, rss } = process.memoryUsage()
  return { heapUsed, arrayBuffers, rss }
}

function build(size) {
  const graph = createRecordGraph()
  for (const { id, type, keys } of sandbox.entities) graph.putEntity({ id, type, keys })
  try {
    for (let number = 0; number < size; number++) graph.putRecord(rowOf(number))
  } catch (error) {
    if (!(error instanceof GraphFull)) throw error
    console.log(`\nrefused: ${error.message}`)
  }
  return graph
}

async function measure(asked) {
  const before = memory()
  const cpu = process.cpuUsage()
  const graph = build(asked)
  const size = graph.recordCount
  const { user, system } = process.cpuUsage(cpu)
  const after = memory()
  const per = (name) => ((after[name] - before[name]) / size).toFixed(0)
  const held = `${per('heapUsed')} of heap and ${per('arrayBuffers')} beside it`
  console.log(`\n${size} records, ${sandbox.entities.length} entities`)
  console.log(`  built in                ${((user + system) / size).toFixed(1)} µs of processor a record`)
  console.log(`  bytes a record          ${(graph.bytes / size).toFixed(0)} estimated; ${held}`)
  console.log(`  resident                ${(after.rss / MIB).toFixed(0)} MiB`)
  const rank = (at) => graph.rank(questions[at % QUESTIONS], null, RANKED)
  for (let at = 0; at < WARM_UP; at++) rank(at)
  const ranked = process.cpuUsage()
  const spent = Array.from({ length: QUESTIONS }, (_, at) => {
    const from = performance.now()
    rank(at)
    return performance.now() - from
  })
  const { p50, p95 } = quantiles(spent)
  const ranking = process.cpuUsage(ranked)
  const each = (ranking.user + ranking.system) / 1_000 / QUESTIONS
  console.log(
    `  ranking                 ${p50.toFixed(1)} ms p50, ${p95.toFixed(1)} ms p95; ${each.toFixed(1)} of processor`,
  )
  await measureImage(graph)
}

/** Measures writing and reading an index snapshot, with a warm disk cache. */
async function measureImage(graph) {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-image-'))
  const store = {
    writeSegment: async (name, bytes) => writeFileSync(join(folder, name), bytes),
    readSegment: async (name) => readFileSync(join(folder, name)),
  }
  const access = { store, seal: undefined, key: randomBytes(KEY_BYTES) }
  const spentIn = async (work) => {
    const [cpu, from] = [process.cpuUsage(), performance.now()]
    const result = await work()
    const { user, system } = process.cpuUsage(cpu)
    return { result, cpu: (user + system) / 1e6, wall: (performance.now() - from) / 1e3 }
  }
  try {
    const steps = { assertSame: () => undefined, yieldIfDue: () => undefined }
    const kept = await spentIn(() => writeSnapshotFile(access, 'graph', graph.toSnapshot(), steps))
    const read = await spentIn(async () =>
      createRecordGraph(await readSnapshotFile(access, 'graph', async () => undefined)),
    )
    if (read.result.recordCount !== graph.recordCount) throw new Error('The image holds another graph.')
    for (const [what, { cpu, wall }] of Object.entries({ kept, read })) {
      console.log(`  ${`as a file, ${what}`.padEnd(24)}${cpu.toFixed(2)} s of processor, ${wall.toFixed(2)} s`)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
