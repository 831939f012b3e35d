// Functions shared by all question sets: load records, ask questions over HTTP, and rank by BM25 only.
import { makeSandbox, waitForJob } from '../cairn-process.mjs'
import { openSandbox } from '../sandbox.mjs'

const IN_FLIGHT = 4
const LINES_PER_DELIVERY = 5_000

/**
 * @typedef {import('../sandbox.mjs').Sent} Sent
 * @typedef {ReturnType<typeof import('../cairn-process.mjs').client>} Call
 */

/**
 * Returns the gold of each question by external id.
 * @param {import('../sets.mjs').QuestionSet} set
 */
export function goldByKey({ records, questions }) {
  return questions.map(({ gold }) => new Map([...gold].map(([at, grade]) => [records[at]?.external_id ?? '', grade])))
}

/**
 * Ingests records into a new sandbox.
 * @param {Call} call
 * @param {string} name
 * @param {readonly Sent[]} records
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
 * Returns for each question the external ids that `discover` finds, best first.
 * @param {Call} call
 * @param {{ query: string }} sandbox
 * @param {readonly string[]} questions
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
 * Returns for each question the external ids that BM25 finds, best first.
 * @param {readonly Sent[]} records
 * @param {readonly string[]} questions
 * @param {number} limit
 */
export async function rankLexically(records, questions, limit) {
  const { graph, analyse, indexOf } = await openSandbox(records)
  return questions.map((question) =>
    graph.rankLexical(analyse(question), null, limit).map(({ id }) => records[indexOf(id)]?.external_id ?? ''),
  )
}
