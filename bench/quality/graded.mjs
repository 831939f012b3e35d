// Queries with graded judgements of documents that name nothing: where a graph cannot help, it must not hurt.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { askAll, load, rankLexically, readLines } from './asking.mjs'
import { mean, ndcg, printHeading, printRow } from './measures.mjs'

const DEPTH = 10
/** Digits of an nDCG that are more than noise. */
const DIGITS = 3

/**
 * @param {import('./asking.mjs').Call} call
 * @param {string} folder
 */
export async function measureGraded(call, folder) {
  /** @type {import('./asking.mjs').Sent[]} */
  const records = readLines(join(folder, 'corpus.jsonl')).map(({ id, title, text }) => ({
    external_id: id,
    type: 'document',
    title,
    text,
  }))
  /** @type {Map<string, Map<string, number>>} */
  const grades = new Map()
  for (const line of readFileSync(join(folder, 'qrels.tsv'), 'utf8').trim().split('\n')) {
    const [query = '', document = '', grade] = line.split('\t')
    const graded = grades.get(query) ?? new Map()
    if (Number(grade) > 0) grades.set(query, graded.set(document, Number(grade)))
  }
  const queries = readLines(join(folder, 'queries.jsonl')).filter(({ id }) => grades.has(id))
  const texts = queries.map(({ text }) => text)
  const sandbox = await load(call, 'graded', records)
  const print = (/** @type {string} */ ranking, /** @type {string[][]} */ ranked) => {
    const gains = queries.map(({ id }, at) => ndcg(grades.get(id) ?? new Map(), ranked[at] ?? [], DEPTH))
    printRow('cranfield', ranking, [mean(gains).toFixed(DIGITS)])
  }
  printHeading('graded judgements', [`nDCG@${DEPTH}`])
  print('discover', await askAll(call, sandbox, texts, DEPTH))
  print('BM25', rankLexically(records, texts, DEPTH))
  console.log('  a plain BM25 with k1 0.9 and b 0.4 is at .366')
}
