// Imports hostile documents, drawn by seed, into a running service while other requests are sent. Checks that the
// process survives, that its resident memory and the latency of other requests stay bounded, and that each file ends
// with a result or a reason. Usage: npm run test:hostile-documents [-- COUNT [SEED]]
import { readdirSync, readFileSync } from 'node:fs'
import { client, makeSandbox, startCairn } from '../../bench/cairn-process.mjs'
import { openLoopWatch } from '../../bench/loop-watch.mjs'
import { seeded } from '../../bench/workload.mjs'
import { hostileDocuments } from './generate.mjs'
import { sendDocument } from './send.mjs'
import { VALID } from './valid.mjs'

const COUNT = Number(process.argv[2] ?? 500)
const SEED = Number(process.argv[3] ?? Math.floor(performance.timeOrigin % 1_000_000))
const AT_ONCE = 3
const MIB = 1024 * 1024
const GROWTH_BYTES_MAX = 300 * MIB
const WAIT_MS_MAX = 1_000
/**
 * Maximum latency as a multiple of the idle latency. A busy machine slows every request, so a slow one is a fault only
 * above this.
 */
const TIMES_MAX = 5
const REST_MS = 10_000
const PAUSE_MS = 100
const SHOWN_MS = 10_000

console.log(`${COUNT} documents, seed ${SEED}`)
const loop = openLoopWatch()
const cairn = await startCairn({ env: { CAIRN_ENCODER: 'off', ...loop.env } })
const call = client(cairn)
/** @type {string[]} */
const faults = []
/** Names of the documents that are being imported. @type {Set<string>} */
const current = new Set()
try {
  const { storage, query } = await makeSandbox(call, 'hostile')
  for (const [name, bytes] of Object.entries(VALID)) await sendDocument(cairn, storage, { name, bytes })
  const resting = cairn.memory().now
  loop.watch(cairn)
  const rest = watchService(query)
  await new Promise((resolve) => setTimeout(resolve, REST_MS))
  const idle = (await rest.stop()).worst
  const watch = watchService(query)
  const { cpuMs } = await loop.during(() => importAll(storage))
  const { peak, worst, children } = await watch.stop()
  const grown = peak - resting
  console.log(`service: ${mib(resting)} MiB at rest, ${mib(peak)} at most; longest wait ${shown(worst.ms)}`)
  console.log(`longest wait at rest ${shown(idle.ms)}; longest stretch of the loop ${shown(cpuMs)} of processor`)
  console.log(`processes that read: ${children}`)
  if (grown > GROWTH_BYTES_MAX) faults.push(`The service grew by ${mib(grown)} MiB.`)
  if (cpuMs > WAIT_MS_MAX) faults.push(`The loop was busy with one thing for ${shown(cpuMs)}.`)
  const waitMsMax = Math.max(WAIT_MS_MAX, TIMES_MAX * idle.ms)
  if (worst.ms > waitMsMax) faults.push(`A request waited ${shown(worst.ms)}, while ${worst.during} was read.`)
  await call('GET', `${storage}/overview`)
} finally {
  await cairn.stop()
  loop.close()
}
for (const fault of faults) console.log(fault)
if (faults.length > 0) process.exitCode = 1

/** @param {string} storage */
async function importAll(storage) {
  const documents = hostileDocuments(COUNT, seeded(SEED))
  /** @type {Map<string, number>} */
  const outcomes = new Map()
  const work = async () => {
    for (const document of documents) {
      current.add(document.name)
      const begunMs = performance.now()
      const outcome = await sendDocument(cairn, storage, document)
      const ms = performance.now() - begunMs
      if (ms > SHOWN_MS) console.log(`${document.name}: ${outcome} after ${(ms / 1_000).toFixed(0)} s`)
      current.delete(document.name)
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  const summary = [...outcomes]
    .sort(([, one], [, other]) => other - one)
    .map(([outcome, count]) => `${count} ${outcome}`)
  console.log(summary.join(', '))
}

/** Sends search requests and samples the memory of the service until it is stopped. @param {string} query */
function watchService(query) {
  let isOver = false
  let peak = 0
  let worst = { ms: 0, during: '' }
  const seen = new Set()
  const run = async () => {
    while (!isOver) {
      const during = [...current].join(', ')
      const begunMs = performance.now()
      const asked = call('POST', `${query}/search`, { query: 'When does the night ferry leave the quay?' })
      // A "too busy" response is also a response, and its latency counts.
      await asked.catch(() => undefined)
      const ms = performance.now() - begunMs
      if (ms > worst.ms) worst = { ms, during }
      peak = Math.max(peak, cairn.memory().now)
      for (const pid of childrenOf(cairn.pid)) seen.add(pid)
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
  }
  const running = run()
  return {
    stop: async () => {
      isOver = true
      await running
      return { peak, worst, children: seen.size }
    },
  }
}

/** @param {number} pid */
function childrenOf(pid) {
  return readdirSync('/proc').filter((each) => {
    try {
      return (
        /^\d+$/.test(each) &&
        / \w (\d+)/.exec(readFileSync(`/proc/${each}/stat`, 'utf8').replace(/^.*\)/, ')'))?.[1] === String(pid)
      )
    } catch {
      return false
    }
  })
}

/** @param {number} ms */
function shown(ms) {
  return `${ms.toFixed(0)} ms`
}

/** @param {number} bytes */
function mib(bytes) {
  return (bytes / MIB).toFixed(0)
}
