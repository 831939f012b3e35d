// Measures the first question to a process that has not loaded the sandbox, over HTTP. Compares, in one run: the
// graph's index snapshot, a snapshot with as many newer records as possible before it is rewritten, and a rebuild from
// all rows. If S3_ENDPOINT, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY name a store, the records are in it with 15 ms
// latency, and the snapshot is measured with an empty and with a warm disk cache.
// Usage: npm run bench:cold [-- RECORDS…]
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { client, makeSandbox, startCairn, untilTaken, waitForJob } from './cairn-process.mjs'
import { hasStore, makeBucket, startProxy } from './object-store.mjs'
import { openWorkload } from './workload.mjs'

const SIZES = process.argv.slice(2).map(Number)
const LINES_PER_REQUEST = 20_000
/** Divisor for the number of newer rows; their share stays below the limit at which the snapshot is rewritten. */
const NEWER_SHARE = 20
const ROUNDS = 3
const LOOK_MS = 500
const IMAGE_MS_MAX = 300_000
const DELAY_MS = 15
/**
 * Milliseconds of idle time after which the snapshot is written, datasets are compacted, and the snapshot is written
 * again.
 */
const SETTLED_MS = 80_000
const MIB = 2 ** 20

if (SIZES.length === 0) SIZES.push(100_000)
for (const size of SIZES) await (hasStore ? measureStore(size) : measure(size))

async function measure(size) {
  const workload = openWorkload()
  let cairn = await startCairn()
  const { folder, apiKey } = cairn
  try {
    const call = client(cairn)
    const sandbox = await makeSandbox(call, 'cold')
    await load(call, sandbox, workload, 0, size)
    const small = await makeSandbox(call, 'floor')
    await load(call, small, workload, 0, 1)
    const query = workload.question(workload.record(size - 1))
    const image = await untilKept(() => imagesIn(folder).flatMap(filesBelow))
    await cairn.stop({ keep: true })
    console.log(
      `\n${size} records; the image has ${(image / MIB).toFixed(0)} MiB, ${(image / size).toFixed(0)} bytes a record`,
    )
    const restarted = async (what, asked = sandbox) => {
      const rounds = []
      for (let round = 0; round < ROUNDS; round++) rounds.push(await firstQuestion(asked, query))
      const best = rounds.sort((one, other) => one.cpuMs - other.cpuMs)[0]
      const { cpuMs, wallMs, memory } = best
      console.log(
        `  ${what.padEnd(34)}${(cpuMs / 1000).toFixed(2)} s of processor, ${(wallMs / 1000).toFixed(2)} s; ` +
          `the process takes ${(memory / MIB).toFixed(0)} MiB then`,
      )
    }
    const firstQuestion = async (asked, text) => {
      cairn = await startCairn({ folder, apiKey })
      const figures = await ask(cairn, asked, text)
      await cairn.kill()
      return figures
    }
    await restarted('floor: of a sandbox of one record', small)
    await restarted('with the image')
    cairn = await startCairn({ folder, apiKey })
    await load(client(cairn), sandbox, workload, size, size + Math.floor(size / NEWER_SHARE))
    await cairn.kill()
    await restarted(`with ${Math.floor(size / NEWER_SHARE)} records after it`)
    for (const path of imagesIn(folder)) rmSync(path, { recursive: true })
    await restarted('built anew')
    cairn = await startCairn({ folder, apiKey })
  } finally {
    await cairn.stop()
  }
}

/** Measures the same with records and snapshot in an object store. Each round uses a new process. */
async function measureStore(size) {
  const workload = openWorkload()
  const proxy = await startProxy(DELAY_MS)
  const env = { STORAGE_URL: `s3://${await makeBucket()}/k`, S3_ENDPOINT: proxy.url }
  let cairn = await startCairn({ env })
  const { folder, apiKey } = cairn
  const cache = join(folder, 'cache')
  try {
    const sandbox = await makeSandbox(client(cairn), 'cold')
    await load(client(cairn), sandbox, workload, 0, size)
    const query = workload.question(workload.record(size - 1))
    await untilSettled(() => proxy.seen().bytesPut)
    const bytes = bytesOf(filesBelow(cache))
    await cairn.stop({ keep: true })
    console.log(
      `\n${size} records in a store ${DELAY_MS} ms away; the disk keeps ${(bytes / MIB).toFixed(0)} MiB of it`,
    )
    for (const [what, before] of [
      ['with an empty disk', () => rmSync(cache, { recursive: true, force: true })],
      ['with a warm disk', () => undefined],
    ]) {
      const rounds = []
      for (let round = 0; round < ROUNDS; round++) {
        before()
        cairn = await startCairn({ folder, apiKey, env })
        proxy.reset()
        const figures = await ask(cairn, sandbox, query)
        rounds.push({ ...figures, ...proxy.seen() })
        await cairn.kill()
      }
      const { cpuMs, wallMs, requests, bytesGot } = rounds.sort((one, other) => one.wallMs - other.wallMs)[0]
      console.log(
        `  ${what.padEnd(20)}${requests} requests, ${(bytesGot / MIB).toFixed(1)} MiB read, ` +
          `${(cpuMs / 1000).toFixed(2)} s of processor, ${(wallMs / 1000).toFixed(2)} s`,
      )
    }
    cairn = await startCairn({ folder, apiKey, env })
  } finally {
    await cairn.stop()
    proxy.close()
  }
}

/** Asks a process its first question. */
async function ask(cairn, sandbox, query) {
  const before = cairn.cpuMs()
  const from = performance.now()
  await client(cairn)('POST', `${sandbox.query}/discover`, { query })
  return { cpuMs: cairn.cpuMs() - before, wallMs: performance.now() - from, memory: cairn.memory().now }
}

/** Loads records by number and waits until they can be queried. */
async function load(call, sandbox, workload, from, to) {
  let last
  for (let at = from; at < to; at += LINES_PER_REQUEST) {
    const numbers = Array.from({ length: Math.min(to - at, LINES_PER_REQUEST) }, (_, line) => at + line)
    const lines = numbers.map((number) => JSON.stringify(workload.record(number)))
    last = await untilTaken(() => call('POST', sandbox.records, lines.join('\n')))
  }
  await waitForJob(call, sandbox.storage, last.job_id)
}

/** Returns the index snapshots of the sandboxes in a data folder. */
function imagesIn(folder) {
  return readdirSync(join(folder, 'knowledge'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name === 'graph')
    .map((entry) => join(entry.parentPath, entry.name))
}

/** Returns the files below a folder; none if it does not exist. */
function filesBelow(folder) {
  if (!existsSync(folder)) return []
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries.flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : []))
}

function bytesOf(paths) {
  return paths.reduce((sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0)
}

/** Waits until nothing has been written for a while, which means that idle work is done. */
async function untilSettled(written) {
  const latest = performance.now() + IMAGE_MS_MAX
  let before = 0
  for (let sinceMs = performance.now(); performance.now() < latest; ) {
    await sleep(LOOK_MS)
    if (written() !== before) sinceMs = performance.now()
    before = written()
    if (performance.now() - sinceMs > SETTLED_MS) return
  }
}

/** Waits until an index snapshot is complete, and returns its bytes. */
async function untilKept(files) {
  let before = 0
  for (const until = performance.now() + IMAGE_MS_MAX; performance.now() < until; ) {
    await sleep(LOOK_MS * 4)
    const bytes = bytesOf(files())
    if (bytes > 0 && bytes === before) return bytes
    before = bytes
  }
  throw new Error('No image was written.')
}

function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
