// Compares Cairn with vector stores that run here: LanceDB by vectors, LanceDB by words and vectors, Chroma, and mem0
// without a language model (`infer=False`). All use the bundled embedding model, and nothing is downloaded during the
// run. Each runs in its own process, one after the other, on the same records and questions. The differences:
// - Cairn is a service: its times include HTTP and authorization. The others are libraries called in their process.
// - Cairn ranks by words, names and vectors, with weights that were chosen on these sets. The others have no weights.
// - Cairn embeds passages of a record, the others the first 256 tokens of its title and text, as vector stores do.
// - Findable: a peer's add has returned and the last record is found by its own text. Cairn has two times: until the
//   last record is committed and found by its words, and until all records have vectors too.
// - The peers share one timed embedding pass on two threads. Its seconds count in the ingest of each.
// - mem0 runs on Chroma: it answers several times faster there than on its default, Qdrant in Python, which scans all
//   records, but adds records slower. It searches by vectors only: its keyword search and its entities need packages
//   with models that have to be downloaded.
// - Memory is resident memory at the end, with the embedding model; the peak includes the ingest. Cairn's includes
//   its database, its HTTP server and the threads that embed.
// Usage: npm run bench:peers -- DIR [--records N] [--questions N]; DIR holds question sets; N questions of each set.
// Needs Python 3.11 or newer; environment.sh installs the peers from PyPI.
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { readArguments } from '../arguments.mjs'
import { client, startCairn } from '../cairn-process.mjs'
import { MODEL_FOLDER, openEncoder } from '../product.mjs'
import { load, rankLexically } from '../quality/asking.mjs'
import { mean, ndcg, recall } from '../quality/measures.mjs'
import { someOf, withFewer } from '../sets.mjs'
import { poster, quantiles } from '../timing.mjs'

const USAGE =
  'Usage: npm run bench:peers -- DIR [--records N] [--questions N]; DIR must hold at least two question sets.'
const RECORDS = 20_000
const QUESTIONS_PER_SET = 100
const DEPTH = 10
const RECALL_DEPTH = 5
const WARM_UP = 20
const LOOK_MS = 100
/** Number of characters of the last record that its question repeats. */
const PROBE_CHARS = 300
const MIB = 2 ** 20
/** Records whose vectors are compared with those of the service's encoder. */
const COMPARED = 50
const COSINE_MIN = 0.999
const PYTHON = fileURLToPath(new URL('.venv/bin/python', import.meta.url))
const PROGRAM = fileURLToPath(new URL('peers.py', import.meta.url))
const PEERS = {
  lancedb: 'LanceDB, vectors',
  'lancedb-hybrid': 'LanceDB, hybrid',
  chroma: 'Chroma',
  mem0: 'mem0, `infer=False`',
}

/**
 * Figures of a store: seconds of the ingest without and with embedding, milliseconds of each question, the external ids
 * found for each, and resident memory in bytes.
 * @typedef {{ name: string, stored: number, findable: number, durations: number[], found: string[][],
 *   memory: { now: number, peak: number } }} Figures
 */

