// Estimates the resources for a number of tenants from measured figures, and simulates a day with a seed. Tenant size
// and load follow Zipf's law, load follows a daily curve, tenants are assigned to home nodes by hashing, and each node
// keeps graphs in an LRU cache.
// Usage: npm run bench:capacity [-- TENANTS…]; SEED=7 draws another day. docs/measurements.md has the output.
import { createHash } from 'node:crypto'

/** Measured figures. docs/measurements.md has each with its command, unless a line says otherwise. */
const MEASURED = {
  graphBytesEach: 720, // bench:graph at 100 000: 620, plus 100 for the encoder's vectors
  graphBytesBase: 96 * 1024, // bench:scale: about 2 000 sandboxes of 50 records in 256 MiB
  questionMs: 6.2, // bench:speed: 162 per second on the ranking thread
  commitMs: 18, // CPU time of a commit without waiting (bench:cluster, one node)
  commitsASecond: 46.3, // bench:cluster, a store with 15 ms latency
  builtMsEach: 0.03, // bench:scale: building a graph from its rows, per record
  readMsEach: 0.001, // bench:graph: loading an index snapshot
  fileFrom: 2_000, // minimum records for an index snapshot
  // bench:cluster: 3 PUT and 1 LIST for consecutive commits. A tenant's commits are hours apart, and by then its table
  // has been closed (128 stay open). Reopening costs another LIST and GET.
  writesACommit: 5,
  readsACommit: 1,
  readsAQuestion: 3, // store reads by cairn_work_duration_seconds_count, 100 consecutive questions
  transactionsAQuestion: 3.2, // the same for database.…
  transactionsACommit: 9.4, // the same for one ingested record
  transactionsAtRest: 2.1, // per second and idle process
  storedBytesEach: 2_200, // for a short record, with indexes and old versions before compaction
}
/** Assumptions about tenants and nodes. */
const ASSUMED = {
  recordsEach: 1_000,
  recordsMax: 1_000_000,
  questionsADay: 20,
  commitsADay: 10,
  zipf: 0.9,
  /** Steepness of the daily curve; the peak is three times the mean. */
  steepness: 1.75,
  nodeGraphBytes: 4 * 2 ** 30,
  /** Maximum utilization at the peak, of a thread and of a node's commit rate. */
  used: 0.6,
}
/** Assumed list prices of a large cloud provider in US dollars, from early 2025; not verified since. */
const PRICES = { nodeMonth: 60, databaseMonth: 350, writes1000: 0.005, reads1000: 0.0004, gigabyteMonth: 0.023 }

const TENANTS = process.argv.slice(2).map(Number)
if (TENANTS.length === 0) TENANTS.push(10_000, 1_000_000)
const SEED = Number(process.env.SEED ?? 1)
const DAY_SECONDS = 86_400
const STEPS = 288
const MONTH_DAYS = 30
const GB = 1e9
const PEAK_HOUR = 14

