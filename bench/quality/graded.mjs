// Measures queries with graded judgments over HTTP. The graph does not help here, but must not hurt.
import { askAll, goldByKey, load, rankLexically } from './asking.mjs'
import { mean, ndcg, printHeading, printRow } from './measures.mjs'

const DEPTH = 10
/** Significant digits of an nDCG. */
const DIGITS = 3

/**
 * @param {import('./asking.mjs').Call} call
 * @param {readonly import('../sets.mjs').FoundSet[]} sets
 */
export async function measureGraded(call, sets) {
  printHeading('graded judgements', [`nDCG@${DEPTH}`])
  for (const set of sets.flatMap((found) => found.read())) {
    const texts = set.questions.map(({ text }) => text)
    const gold = goldByKey(set)
    const print = (/** @type {string} */ ranking, /** @type {string[][]} */ ranked) => {
      const gains = gold.map((grades, at) => ndcg(grades, ranked[at] ?? [], DEPTH))
      printRow(set.name, ranking, [mean(gains).toFixed(DIGITS)])
    }
    const sandbox = await load(call, set.name, set.records)
    print('discover', await askAll(call, sandbox, texts, DEPTH))
    print('BM25', await rankLexically(set.records, texts, DEPTH))
  }
  console.log('  a plain BM25 with k1 0.9 and b 0.4 is at .366 on Cranfield')
}
