// Measures the ingest cost of detecting names and facts in plain text, over HTTP: CPU time and records per second
// without and with them, alternating in the same run. Uses the synthetic company with texts padded to a length, and
// corpora from folders, cut into pieces of that length.
// Usage: npm run bench:names-cost [-- RECORDS [ROUNDS [DIR …]]]
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { client, makeSandbox, startCairn, waitForJob } from './cairn-process.mjs'
import { readLines } from './sets.mjs'
import { openWorkload } from './workload.mjs'

const RECORDS = Number(process.argv[2] ?? 20_000)
const ROUNDS = Number(process.argv[3] ?? 3)
const FOLDERS = process.argv.slice(4)
const TEXT_CHARS = 400
const LINES_PER_REQUEST = 5_000
/** Maximum folder depth that is searched for corpora. */
const LEVELS_MAX = 3
/** Settings of each run; the first is the baseline. */
const SETTINGS = [
  { name: 'neither', env: { CAIRN_MENTIONS: 'off', CAIRN_FACTS: 'off' } },
  { name: 'names', env: { CAIRN_MENTIONS: 'on', CAIRN_FACTS: 'off' } },
  { name: 'names and facts', env: { CAIRN_MENTIONS: 'on', CAIRN_FACTS: 'on' } },
]

/** @typedef {{ external_id: string, type: string, text: string }} Sent */
/** @typedef {{ cpuMs: number, seconds: number }} Run */

/** @param {number} count @returns {Sent[]} */
function companyRecords(count) {
  const workload = openWorkload()
  return Array.from({ length: count }, (_, number) => {
    const record = workload.record(number)
    let { text } = record
    while (text.length < TEXT_CHARS) text += ` ${workload.record(number).text}`
    return { ...record, text: text.slice(0, TEXT_CHARS) }
  })
}

/** Finds the corpora below a folder. @param {string} folder @returns {string[]} */
function corporaOf(folder, levels = LEVELS_MAX) {
  const own = ['corpus.jsonl', 'corpus.jsonl.gz'].map((name) => join(folder, name)).filter((path) => existsSync(path))
  if (levels === 0) return own
  const below = readdirSync(folder)
    .sort()
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isDirectory())
  return [...own, ...below.flatMap((path) => corporaOf(path, levels - 1))]
}

/** Splits a text into pieces at spaces. @param {string} text @returns {string[]} */
function piecesOf(text) {
  const pieces = []
  for (let from = 0; from < text.length; ) {
    const cut = text.length - from > TEXT_CHARS ? text.lastIndexOf(' ', from + TEXT_CHARS) : text.length
    const to = cut > from ? cut : from + TEXT_CHARS
    pieces.push(text.slice(from, to).trim())
    from = to
  }
  return pieces.filter((piece) => piece.length > TEXT_CHARS / 2)
}

/** @returns {Sent[]} */
function passageRecords() {
  const texts = FOLDERS.flatMap((folder) => corporaOf(folder)).flatMap(readLines)
  const pieces = texts.flatMap(({ text }) => piecesOf(text))
  return pieces.slice(0, RECORDS).map((text, at) => ({ external_id: String(at), type: 'note', text }))
}

/** Loads the records into a new process, then opens its data in this process. @returns {Promise<Run>} */
async function run(/** @type {readonly Sent[]} */ records, /** @type {Record<string, string>} */ env) {
  const cairn = await startCairn({ env })
  const call = client(cairn)
  const sandbox = await makeSandbox(call, 'names')
  const [startedAt, cpuBefore] = [performance.now(), cairn.cpuMs()]
  for (let at = 0; at < records.length; at += LINES_PER_REQUEST) {
    const lines = records.slice(at, at + LINES_PER_REQUEST).map((record) => JSON.stringify(record))
    const { job_id: jobId } = await call('POST', sandbox.records, lines.join('\n'))
    if (at + LINES_PER_REQUEST >= records.length) await waitForJob(call, sandbox.storage, jobId)
  }
  await call('POST', `${sandbox.query}/discover`, { query: 'anything' })
  const [seconds, cpuMs] = [(performance.now() - startedAt) / 1_000, cairn.cpuMs() - cpuBefore]
  await cairn.stop()
  return { cpuMs, seconds }
}

/** Returns the median. @param {readonly number[]} values */
function median(values) {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN
}

/** @param {string} title @param {readonly Sent[]} records */
async function compare(title, records) {
  console.log(`\n${title}: ${records.length} records, the middle of ${ROUNDS} rounds; in brackets the middle ratio`)
  console.log(`${''.padEnd(18)}${'ms of processor a record'.padStart(26)}${'records a second'.padStart(22)}`)
  /** @type {Run[][]} */
  const rounds = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const runs = []
    for (const { env } of SETTINGS) runs.push(await run(records, env))
    rounds.push(runs)
  }
  for (const [at, { name }] of SETTINGS.entries()) {
    const figure = (/** @type {(run: Run) => number} */ of, /** @type {number} */ digits) => {
      const ratio = median(rounds.map((runs) => of(/** @type {Run} */ (runs[at])) / of(/** @type {Run} */ (runs[0]))))
      const value = median(rounds.map((runs) => of(/** @type {Run} */ (runs[at])))).toFixed(digits)
      return at === 0 ? value : `${value} (${ratio.toFixed(2)})`
    }
    const cpu = figure(({ cpuMs }) => cpuMs / records.length, 2)
    const rate = figure(({ seconds }) => records.length / seconds, 0)
    console.log(`${name.padEnd(18)}${cpu.padStart(26)}${rate.padStart(22)}`)
  }
}

await compare('the made-up company', companyRecords(RECORDS))
if (FOLDERS.length > 0) await compare(FOLDERS.join(', '), passageRecords())