/** @param {number} seed */
function randomOf(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Returns the shares by rank, which sum to one. @param {number} count */
function sharesOf(count) {
  const shares = Float64Array.from({ length: count }, (_, at) => (at + 1) ** -ASSUMED.zipf)
  const sum = shares.reduce((all, one) => all + one, 0)
  return shares.map((one) => one / sum)
}

/** Load of each step of the day relative to the mean: a von Mises distribution around the peak. */
const CURVE = (() => {
  const raw = Array.from({ length: STEPS }, (_, step) =>
    Math.exp(ASSUMED.steepness * Math.cos(((step / STEPS) * 24 - PEAK_HOUR) * ((2 * Math.PI) / 24))),
  )
  const mean = raw.reduce((sum, one) => sum + one, 0) / STEPS
  return raw.map((one) => one / mean)
})()
const PEAK = Math.max(...CURVE)

/** @param {number} records */
const graphBytes = (records) => MEASURED.graphBytesBase + records * MEASURED.graphBytesEach

/** @param {number} count */
function tenantsOf(count) {
  const shares = sharesOf(count)
  const records = shares.map((share) =>
    Math.max(1, Math.min(ASSUMED.recordsMax, Math.round(share * count * ASSUMED.recordsEach))),
  )
  return { shares, records }
}

/** Returns the number of nodes that CPU, commits and graph memory need in a busy hour. @param {number} count */
function nodesOf(count, { shares, records }) {
  const questions = (count * ASSUMED.questionsADay * PEAK) / DAY_SECONDS
  const commits = (count * ASSUMED.commitsADay * PEAK) / DAY_SECONDS
  const thread = (questions * MEASURED.questionMs + commits * MEASURED.commitMs) / 1_000 / ASSUMED.used
  const store = commits / MEASURED.commitsASecond / ASSUMED.used
  // Probability of at least one question in a busy hour, by the tenant's share of all questions.
  let bytes = 0
  for (const [at, share] of shares.entries()) {
    const isAsked = 1 - Math.exp(-share * questions * 3_600)
    bytes += isAsked * graphBytes(records[at])
  }
  const wanted = { thread, store, memory: bytes / ASSUMED.nodeGraphBytes }
  return { wanted, nodes: Math.max(2, Math.ceil(Math.max(...Object.values(wanted)))) }
}

/** Assigns tenants to home nodes and sums up the load of each node. */
function placesOf({ shares }, nodes) {
  const load = new Float64Array(nodes)
  const place = new Uint32Array(shares.length)
  for (const at of shares.keys()) {
    const digest = createHash('sha1').update(`${SEED}/${at}`).digest()
    place[at] = digest.readUInt32LE(0) % nodes
    load[place[at]] += shares[at]
  }
  return { load, place }
}

/** Simulates a day of one node: its requests, the graphs in its cache, and those it has to load again. */
function simulate(count, { shares, records }, { load, place }, node) {
  const random = randomOf(SEED + node)
  const own = [...shares.keys()].filter((at) => place[at] === node)
  const sums = new Float64Array(own.length)
  own.reduce((sum, at, index) => {
    sums[index] = sum + shares[at]
    return sums[index]
  }, 0)
  const held = new Map()
  let bytes = 0
  const day = { questions: 0, commits: 0, opened: 0, openedMs: 0, evicted: 0, held: 0, peakMs: 0 }
  const draw = () => {
    const wanted = random() * load[node]
    let [low, high] = [0, sums.length - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if (sums[middle] < wanted) low = middle + 1
      else high = middle
    }
    return own[low]
  }
  const use = (at) => {
    const size = graphBytes(records[at])
    if (held.delete(at)) {
      held.set(at, size)
      return 0
    }
    held.set(at, size)
    bytes += size
    for (const [other, otherBytes] of held) {
      if (bytes <= ASSUMED.nodeGraphBytes || other === at) break
      held.delete(other)
      bytes -= otherBytes
      day.evicted += 1
    }
    day.opened += 1
    const eachMs = records[at] >= MEASURED.fileFrom ? MEASURED.readMsEach : MEASURED.builtMsEach
    day.openedMs += records[at] * eachMs
    return records[at] * eachMs
  }
  for (let step = 0; step < STEPS; step += 1) {
    const share = (CURVE[step] / STEPS) * load[node] * count
    const [questions, commits] = [ASSUMED.questionsADay, ASSUMED.commitsADay].map((each) => {
      const mean = share * each
      return Math.floor(mean) + (random() < mean % 1 ? 1 : 0)
    })
    let busyMs = questions * MEASURED.questionMs + commits * MEASURED.commitMs
    for (let at = 0; at < questions + commits; at += 1) busyMs += use(draw())
    day.questions += questions
    day.commits += commits
    day.peakMs = Math.max(day.peakMs, busyMs / ((DAY_SECONDS / STEPS) * 1_000))
  }
  return { ...day, held: held.size, bytes, own: own.length }
}

/** @param {number} value */
const shown = (value, digits = 0) =>
  value.toLocaleString('en-US', { maximumFractionDigits: digits, minimumFractionDigits: digits }).replaceAll(',', ' ')
const row = (name, values) => console.log(`| ${[name, ...values].join(' | ')} |`)

const all = TENANTS.map((count) => {
  const tenants = tenantsOf(count)
  const { wanted, nodes } = nodesOf(count, tenants)
  const places = placesOf(tenants, nodes)
  const ranked = [...places.load.keys()].sort((a, b) => places.load[b] - places.load[a])
  const [busiest, middle] = [ranked[0], ranked[nodes >> 1]].map((node) => simulate(count, tenants, places, node))
  const records = tenants.records.reduce((sum, one) => sum + one, 0)
  const [questions, commits] = [count * ASSUMED.questionsADay, count * ASSUMED.commitsADay]
  const writes = commits * MEASURED.writesACommit
  const reads = commits * MEASURED.readsACommit + questions * MEASURED.readsAQuestion
  const perSecond = (each) => (each * PEAK) / DAY_SECONDS
  const transactions =
    perSecond(questions) * MEASURED.transactionsAQuestion +
    perSecond(commits) * MEASURED.transactionsACommit +
    nodes * MEASURED.transactionsAtRest
  const month = {
    nodes: nodes * PRICES.nodeMonth,
    database: PRICES.databaseMonth,
    writes: (writes / 1_000) * PRICES.writes1000 * MONTH_DAYS,
    reads: (reads / 1_000) * PRICES.reads1000 * MONTH_DAYS,
    stored: ((records * MEASURED.storedBytesEach) / GB) * PRICES.gigabyteMonth,
  }
  const sum = Object.values(month).reduce((total, one) => total + one, 0)
  return {
    count,
    wanted,
    nodes,
    busiest,
    middle,
    records,
    questions,
    commits,
    perSecond,
    transactions,
    month,
    sum,
    reads,
    writes,
  }
})

row(
  'tenants',
  all.map(({ count }) => shown(count)),
)
row(
  '---',
  all.map(() => '---'),
)
row(
  'records (millions); largest sandbox',
  all.map(({ records, count }) => `${shown(records / 1e6, 1)}; ${shown(tenantsOf(count).records[0])}`),
)
row(
  'questions; commits per second at the peak',
  all.map((one) => `${shown(one.perSecond(one.questions), 1)}; ${shown(one.perSecond(one.commits), 1)}`),
)
row(
  'nodes needed for CPU; commits; index memory',
  all.map(({ wanted }) => `${shown(wanted.thread, 1)}; ${shown(wanted.store, 1)}; ${shown(wanted.memory, 1)}`),
)
row(
  'nodes of 2 cores and 8 GiB (4 GiB for indexes)',
  all.map(({ nodes }) => shown(nodes)),
)
row(
  'sandboxes: median node; busiest node',
  all.map(({ middle, busiest }) => `${shown(middle.own)}; ${shown(busiest.own)}`),
)
row(
  'CPU of the serving thread at the peak',
  all.map(({ middle, busiest }) => `${shown(middle.peakMs * 100)}; ${shown(busiest.peakMs * 100)} %`),
)
row(
  'indexes in memory; GiB',
  all.map(({ middle, busiest }) =>
    [middle, busiest].map(({ held, bytes }) => `${shown(held)} in ${shown(bytes / 2 ** 30, 1)}`).join('; '),
  ),
)
row(
  'index loads per use',
  all.map(({ middle, busiest }) =>
    [middle, busiest]
      .map(({ opened, questions, commits }) => `${shown((opened / (questions + commits)) * 100, 1)} %`)
      .join('; '),
  ),
)
row(
  'CPU for loading per day',
  all.map(({ middle, busiest }) => [middle, busiest].map(({ openedMs }) => `${shown(openedMs / 1_000)} s`).join('; ')),
)
row(
  'evictions per day',
  all.map(({ middle, busiest }) => `${shown(middle.evicted)}; ${shown(busiest.evicted)}`),
)
row(
  'SQL transactions per second at the peak; connections',
  all.map(({ transactions, nodes }) => `${shown(transactions)}; ${shown(nodes * 21)}`),
)
row(
  'store requests per day (millions): writes; reads',
  all.map(({ writes, reads }) => `${shown(writes / 1e6, 2)}; ${shown(reads / 1e6, 2)}`),
)
row(
  'USD per month: nodes; database; writes; reads; storage',
  all.map(({ month }) =>
    Object.values(month)
      .map((one) => shown(one))
      .join('; '),
  ),
)
row(
  'cents per tenant and month',
  all.map(({ sum, count }) => shown((sum / count) * 100, 1)),
)
