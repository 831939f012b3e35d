// Measures several processes on one PostgreSQL and one store, including recovery, for `npm run bench:cluster`.
import { setTimeout as sleep } from 'node:timers/promises'
import { client, makeSandbox } from './cairn-process.mjs'
import { startNodes } from './nodes.mjs'
import { MAIN } from './product.mjs'

const DELAY_MS = 15
const SANDBOXES = 12
const KILLS = 5
const ROUNDS = 4
const REST_MS = { before: 10_000, counted: 15_000 }
const HELD = { nodes: 4, sandboxes: 40 }

/** @typedef {ReturnType<typeof client>} Call */
/** @typedef {Awaited<ReturnType<typeof makeSandbox>>} Sandbox */
/** @typedef {Awaited<ReturnType<typeof startNodes>>} Cluster */

/**
 * Measures a build with home nodes, and this build also without them.
 * @param {string} main
 */
export async function measureNodes(main) {
  const name = main === MAIN ? 'this' : main.split('/').at(-5)
  for (const hasPlaces of main === MAIN ? [true, false] : [false]) {
    const label = `${name}${hasPlaces ? '' : ', no places'}`
    await onNodes({ main, count: 2, hasPlaces }, async (cluster) => {
      const calls = cluster.nodes.map((node) => client(node))
      const sandboxes = await sandboxesOf(calls)
      show(label, 'wait at the other node / at the holder', (await waitRatio(calls, sandboxes)).toFixed(2))
      show(label, 'transactions per second and idle node', (await restOf(cluster)).toFixed(1))
      const killed = await takenOverAfterKill(cluster, sandboxes)
      show(label, 'seconds from kill -9 to the commit elsewhere: median, longest', spread(killed))
      const stopped = await takenOverAfterStop(cluster, sandboxes)
      show(label, 'seconds from SIGTERM to the commit elsewhere: median, longest', spread(stopped))
    })
    await onNodes({ main, count: HELD.nodes, hasPlaces }, async (cluster) => {
      show(label, `graphs that ${HELD.nodes} nodes hold of ${HELD.sandboxes} sandboxes`, await heldBy(cluster))
    })
  }
}

/**
 * @param {Parameters<typeof startNodes>[0] extends infer O ? Omit<O, 'delayMs'> : never} options
 * @param {(cluster: Cluster) => Promise<void>} work
 */
async function onNodes(options, work) {
  const cluster = await startNodes({
    ...options,
    delayMs: DELAY_MS,
    env: { CAIRN_ENCODER: 'off', CAIRN_LOG_LEVEL: 'silent' },
  })
  try {
    await work(cluster)
  } finally {
    await cluster.stop()
  }
}

async function sandboxesOf(/** @type {Call[]} */ calls, count = SANDBOXES) {
  const sandboxes = []
  for (let at = 0; at < count; at += 1) sandboxes.push(await makeSandbox(/** @type {Call} */ (calls[0]), `s${at}`))
  for (const sandbox of sandboxes) await put(/** @type {Call} */ (calls[0]), sandbox)
  return sandboxes
}

let serial = 0

/** Stores one record and returns the milliseconds until it is applied. Repeats failed requests. */
async function put(/** @type {Call} */ call, /** @type {Sandbox} */ sandbox) {
  serial += 1
  const fromMs = performance.now()
  const record = { external_id: `r${serial}`, type: 'note', text: `About ${serial}.` }
  for (;;) {
    const job = await call('POST', sandbox.records, { records: [record] }, { prefer: 'wait=60' }).catch(() => undefined)
    if (job?.status === 'completed') return performance.now() - fromMs
    await sleep(20)
  }
}

/** Returns the median ratio of a record's duration at the slower node to that at the faster one, by sandbox. */
async function waitRatio(/** @type {Call[]} */ calls, /** @type {Sandbox[]} */ sandboxes) {
  const ratios = []
  for (const sandbox of sandboxes) {
    /** @type {number[][]} */
    const took = calls.map(() => [])
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [at, call] of calls.entries()) took[at]?.push(await put(call, sandbox))
    }
    const [fast = 1, slow = 1] = took.map(median).sort((one, other) => one - other)
    ratios.push(slow / fast)
  }
  return median(ratios)
}

async function restOf(/** @type {Cluster} */ cluster) {
  await sleep(REST_MS.before)
  const before = await cluster.transactions()
  await sleep(REST_MS.counted)
  return ((await cluster.transactions()) - before) / (REST_MS.counted / 1_000) / cluster.nodes.length
}

/** Kills a node right after writes to all sandboxes, and times one record for each at the other node. */
async function takenOverAfterKill(/** @type {Cluster} */ cluster, /** @type {Sandbox[]} */ sandboxes) {
  const took = []
  for (let kill = 0; kill < KILLS; kill += 1) {
    const [victim, survivor] = cluster.nodes
    if (!victim || !survivor) return took
    const call = client(survivor)
    await Promise.all(sandboxes.map((sandbox) => put(call, sandbox)))
    await victim.kill()
    took.push(...(await Promise.all(sandboxes.map((sandbox) => put(call, sandbox)))))
    cluster.nodes.splice(0, 2, survivor, await cluster.start())
    await sleep(2_000)
  }
  return took
}

async function takenOverAfterStop(/** @type {Cluster} */ cluster, /** @type {Sandbox[]} */ sandboxes) {
  const took = []
  for (let stop = 0; stop < 2; stop += 1) {
    const [victim, survivor] = cluster.nodes
    if (!victim || !survivor) return took
    const call = client(survivor)
    await Promise.all(sandboxes.map((sandbox) => put(call, sandbox)))
    const stopping = victim.stop()
    took.push(...(await Promise.all(sandboxes.map((sandbox) => put(call, sandbox)))))
    await stopping
    cluster.nodes.splice(0, 2, survivor, await cluster.start())
    await sleep(2_000)
  }
  return took
}

/**
 * Queries every sandbox at every node in turn, as behind a load balancer, and counts the graphs that the nodes hold.
 */
async function heldBy(/** @type {Cluster} */ cluster) {
  const calls = cluster.nodes.map((node) => client(node))
  const sandboxes = await sandboxesOf(calls, HELD.sandboxes)
  for (const sandbox of sandboxes) {
    for (const call of calls) await call('POST', `${sandbox.query}/discover`, { query: 'About' })
  }
  const held = await Promise.all(cluster.nodes.map(graphsOf))
  return `${held.reduce((sum, count) => sum + count, 0)} (${held.join(' + ')})`
}

/** Returns the number of graphs that a node reports. A build without this metric holds every queried one. */
async function graphsOf(/** @type {{ url: string }} */ node) {
  const text = await (await fetch(`${node.url}/metrics`)).text()
  return Number(/^cairn_graphs (\d+)$/m.exec(text)?.[1] ?? HELD.sandboxes)
}

function median(/** @type {number[]} */ values) {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0
}

function spread(/** @type {number[]} */ ms) {
  return `${(median(ms) / 1_000).toFixed(1)}, ${(Math.max(...ms) / 1_000).toFixed(1)}`
}

function show(
  /** @type {string | undefined} */ name,
  /** @type {string} */ what,
  /** @type {string | number} */ figure,
) {
  console.log(`${name}: ${what}`.padEnd(90), figure)
}
