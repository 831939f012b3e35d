// Recall of gold records by `discover` on a multi-hop question set, loaded through the HTTP API, beside plain BM25 on
// the same analyser. Usage: npm run bench:retrieval -- DIR, where DIR holds corpus.jsonl and questions.jsonl, or
// folders that do.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { analyseQuestion } from '../packages/server/dist/features/knowledge/analyser/analyse-question.js'
import { analyseRecord } from '../packages/server/dist/features/knowledge/analyser/analyse-record.js'
import { plainKeyHash } from '../packages/server/dist/features/knowledge/analyser/key-hash.js'
import { createRecordGraph } from '../packages/server/dist/features/knowledge/graph/record-graph.js'
import { client, makeSandbox, startCairn, waitForJob } from './cairn-process.mjs'

const DEPTHS = [2, 5, 10]
const IN_FLIGHT = 4

const folder = process.argv[2]
if (!folder || !existsSync(folder)) {
  console.error(
    'Usage: npm run bench:retrieval -- DIR\nDIR must hold corpus.jsonl and questions.jsonl, or folders that do.',
  )
  process.exit(1)
}
const sets = existsSync(join(folder, 'corpus.jsonl'))
  ? [folder]
  : readdirSync(folder)
      .map((name) => join(folder, name))
      .filter((path) => existsSync(join(path, 'corpus.jsonl')))
if (sets.length === 0) {
  console.error(`${folder} holds no corpus.jsonl.`)
  process.exit(1)
}

const cairn = await startCairn()
const call = client(cairn)
try {
  const depths = DEPTHS.map((depth) => `R@${depth}`.padStart(6)).join(' ')
  console.log(`${'set'.padEnd(24)} ${'ranking'.padEnd(10)} ${depths}  questions  passages`)
  for (const set of sets) await measure(set)
} finally {
  await cairn.stop()
}

/** @param {string} set */
async function measure(set) {
  const corpus = readLines(join(set, 'corpus.jsonl'))
  const questions = readLines(join(set, 'questions.jsonl'))
  const sandbox = await makeSandbox(call, basename(set))
  const lines = corpus.map(({ idx, title, text }) =>
    JSON.stringify({ external_id: String(idx), type: 'passage', title, text }),
  )
  const { job_id: jobId } = await call('POST', sandbox.records, lines.join('\n'))
  await waitForJob(call, sandbox.storage, jobId)

  const limit = Math.max(...DEPTHS)
  const discovered = await inParallel(questions, async ({ question }) => {
    const found = await call('POST', `${sandbox.query}/discover`, { query: question, limit })
    return found.items.map((item) => Number(item.external_id))
  })
  print(set, 'discover', questions, discovered, corpus.length)

  const graph = createRecordGraph()
  for (const { idx, title, text } of corpus) {
    const analysis = analyseRecord({ title, text, declared: [] }, plainKeyHash)
    graph.putRecord({
      id: String(idx),
      sourceId: null,
      projectId: null,
      type: '',
      occurredAtMs: null,
      tie: idx,
      analysis,
    })
  }
  const lexical = questions.map(({ question }) =>
    graph.rankLexical(analyseQuestion(question, [], plainKeyHash), null, limit).map(({ id }) => Number(id)),
  )
  print(set, 'BM25', questions, lexical, corpus.length)
}

/**
 * @param {string} set
 * @param {string} name
 * @param {{ gold_idx: number[] }[]} questions
 * @param {number[][]} ranked
 * @param {number} passages
 */
function print(set, name, questions, ranked, passages) {
  const recalls = DEPTHS.map((depth) => {
    const shares = questions.map(({ gold_idx: gold }, at) => {
      const top = new Set(ranked[at]?.slice(0, depth))
      return gold.filter((idx) => top.has(idx)).length / gold.length
    })
    return (100 * shares.reduce((sum, share) => sum + share, 0)) / shares.length
  })
  const figures = recalls.map((recall) => recall.toFixed(1).padStart(6)).join(' ')
  const sizes = `${String(questions.length).padStart(9)}  ${String(passages).padStart(8)}`
  console.log(`${basename(set).padEnd(24)} ${name.padEnd(10)} ${figures}  ${sizes}`)
}

/** @param {string} path */
function readLines(path) {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

/**
 * @template T, R
 * @param {T[]} values
 * @param {(value: T) => Promise<R>} work
 */
async function inParallel(values, work) {
  const results = new Array(values.length)
  let next = 0
  const run = async () => {
    while (next < values.length) {
      const at = next++
      results[at] = await work(values[at])
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, run))
  return results
}
