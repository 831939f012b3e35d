// Tests two server processes on one PostgreSQL and an S3-compatible store with 15 ms latency, each the home node of
// some sandboxes. Data ingested at either is found at both. A store that hangs for one sandbox's objects delays no
// other sandbox. A killed or stopped process is replaced by the other one. Every acknowledged record exists exactly
// once. Prints its measurements. Reads S3_ENDPOINT, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY from the environment.
// Usage: npm run test:cluster
import { setTimeout as sleep } from 'node:timers/promises'
import { client, makeSandbox } from '../../bench/cairn-process.mjs'
import { startNodes } from '../../bench/nodes.mjs'
import { hasStore } from '../../bench/object-store.mjs'

if (!hasStore) {
  console.error('Set S3_ENDPOINT, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to an S3-compatible store.')
  process.exit(1)
}
const DELAY_MS = 15
const SANDBOXES = 6
/**
 * Maximum wait in milliseconds. A lease lasts longer, and a stopping process keeps replying for longer. So work that
 * continues at another process was handed off, or its holder was found dead; no lease expired. This order holds on a
 * busy machine too.
 */
const WAIT_MS = 60_000
const WAIT = { prefer: `wait=${WAIT_MS / 1_000}` }
const LOOK_MS = 50
const LEASE_SECONDS = 300
const DRAIN_SECONDS = 120
/**
 * Maximum milliseconds of a commit. A commit waits this long for hanging objects, so one that queued behind it would
 * take as long.
 */
const COMMIT_WAIT_MS = 45_000
const BOUNDS = { putBytes: 100_000, restPerSecond: 4 }
const REST_MS = { before: 8_000, counted: 8_000 }
let passed = 0

const cluster = await startNodes({
  count: 2,
  delayMs: DELAY_MS,
  env: { CAIRN_ENCODER: 'off', CAIRN_LEASE_SECONDS: String(LEASE_SECONDS), CAIRN_DRAIN_SECONDS: String(DRAIN_SECONDS) },
})
/** Acknowledged record ids by sandbox. @type {Map<string, Set<string>>} */
const acknowledged = new Map()
let serial = 0
try {
  await testAll(cluster.nodes.map((node) => client(node)))
} finally {
  // A graceful stop would take as long as configured, so kill the processes.
  for (const node of cluster.nodes) await node.kill()
  await cluster.stop()
}
console.log(`${passed} passed, 0 failed`)

/** @typedef {ReturnType<typeof client>} Call */
/** @typedef {Awaited<ReturnType<typeof makeSandbox>>} Sandbox */

async function testAll(/** @type {Call[]} */ calls) {
  const [here, there] = /** @type {[Call, Call]} */ (calls)
  /** @type {Sandbox[]} */
  const sandboxes = []
  for (let at = 0; at < SANDBOXES; at += 1) sandboxes.push(await makeSandbox(here, `s${at}`))
  for (const [at, sandbox] of sandboxes.entries()) {
    const id = await put(calls[at % 2] ?? here, sandbox)
    const found = await (calls[(at + 1) % 2] ?? here)('POST', `${sandbox.query}/discover`, { query: id })
    expectThat(found.count === 1, 'records sent to one process are found by the other')
  }
  const [first] = sandboxes
  if (!first) return
  await testHang(calls, sandboxes)
  await testRest(here, first)
  const writing = startWriting(calls, sandboxes)
  await sleep(2_000)
  await testKilled(here, sandboxes)
  await testStopped(there, sandboxes, writing)
  for (const sandbox of sandboxes) await assertOnce(sandbox)
}

/** Stores a record and waits until it is applied. */
async function put(/** @type {Call} */ call, /** @type {Sandbox} */ sandbox) {
  serial += 1
  const id = `record${serial}`
  const records = [{ external_id: id, type: 'note', text: `About ${id}.` }]
  const until = performance.now() + WAIT_MS
  let job = await call('POST', sandbox.records, { records }, WAIT)
  // A stopping process ends the waits of its requests; accepted work continues elsewhere.
  while (job.status !== 'completed') {
    if (performance.now() > until) throw new Error(`${id} is ${job.status} after ${WAIT_MS / 1_000} s`)
    await sleep(LOOK_MS)
    job = await call('GET', `${sandbox.storage}/ingest/${job.job_id}`)
  }
  const ids = acknowledged.get(sandbox.id) ?? new Set()
  acknowledged.set(sandbox.id, ids.add(id))
  return id
}

