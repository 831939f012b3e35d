// Measures the overhead of a customer-managed key. Ingests the same records into a sandbox with a key and one without,
// alternating by chunk, then alternates the same questions, and checks that both give the same answers.
// Usage: npm run bench:keys [-- RECORDS]
import { randomBytes } from 'node:crypto'
import { client, makeSandbox, startCairn, waitForJob } from './cairn-process.mjs'
import { quantiles } from './timing.mjs'
import { openWorkload } from './workload.mjs'

const RECORDS = Number(process.argv[2] ?? 20_000)
const ROUNDS = 8
const QUESTIONS = 100
/** Number of warm-up questions. */
const WARM_UP = 20
const SHOWN = 20
/** Maximum overhead of a key, as a multiple of the time without one. */
const TARGETS = { ingest: 1.5, question: 1.3 }
/** Questions answered from typed rows. */
const OF_ROWS = [
  'How many issues are open?',
  'List the issues with priority more than 3',
  'How many issues are there by state?',
  'Who wrote the most issues?',
  'What is the average priority of issues?',
  'Which issues are done?',
]

const workload = openWorkload()
const records = Array.from({ length: RECORDS }, (_, number) => workload.record(number))
const questions = Array.from({ length: QUESTIONS }, () =>
  workload.question(records[Math.floor(workload.random() * RECORDS)]),
)
const cairn = await startCairn()
const call = client(cairn)
const header = { 'x-encryption-key': randomBytes(32).toString('base64') }

/** Number of first records that must be the same. Approximate vector search may omit different ones at the end. */
const FIRST = 5

/** Operations to compare: the request for a question, and the part of the reply that must be the same. */
const OPERATIONS = [
  ['discover', discover, ({ items }) => items.slice(0, FIRST).map(({ external_id: id, score }) => [id, score])],
  ['search', (side, query) => post(side, 'search', { query }), ({ answer }) => answer],
  ['search, answered from rows', askRows, ({ answer, rows, warnings }) => [answer, rows.map(withoutIds), warnings]],
  ['interpret', interpret, ({ brief }) => brief],
  ['a record', aRecord, ({ text }) => text],
  ['an entity', anEntity, ({ name, aliases }) => [name, aliases]],
  ['entities, a page', (side) => get(side, 'entities?limit=50'), ({ entities }) => entities.length],
]

try {
  const sides = [
    { ...(await makeSandbox(call, 'plain')), headers: {}, found: new Map() },
    { ...(await makeSandbox(call, 'keyed')), headers: header, found: new Map() },
  ]
  report('ingest to queryable, a chunk', await measureIngest(sides), TARGETS.ingest)
  // Record linkage runs once nothing has arrived for a second, and embedding runs in the background.
  for (const side of sides) await settled(side)
  for (const [name, ask, contentOf] of OPERATIONS) {
    const { times, same } = await measureQuestions(sides, ask, contentOf)
    report(name, times, TARGETS.question, `the same answer: ${same} of ${QUESTIONS}`)
    if (same < QUESTIONS) process.exitCode = 1
  }
  report('search, the first at a head', await measureFirst(sides))
  report('export', await measureExport(sides))
} finally {
  await cairn.stop()
}

function post({ query, headers }, verb, body) {
  return call('POST', `${query}/${verb}`, body, headers)
}

function get({ storage, headers }, path) {
  return call('GET', `${storage}/${path}`, undefined, headers)
}

async function discover(side, query) {
  const reply = await post(side, 'discover', { query, limit: SHOWN })
  side.found.set(query, reply.items)
  return reply
}

function askRows(side, _query, number) {
  return post(side, 'search', { query: OF_ROWS[number % OF_ROWS.length], preset: 'sql' })
}

/** Removes ids, which differ between sandboxes. */
function withoutIds(row) {
  return row.filter((cell) => !/^(rec|ent)_/.test(cell))
}

function interpret(side, query) {
  const items = side.found.get(query).map(({ canonical_ids: ids }) => [ids.at(-1)])
  return post(side, 'interpret', { query, items })
}

function aRecord(side, query) {
  return get(side, `records/${side.found.get(query)[0].record_id}`)
}

function anEntity(side, query) {
  return get(side, `entities/${side.found.get(query)[0].canonical_ids[0]}`)
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

async function measureQuestions(sides, ask, contentOf) {
  const times = [[], []]
  let same = 0
  for (const [number, question] of [...questions.slice(0, WARM_UP), ...questions].entries()) {
    const replies = []
    for (const at of inTurn(number)) {
      const from = performance.now()
      replies.push(await ask(sides[at], question, number))
      if (number >= WARM_UP) times[at].push(performance.now() - from)
    }
    const [one, other] = replies.map((reply) => JSON.stringify(contentOf(reply)))
    if (number >= WARM_UP && one === other) same += 1
  }
  return { times, same }
}

/** Measures the first question after a commit, which must parse the rows of the sandbox. */
async function measureFirst(sides) {
  const times = [[], []]
  for (let round = 0; round < ROUNDS; round++) {
    const line = JSON.stringify({ ...records[0], external_id: `first ${round}` })
    for (const at of inTurn(round)) {
      const { records: path, storage, headers } = sides[at]
      const { job_id: jobId } = await call('POST', path, line, headers)
      await waitForJob(call, storage, jobId)
      await discover(sides[at], questions[round])
      const from = performance.now()
      await askRows(sides[at], '', round)
      times[at].push(performance.now() - from)
    }
  }
  return times
}

async function measureExport(sides) {
  const times = [[], []]
  for (let round = 0; round < ROUNDS; round++) {
    for (const at of inTurn(round)) {
      const from = performance.now()
      await get(sides[at], 'export')
      times[at].push(performance.now() - from)
    }
  }
  return times
}

/** Returns the order of the sides. Going first is an advantage, so they alternate. */
function inTurn(round) {
  return round % 2 === 0 ? [0, 1] : [1, 0]
}

async function settled(side) {
  for (;;) {
    const { resolution } = await get(side, 'entities?limit=1')
    const { reading } = await get(side, 'usage')
    if (resolution === 'settled' && reading.waiting === 0) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** Prints a comparison. With a target, the run fails if it is missed. */
function report(name, [plain, keyed], target = Number.POSITIVE_INFINITY, note = '') {
  const [one, other] = [quantiles(plain), quantiles(keyed)]
  const ratio = other.p50 / one.p50
  const quantilesText = [one.p50, one.p95, other.p50, other.p95].map((ms) => ms.toFixed(1).padStart(8)).join(' ')
  const goal = Number.isFinite(target) ? `(target ${target})` : ''
  console.log(`${name.padEnd(30)} ms p50 p95, then keyed: ${quantilesText}   ${ratio.toFixed(2)} ${goal} ${note}`)
  if (ratio > target) process.exitCode = 1
}
