// Compares the scan of binary codes by the WebAssembly module with the same scan in JavaScript, in one process, and
// times the whole vector search of an index: everything, and a scope of a tenth of the records.
// Usage: npm run bench:codes [-- RECORDS [DIMENSIONS]]
import {
  allocateRun,
  analyseRecord,
  createRecordGraph,
  createRuns,
  plainKeyHash,
  readRun,
  scanRuns,
} from './product.mjs'
import { quantiles } from './timing.mjs'
import { seeded } from './workload.mjs'

const RECORDS = Number(process.argv[2] ?? 100_000)
const DIMENSIONS = Number(process.argv[3] ?? 384)
const WORDS = Math.ceil(DIMENSIONS / 32)
const ROUNDS = 40
const WARM_UP = 5
const REPEATS = 10
const NEAREST = 128
const PROJECTS = 10

const random = seeded(11)
const codeFrom = () => Uint32Array.from({ length: WORDS }, () => random() * 2 ** 32)
const codes = Array.from({ length: RECORDS }, codeFrom)
const vector = Int8Array.from({ length: DIMENSIONS }, () => random() * 255 - 127)
const asked = codeFrom()
const runs = createRuns()
const addresses = Uint32Array.from(codes, (code) => {
  const { address, page, at } = allocateRun(runs, WORDS)
  page.set(code, at)
  return address
})

let { distances, shift } = scanRuns(runs, asked, new Uint16Array(0))
const inJavaScript = new Uint16Array(RECORDS)
compareInJavaScript()
const differing = inJavaScript.findIndex((distance, at) => distance !== distances[addresses[at] >>> shift])
if (differing >= 0) throw new Error(`record ${differing} has different distances`)

const graph = openGraph()
const scope = { projectId: 'p3', sourceIds: null }
const measured = {
  'scan in JavaScript': compareInJavaScript,
  'scan in WebAssembly': () => ({ distances, shift } = scanRuns(runs, asked, distances)),
  'nearest records': () => graph.nearest(vector, null, NEAREST),
  'nearest records of a tenth': () => graph.nearest(vector, scope, NEAREST),
}
// The variants alternate, so that all of them run under the same conditions. CPU time excludes waiting for a core.
const times = Object.fromEntries(Object.keys(measured).map((name) => [name, /** @type {number[]} */ ([])]))
for (let round = -WARM_UP; round < ROUNDS; round += 1) {
  for (const [name, run] of Object.entries(measured)) {
    const from = process.cpuUsage()
    for (let repeat = 0; repeat < REPEATS; repeat += 1) run()
    const { user, system } = process.cpuUsage(from)
    if (round >= 0) times[name]?.push((user + system) / 1_000 / REPEATS)
  }
}
const base = quantiles(times['scan in JavaScript'] ?? []).p50
console.log(`${RECORDS} records with ${DIMENSIONS} dimensions, equal distances; milliseconds of CPU time`)
for (const [name, all] of Object.entries(times)) {
  const { p50, p95 } = quantiles(all)
  const ratio = (p50 / base).toFixed(2)
  const best = Math.min(...all).toFixed(2)
  console.log(`${name.padEnd(28)} best ${best}, p50 ${p50.toFixed(2)}, p95 ${p95.toFixed(2)}; ${ratio} of JavaScript`)
}

function compareInJavaScript() {
  for (let at = 0; at < RECORDS; at += 1) {
    const { page, at: from, length } = readRun(runs, addresses[at])
    let least = 0xffff
    for (let code = from; code < from + length; code += WORDS) {
      least = Math.min(least, hammingDistance(asked, page, code))
    }
    inJavaScript[at] = least
  }
}

/** @param {Uint32Array} code @param {Uint32Array} page @param {number} from */
function hammingDistance(code, page, from) {
  let count = 0
  for (let word = 0; word < code.length; word += 3) {
    const first = code[word] ^ page[from + word]
    const second = word + 1 < code.length ? code[word + 1] ^ page[from + word + 1] : 0
    const third = word + 2 < code.length ? code[word + 2] ^ page[from + word + 2] : 0
    // A carry-save adder reduces three words to ones and twos (Warren, Hacker's Delight, §5-1).
    const either = first ^ second
    const fours = foursOf(either ^ third) + (foursOf((first & second) | (either & third)) << 1)
    count += Math.imul((fours & 0x0f0f0f0f) + ((fours >>> 4) & 0x0f0f0f0f), 0x01010101) >>> 24
  }
  return count
}

/** Returns the number of set bits in each group of four bits. @param {number} bits */
function foursOf(bits) {
  const pairs = (bits - ((bits >>> 1) & 0x55555555)) | 0
  return (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
}

function openGraph() {
  const opened = createRecordGraph()
  const analysis = analyseRecord({ text: 'A note.', declared: [] }, plainKeyHash)
  for (const [at, code] of codes.entries()) {
    const place = { sourceId: null, projectId: `p${at % PROJECTS}`, type: 'note', occurredAtMs: null }
    opened.putRecord({ ...place, id: `r${at}`, seq: 1, tie: at, externalKey: at, analysis })
    opened.putVectors({ recordId: `r${at}`, recordSeq: 1, row: at, codes: [code] })
  }
  return opened
}
