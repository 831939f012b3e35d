// What every question set shares: load records, ask questions over HTTP, and rank them by BM25 alone.
import { readFileSync } from 'node:fs'
import { analyseQuestion } from '../../packages/server/dist/features/knowledge/analyser/analyse-question.js'
import { analyseRecord } from '../../packages/server/dist/features/knowledge/analyser/analyse-record.js'
import { plainKeyHash } from '../../packages/server/dist/features/knowledge/analyser/key-hash.js'
import { createRecordGraph } from '../../packages/server/dist/features/knowledge/graph/record-graph.js'
import { makeSandbox, waitForJob } from '../cairn-process.mjs'

const IN_FLIGHT = 4
const LINES_PER_DELIVERY = 5_000

/**
 * A record as the API takes it.
 * @typedef {{ external_id: string, type: string, title?: string, text: string, occurred_at?: string, author?: string,
 *   properties?: Record<string, string | number> }} Sent
 * @typedef {ReturnType<typeof import('../cairn-process.mjs').client>} Call
 */

/** @param {string} path */
export function readLines(path) {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

/**
 * Puts records into a sandbox of their own.
 * @param {Call} call
 * @param {string} name
 * @param {Sent[]} records
 */
export async function load(call, name, records) {
  const sandbox = await makeSandbox(call, name)
  for (let from = 0; from < records.length; from += LINES_PER_DELIVERY) {
    const lines = records.slice(from, from + LINES_PER_DELIVERY).map((record) => JSON.stringify(record))
    const { job_id: jobId } = await call('POST', sandbox.records, lines.join('\n'))
    const { result } = await waitForJob(call, sandbox.storage, jobId)
    if (result.failed > 0) throw new Error(`${result.failed} records of ${name} were refused`)
  }
  return sandbox
}

/**
 * For each question the external ids that `discover` finds, best first.
 * @param {Call} call
 * @param {{ query: string }} sandbox
 * @param {string[]} questions
 * @param {number} limit
 */
export async function askAll(call, sandbox, questions, limit) {
  /** @type {string[][]} */
  const answers = new Array(questions.length)
  let next = 0
  const run = async () => {
    while (next < questions.length) {
      const at = next++
      const { items } = await call('POST', `${sandbox.query}/discover`, { query: questions[at], limit })
      answers[at] = items.map((/** @type {{ external_id: string }} */ item) => item.external_id)
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, run))
  return answers
}

/**
 * For each question the external ids that BM25 finds in title and text alone, best first.
 * @param {Sent[]} records
 * @param {string[]} questions
 * @param {number} limit
 */
export function rankLexically(records, questions, limit) {
  const graph = createRecordGraph()
  for (const { external_id: id, title, text } of records) {
    graph.putRecord({
      id,
      sourceId: null,
      projectId: null,
      type: '',
      occurredAtMs: null,
      tie: plainKeyHash(id),
      externalKey: plainKeyHash(id),
      analysis: analyseRecord({ title, text, declared: [] }, plainKeyHash),
    })
  }
  return questions.map((question) =>
    graph.rankLexical(analyseQuestion(question, [], plainKeyHash), null, limit).map((found) => found.id),
  )
}
