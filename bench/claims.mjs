// Measures the check of a model's statements. Prints the shares of supported and of other claims that it rejects: by
// words only, and with the pair model at several thresholds.
// Usage: npm run bench:claims -- FILE… [--claims N]
// FILE has lines {"claim", "evidence", "title"?, "label"}, where the label is supported, contradicted or
// neither; it may be compressed (.gz). N claims of each are drawn at equal distances.
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { parseArgs } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { evidenceToJudge, openEncoder, unsupported } from './product.mjs'

const LABELS = ['supported', 'contradicted', 'neither']
const THRESHOLDS = [0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
const PERCENT = 100

const { positionals: files, values } = parseArgs({
  allowPositionals: true,
  options: { claims: { type: 'string', default: '600' } },
})
if (files.length === 0) {
  console.error('Usage: npm run bench:claims -- FILE… [--claims N]')
  process.exit(1)
}
const encoder = await openEncoder()
/**
 * @typedef {{ claim: string, evidence: string, title?: string, label: string }} Row
 * @typedef {{ label: string, isRejected: boolean, probability: number }} Judged
 */

/** @param {string} file @returns {Row[]} */
function readClaims(file) {
  const bytes = readFileSync(file)
  const text = String(file.endsWith('.gz') ? gunzipSync(bytes) : bytes)
  const rows = text.split('\n').flatMap((line) => (line === '' ? [] : JSON.parse(line)))
  const count = Math.min(rows.length, Number(values.claims))
  return Array.from({ length: count }, (_, at) => rows[Math.floor((at * rows.length) / count)])
}

/** @param {Row} row @returns {Promise<Judged>} */
async function judge({ claim, evidence, title, label }) {
  const text = [title, evidence].filter(Boolean).join('\n')
  const isRejected = unsupported(claim, { text, known: new Set(), countMax: 0 }) !== undefined
  const judged = evidenceToJudge(claim, text)
  const probability = judged === undefined ? 1 : (await encoder.supports(claim, judged)).probability
  return { label, isRejected, probability }
}

/** @param {readonly Judged[]} rows @param {(row: Judged) => boolean} rejects */
function share(rows, rejects) {
  const rejected = rows.filter(rejects).length
  return `${rejected} of ${rows.length} (${((PERCENT * rejected) / Math.max(1, rows.length)).toFixed(0)} %)`
}

for (const file of files) {
  const rows = []
  for (const row of readClaims(file)) rows.push(await judge(row))
  console.log(`\n${basename(file)}: rejected`)
  const [kept, ...others] = LABELS.map((label) => rows.filter((row) => row.label === label))
  const edited = others.flat()
  const line = (/** @type {string} */ name, /** @type {(row: Judged) => boolean} */ rejects) =>
    console.log(`${name.padEnd(14)} supported ${share(kept ?? [], rejects)}, other ${share(edited, rejects)}`)
  line('words', ({ isRejected }) => isRejected)
  for (const least of THRESHOLDS) {
    line(`with p < ${least}`, ({ isRejected, probability }) => isRejected || probability < least)
  }
}
await encoder.close()
