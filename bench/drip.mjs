// Measures the effect of single-record ingests: speed of discover and size on disk after N requests of one record each,
// compared with the same records in one request.
// Usage: npm run bench:drip [-- RECORDS]
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { client, makeSandbox, startCairn, waitForJob } from './cairn-process.mjs'
import { poster, printTiming, timed } from './timing.mjs'
import { openWorkload } from './workload.mjs'

const RECORDS = Number(process.argv[2] ?? 10_000)
const QUESTIONS = 300
const WRITERS = 4
const SETTLE_MS = 80_000

const workload = openWorkload()
const records = Array.from({ length: RECORDS }, (_, number) => workload.record(number))
const questions = Array.from({ length: QUESTIONS }, () =>
  workload.question(records[Math.floor(workload.random() * RECORDS)]),
)

const whole = await measure('loaded in one go', async (call, sandbox) => {
  const { job_id: jobId } = await call(
    'POST',
    sandbox.records,
    records.map((record) => JSON.stringify(record)).join('\n'),
  )
  await waitForJob(call, sandbox.storage, jobId)
})
const dripped = await measure('one record a request', async (call, sandbox, cairn) => {
  const { post, close } = poster(cairn.url, cairn.apiKey, WRITERS)
  let last
  const sent = await timed(RECORDS, WRITERS, async (index) => {
    last = JSON.parse(await post(sandbox.records, { records: [records[index]] }))
  })
  close()
  printTiming('acknowledging one record', sent)
  await waitForJob(call, sandbox.storage, last.job_id)
})
const disk = dripped.bytes / whole.bytes
console.log(`\ndiscover p95: ${(dripped.p95 / whole.p95).toFixed(2)} times; disk: ${disk.toFixed(2)} times`)

async function measure(name, load) {
  const cairn = await startCairn()
  try {
    const call = client(cairn)
    const sandbox = await makeSandbox(call, 'drip')
    await load(call, sandbox, cairn)
    const { post, close } = poster(cairn.url, cairn.apiKey, 1)
    const discover = (index) => post(`${sandbox.query}/discover`, { query: questions[index % QUESTIONS] })
    await timed(QUESTIONS, 1, discover)
    const figures = await timed(QUESTIONS, 1, discover)
    close()
    const atOnce = sizeOf(join(cairn.folder, 'knowledge'))
    // Old versions stay readable for a minute, and are deleted once the sandbox has been idle for longer.
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
    const bytes = sizeOf(join(cairn.folder, 'knowledge'))
    const sizes = `${mib(bytes)} MiB on disk (${mib(atOnce)} at once)`
    printTiming(`discover, ${name}`, figures, sizes)
    return { ...figures, bytes }
  } finally {
    await cairn.stop()
  }
}

function mib(bytes) {
  return (bytes / 2 ** 20).toFixed(1)
}

function sizeOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}
