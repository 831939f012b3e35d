// What a caller-held key costs: the same records into a sandbox without a key and into one under one, chunk by chunk in
// turn, then the same questions to both in turn; and whether both rank alike.
// Usage: npm run bench:keys [-- RECORDS]
import { randomBytes } from 'node:crypto'
import { client, makeSandbox, startCairn, waitForJob } from './cairn-process.mjs'
import { quantiles } from './timing.mjs'
import { openWorkload } from './workload.mjs'

const RECORDS = Number(process.argv[2] ?? 20_000)
const ROUNDS = 8
const QUESTIONS = 300
const SHOWN = 20
/** The most that a key may cost, as a multiple of the time without one. */
const TARGETS = { ingest: 1.5, discover: 1.3, search: 1.3 }

const workload = openWorkload()
const records = Array.from({ length: RECORDS }, (_, number) => workload.record(number))
const questions = Array.from({ length: QUESTIONS }, () =>
  workload.question(records[Math.floor(workload.random() * RECORDS)]),
)
const cairn = await startCairn()
const call = client(cairn)
const header = { 'x-encryption-key': randomBytes(32).toString('base64') }
try {
  const sides = [
    { ...(await makeSandbox(call, 'plain')), headers: {} },
    { ...(await makeSandbox(call, 'keyed')), headers: header },
  ]
  const ingest = await measureIngest(sides)
  report('ingest to queryable, a chunk', ingest, TARGETS.ingest)
  // Things are compared when nothing has come for a second.
  for (const side of sides) await settled(side)
  report('discover', await measureQuestions(sides, 'discover', { limit: SHOWN }), TARGETS.discover)
  report('search', await measureQuestions(sides, 'search', {}), TARGETS.search)
  await compareRankings(sides)
} finally {
  await cairn.stop()
}

async function measureIngest(sides) {
  const times = [[], []]
  const size = Math.ceil(RECORDS / ROUNDS)
  for (let round = 0; round < ROUNDS; round++) {
    const lines = records.slice(round * size, (round + 1) * size).map((record) => JSON.stringify(record))
    for (const at of inTurn(round)) {
      const { records: path, storage, query, headers } = sides[at]
      const from = performance.now()
      const { job_id: jobId } = await call('POST', path, lines.join('\n'), headers)
      await waitForJob(call, storage, jobId)
      await call('POST', `${query}/discover`, { query: 'anything' }, headers)
      times[at].push(performance.now() - from)
    }
  }
  return times
}

async function measureQuestions(sides, verb, options) {
  const times = [[], []]
  for (const [round, question] of [...questions.slice(0, 20), ...questions].entries()) {
    for (const at of inTurn(round)) {
      const { query, headers } = sides[at]
      const from = performance.now()
      await call('POST', `${query}/${verb}`, { ...asked(question), ...options }, headers)
      if (round >= 20) times[at].push(performance.now() - from)
    }
  }
  return times
}

async function compareRankings(sides) {
  let equal = 0
  for (const question of questions) {
    const [plain, keyed] = await Promise.all(
      sides.map(async ({ query, headers }) => {
        const { items } = await call('POST', `${query}/discover`, { ...asked(question), limit: SHOWN }, headers)
        return JSON.stringify(items.map(({ external_id: id, score }) => [id, score]))
      }),
    )
    if (plain === keyed) equal += 1
  }
  console.log(`rankings of ${SHOWN} that are the same: ${equal} of ${questions.length}`)
  if (equal < questions.length) process.exitCode = 1
}

/** Whichever comes first is at an advantage, so they take turns at it. */
function inTurn(round) {
  return round % 2 === 0 ? [0, 1] : [1, 0]
}

function asked(question) {
  return typeof question === 'string' ? { query: question } : question
}

async function settled({ storage, headers }) {
  for (;;) {
    const { resolution } = await call('GET', `${storage}/entities?limit=1`, undefined, headers)
    if (resolution === 'settled') return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

function report(name, [plain, keyed], target) {
  const [one, other] = [quantiles(plain), quantiles(keyed)]
  const ratio = other.p50 / one.p50
  const told = [one.p50, one.p95, other.p50, other.p95].map((ms) => ms.toFixed(1).padStart(8)).join(' ')
  console.log(`${name.padEnd(30)} ms p50 p95, then keyed: ${told}   ${ratio.toFixed(2)} (target ${target})`)
  if (ratio > target) process.exitCode = 1
}