/** Hangs all requests for one sandbox's objects; other sandboxes must continue. */
async function testHang(/** @type {Call[]} */ calls, /** @type {Sandbox[]} */ [sick, well]) {
  if (!sick || !well) return
  cluster.proxy.hang(sick.id)
  const waiting = put(/** @type {Call} */ (calls[0]), sick)
  let slowest = 0
  for (let at = 0; at < 10; at += 1) {
    const fromMs = performance.now()
    await put(/** @type {Call} */ (calls[at % 2]), well)
    slowest = Math.max(slowest, performance.now() - fromMs)
  }
  cluster.proxy.hang(undefined)
  expectThat(
    slowest < COMMIT_WAIT_MS,
    `next to hanging objects another sandbox waits at most ${Math.round(slowest)} ms`,
  )
  await waiting
}

/** Checks that one record writes few bytes, and that an idle service makes few transactions. */
async function testRest(/** @type {Call} */ call, /** @type {Sandbox} */ sandbox) {
  cluster.proxy.reset()
  await put(call, sandbox)
  await sleep(REST_MS.before)
  const { bytesPut } = cluster.proxy.seen()
  expectThat(bytesPut < BOUNDS.putBytes, `one record writes ${Math.round(bytesPut / 1024)} KiB`)
  const before = await cluster.transactions()
  await sleep(REST_MS.counted)
  const perSecond = (await cluster.transactions()) - before
  const each = perSecond / (REST_MS.counted / 1_000) / cluster.nodes.length
  expectThat(each <= BOUNDS.restPerSecond, `an idle process makes ${each.toFixed(1)} transactions per second`)
}

/** Writes at both processes until stopped. Repeats failed writes at the other process. */
function startWriting(/** @type {Call[]} */ calls, /** @type {Sandbox[]} */ sandboxes) {
  let isStopping = false
  const write = async (/** @type {number} */ offset) => {
    for (let at = offset; !isStopping; at += 1) {
      const sandbox = /** @type {Sandbox} */ (sandboxes[at % sandboxes.length])
      await put(/** @type {Call} */ (calls[at % calls.length]), sandbox).catch(() => sleep(50))
    }
  }
  const writers = [0, 1, 2].map(write)
  return async () => {
    isStopping = true
    await Promise.all(writers)
  }
}

/** Kills the second process while it is written to. The first must take over its sandboxes. */
async function testKilled(/** @type {Call} */ survivor, /** @type {Sandbox[]} */ sandboxes) {
  const [, killed] = cluster.nodes
  await killed?.kill()
  const took = await Promise.all(sandboxes.map((sandbox) => timed(() => put(survivor, sandbox))))
  const slowest = Math.max(...took)
  await killed?.stop()
  expectThat(
    slowest < LEASE_SECONDS * 1_000,
    `after kill -9 every sandbox continues within ${(slowest / 1_000).toFixed(1)} s, and no lease ran out`,
  )
}

/** Starts another process and stops the first gracefully. The other takes over its work while it still replies. */
async function testStopped(
  /** @type {Call} */ _gone,
  /** @type {Sandbox[]} */ sandboxes,
  /** @type {() => Promise<void>} */ stopWriting,
) {
  const next = await cluster.start()
  const [first] = cluster.nodes
  cluster.nodes.push(next)
  const call = client(next)
  for (const sandbox of sandboxes) await put(call, sandbox)
  let isGone = false
  const stopping = first?.stop().then(() => {
    isGone = true
  })
  const took = await Promise.all(sandboxes.map((sandbox) => timed(() => put(call, sandbox))))
  const slowest = Math.max(...took)
  expectThat(
    !isGone,
    `after SIGTERM every sandbox continues within ${(slowest / 1_000).toFixed(1)} s, as it still answers`,
  )
  expectThat((await cluster.leaseOwners()) === 1, 'and it holds no lease any more')
  await stopWriting()
  await first?.kill()
  await stopping
  cluster.nodes.splice(0, cluster.nodes.length, next)
}

async function timed(/** @type {() => Promise<unknown>} */ work) {
  const fromMs = performance.now()
  await work()
  return performance.now() - fromMs
}

/** Checks that every acknowledged record exists and that none exists twice. */
async function assertOnce(/** @type {Sandbox} */ sandbox) {
  const call = client(/** @type {import('../../bench/nodes.mjs').Node} */ (cluster.nodes[0]))
  const lines = String(await call('GET', `${sandbox.storage}/export`)).split('\n')
  const ids = lines.flatMap((line) => /"external_id":"(record\d+)"/.exec(line)?.[1] ?? [])
  const wanted = acknowledged.get(sandbox.id) ?? new Set()
  const lost = [...wanted].filter((id) => !ids.includes(id))
  expectThat(lost.length === 0, `${wanted.size} acknowledged records: none lost`)
  expectThat(new Set(ids).size === ids.length, 'no duplicates')
}

function expectThat(/** @type {boolean} */ holds, /** @type {string} */ what) {
  if (!holds) throw new Error(`Expectation failed: ${what}`)
  passed += 1
  console.log(what)
}