const { sets, recordsMax, questionsMax, fail } = readArguments(USAGE)
const merged = sets.find(({ kind }) => kind === 'merged')?.read()
if (!merged) fail()
const { records, questions } = drawn(merged)
const texts = questions.map(({ text }) => text)
console.log(`${records.length} records, ${questions.length} questions; load of the machine ${loadavg().join(' ')}`)
const folder = mkdtempSync(join(tmpdir(), 'cairn-peers-'))
try {
  const embedded = await embedOnce()
  const all = [await measureCairn()]
  for (const [name, title] of Object.entries(PEERS)) all.push(await measurePeer(name, title, embedded))
  const words = await rankLexically(records, texts, DEPTH)
  console.log('')
  printFigures(all)
  console.log(`BM25 only: nDCG ${meanOf(ndcg, words, DEPTH)}, R ${meanOf(recall, words, RECALL_DEPTH)}`)
  console.log('')
  printSets([...all, { name: 'BM25 only', found: words }])
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Returns a sample of the sets' questions, and their gold among a sample of the records with all that answer them. */
function drawn(each) {
  const asked = each.flatMap(({ name, questions: own }) =>
    someOf(own, Math.min(questionsMax, QUESTIONS_PER_SET)).map((question) => ({
      ...question,
      group: name.replace('merged/', ''),
    })),
  )
  return withFewer({ ...each[0], questions: asked }, Math.min(recordsMax, RECORDS))
}

/** Runs peers.py with telemetry, model downloads and warnings disabled, and returns the figures that it writes. */
async function python(name, own = folder) {
  const env = {
    ...process.env,
    ANONYMIZED_TELEMETRY: 'False',
    HF_HUB_OFFLINE: '1',
    LANCEDB_LOG: 'error',
    MEM0_DIR: join(own, 'mem0'),
    MEM0_TELEMETRY: 'False',
  }
  await promisify(execFile)(PYTHON, [PROGRAM, name, own, MODEL_FOLDER], { env, maxBuffer: MIB })
  return JSON.parse(readFileSync(join(own, 'figures.json'), 'utf8'))
}

/** Embeds all records for the peers and returns the seconds. Throws if a vector differs from the service's. */
async function embedOnce() {
  const inputs = records.map(({ external_id: id, title, text }) => ({ id, text: title ? `${title}\n${text}` : text }))
  writeFileSync(join(folder, 'records.jsonl'), inputs.map((each) => `${JSON.stringify(each)}\n`).join(''))
  writeFileSync(join(folder, 'questions.jsonl'), texts.map((text) => `${JSON.stringify({ text })}\n`).join(''))
  const { seconds } = await python('embed')
  const bytes = readFileSync(join(folder, 'vectors.f32'))
  const encoder = await openEncoder()
  const compared = await encoder.encodeLater(inputs.slice(0, COMPARED).map(({ text }) => text))
  await encoder.close()
  const cosines = compared.map((vector, at) => {
    const offset = at * vector.byteLength
    return vector.reduce((sum, value, index) => sum + value * bytes.readFloatLE(offset + index * 4), 0)
  })
  const least = Math.min(...cosines)
  if (!(least >= COSINE_MIN)) throw new Error(`The Python vectors differ from the encoder's: cosine ${least}.`)
  console.log(`embedding for the peers: ${seconds.toFixed(1)} s; least cosine to the service's ${least.toFixed(5)}`)
  return seconds
}

/** @returns {Promise<Figures>} */
async function measurePeer(name, title, embedded) {
  const { seconds, durations, found, memory } = await python(name)
  rmSync(join(folder, 'store'), { recursive: true, force: true })
  return logged({ name: title, stored: seconds, findable: seconds + embedded, durations, found, memory })
}

/** @returns {Promise<Figures>} */
async function measureCairn() {
  const cairn = await startCairn({ env: { CAIRN_ENCODER: 'on' } })
  const { post, close } = poster(cairn.url, cairn.apiKey, 1)
  try {
    const call = client(cairn)
    const from = performance.now()
    const sandbox = await load(call, 'peers', records)
    const ask = async (query) => {
      const { items } = JSON.parse(await post(`${sandbox.query}/discover`, { query, limit: DEPTH }))
      return items.map((item) => item.external_id)
    }
    const { external_id: id, text } = records.at(-1)
    if (!(await ask(text.slice(0, PROBE_CHARS))).includes(id)) throw new Error(`${id} is not found after the ingest.`)
    const stored = (performance.now() - from) / 1_000
    while ((await call('GET', `${sandbox.storage}/usage`)).reading.waiting > 0)
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    const findable = (performance.now() - from) / 1_000
    for (const text of texts.slice(0, WARM_UP)) await ask(text)
    const [found, durations] = [[], []]
    for (const text of texts) {
      const started = performance.now()
      found.push(await ask(text))
      durations.push(performance.now() - started)
    }
    return logged({ name: 'Cairn', stored, findable, durations, found, memory: cairn.memory() })
  } finally {
    close()
    await cairn.stop()
  }
}

/** Prints the figures of one store, so that they are not lost if a later one fails, and returns them. */
function logged(figures) {
  const { name, stored, findable, durations, found, memory } = figures
  const minutes = (performance.now() / 60_000).toFixed(1)
  const { p50, p95 } = quantiles(durations)
  const times = `stored ${shown(stored)} s, embedded ${shown(findable)} s, p50 ${shown(p50)} ms, p95 ${shown(p95)} ms`
  const size = `${shown(memory.now / MIB)} MiB, peak ${shown(memory.peak / MIB)} MiB`
  console.log(`${minutes} min: ${name}: ${times}, ${size}, nDCG ${meanOf(ndcg, found, DEPTH)}`)
  return figures
}

/** Prints a Markdown table. In brackets are the ratios to LanceDB by vectors: of the rate, of p50 and of memory. */
function printFigures(all) {
  const rows = all.map(({ name, stored, findable, durations, found, memory }) => {
    const { p50, p95 } = quantiles(durations)
    const quality = [meanOf(ndcg, found, DEPTH), meanOf(recall, found, RECALL_DEPTH)]
    const pairs = [
      [records.length / findable],
      [records.length / stored],
      [p50, p95],
      [memory.now / MIB, memory.peak / MIB],
    ]
    return { name, pairs, quality }
  })
  const base = rows.find(({ name }) => name === PEERS.lancedb)?.pairs ?? []
  printHead([
    'store',
    'records per second, embedded',
    'stored only',
    'p50; p95 ms',
    'MiB; peak',
    'nDCG at 10',
    'R at 5',
  ])
  for (const { name, pairs, quality } of rows) {
    const cells = pairs.map(
      (pair, at) => `${pair.map(shown).join('; ')} (${((pair[0] ?? 0) / (base[at]?.[0] ?? 1)).toPrecision(2)})`,
    )
    printRow([name, ...cells, ...quality])
  }
}

/** Prints nDCG at 10 of each set as a Markdown table. */
function printSets(all) {
  const groups = [...new Set(questions.map(({ group }) => group))]
  printHead(['nDCG at 10', ...groups])
  for (const { name, found } of all) printRow([name, ...groups.map((group) => meanOf(ndcg, found, DEPTH, group))])
}

function printHead(cells) {
  printRow(cells)
  console.log(`|${cells.map(() => '---|').join('')}`)
}

function printRow(cells) {
  console.log(`| ${cells.join(' | ')} |`)
}

/** Returns the mean of a measure in percent, over all questions or those of a set. */
function meanOf(measure, found, depth, group) {
  const scores = questions.flatMap((question, at) => {
    const gold = new Map([...question.gold].map(([index, grade]) => [records[index].external_id, grade]))
    return group === undefined || question.group === group ? [100 * measure(gold, found[at], depth)] : []
  })
  return mean(scores).toFixed(1)
}

/** Returns a number with three significant digits, or without decimals from 100 on. */
function shown(value) {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3)
}
