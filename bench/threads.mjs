// Measures the effect of ranking threads over HTTP. Two processes on copies of one data folder, one without and one
// with threads, are asked alternately, so that both run under the same conditions: discover and search with one and
// with many concurrent requests, and a neighbor's discover in a small sandbox while many requests query the large one.
// Usage: npm run bench:threads [-- RECORDS [THREADS]]
import { cpSync, mkdtempSync, readFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { client, makeSandbox, startCairn, untilTaken, waitForJob } from './cairn-process.mjs'
import { newApiKey } from './product.mjs'
import { poster, printTiming, quantiles } from './timing.mjs'
import { openWorkload } from './workload.mjs'

const RECORDS = Number(process.argv[2] ?? 100_000)
const THREADS = process.argv[3] ?? '1'
const SMALL = 50
const LINES_PER_REQUEST = 20_000
const QUESTIONS = 400
/** Number of concurrent requests. A tenant has eight slots; more searches would be rejected on a slow machine. */
const MANY = { discover: 16, search: 8 }
/** Number of rounds of either process, and of questions in each. */
const ROUNDS = 8
const ASKED = 200
/** Milliseconds per tick of Linux's CPU time counters. */
const MS_PER_TICK = 10
const RESTED_MS = 20_000
const ENCODER = process.env.CAIRN_ENCODER ?? 'off'

const workload = openWorkload()
const records = Array.from({ length: RECORDS }, (_, number) => workload.record(number))
const questions = Array.from({ length: QUESTIONS }, () =>
  workload.question(records[Math.floor(workload.random() * RECORDS)]),
)
const apiKey = newApiKey()
const folders = ['without', 'with'].map((name) => mkdtempSync(join(tmpdir(), `cairn-${name}-`)))
const { large, small } = await load(folders[0])
cpSync(folders[0], folders[1], { recursive: true })
const processes = await Promise.all(
  ['0', THREADS].map((threads, at) =>
    startCairn({ folder: folders[at], apiKey, env: { CAIRN_RANK_THREADS: threads, CAIRN_ENCODER: ENCODER } }),
  ),
)
try {
  console.log(
    `${RECORDS} records, encoder ${ENCODER}, ${THREADS} thread(s); load of the machine ${loadavg().join(' ')}`,
  )
  console.log(`${'milliseconds'.padEnd(44)}     p50     p95     p99 a second`)
  await inTurns('first questions', 1, 'discover')
  for (const [path, inFlight] of Object.entries(MANY)) {
    for (const many of [1, inFlight]) await inTurns(`${path}, ${many} in flight`, many, path)
  }
  await inTurns('neighbour while 8 ask the large one', 8, 'discover', true)
  for (const [at, { memory }] of processes.entries()) {
    console.log(`${at ? 'with' : 'without'} threads: ${(memory().now / 2 ** 20).toFixed(0)} MiB`)
  }
  console.log(`load of the machine at the end ${loadavg().join(' ')}`)
} finally {
  await Promise.all(processes.map((cairn) => cairn.stop()))
}

/** Fills a data folder and waits until its index snapshot is written. */
async function load(folder) {
  const cairn = await startCairn({ folder, apiKey, env: { CAIRN_ENCODER: ENCODER } })
  try {
    const call = client(cairn)
    const [large, small] = [await makeSandbox(call, 'large'), await makeSandbox(call, 'small')]
    for (const [sandbox, list] of [
      [small, records.slice(0, SMALL)],
      [large, records],
    ]) {
      for (let at = 0; at < list.length; at += LINES_PER_REQUEST) {
        const lines = list.slice(at, at + LINES_PER_REQUEST).map((record) => JSON.stringify(record))
        const { job_id: jobId } = await untilTaken(() => call('POST', sandbox.records, lines.join('\n')))
        await waitForJob(call, sandbox.storage, jobId)
      }
      await call('POST', `${sandbox.query}/discover`, { query: 'anything' })
    }
    await new Promise((resolve) => setTimeout(resolve, RESTED_MS))
    return { large, small }
  } finally {
    await cairn.stop({ keep: true })
  }
}

/** Returns the CPU time of the main thread, which serves requests, in milliseconds. */
function servingMs(pid) {
  const fields = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK
}

/**
 * Asks both processes alternately. Prints the latency, and the CPU time of the main thread and of all threads, which
 * other load changes least.
 */
async function inTurns(label, inFlight, path, isNeighbour = false) {
  const spent = processes.map(() => ({ all: [], ms: 0, cpuMs: 0, servedMs: 0, asked: 0 }))
  for (let round = 0; round < ROUNDS; round++) {
    for (const [at, cairn] of processes.entries()) {
      const { post, close } = poster(cairn.url, apiKey, inFlight + 1)
      const [cpu, served] = [cairn.cpuMs(), servingMs(cairn.pid)]
      const from = performance.now()
      const durations = []
      const ask = (sandbox, index) => post(`${sandbox.query}/${path}`, { query: questions[index % QUESTIONS] })
      let next = round * ASKED
      const end = next + ASKED
      const run = async () => {
        while (next < end) {
          const started = performance.now()
          await ask(large, next++)
          if (!isNeighbour) durations.push(performance.now() - started)
        }
      }
      const neighbour = async () => {
        while (isNeighbour && next < end) {
          const started = performance.now()
          await ask(small, next)
          durations.push(performance.now() - started)
        }
      }
      await Promise.all([...Array.from({ length: inFlight }, run), neighbour()])
      close()
      const own = spent[at]
      own.all.push(...durations)
      own.ms += performance.now() - from
      own.cpuMs += cairn.cpuMs() - cpu
      own.servedMs += servingMs(cairn.pid) - served
      own.asked += ASKED
    }
  }
  const [without, with_] = spent.map(({ all, ms, asked }) => ({ ...quantiles(all), perSecond: (asked / ms) * 1_000 }))
  const cpu = spent.map(({ cpuMs, servedMs, asked }) =>
    [servedMs, cpuMs]
      .map((ms) => (ms / asked).toFixed(1))
      .join(' of ')
      .concat(' ms of processor'),
  )
  printTiming(`${label}, without`, without, cpu[0])
  printTiming(`${label}, with`, with_, `${cpu[1]}; p95 ${(with_.p95 / without.p95).toFixed(2)} of without`)
}
