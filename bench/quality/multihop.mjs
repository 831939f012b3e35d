// Measures multi-hop questions over HTTP: recall of the gold passages in the whole corpus, for each set separately and
// with all corpora in one sandbox.
import { askAll, goldByKey, load, rankLexically } from './asking.mjs'
import { mean, percents, printHeading, printRow, recall } from './measures.mjs'

const DEPTHS = [2, 5, 10]
/** Published R@2 and R@5; those on HotpotQA and MuSiQue use a larger corpus. */
const PUBLISHED = [
  '2WikiMultiHopQA: BM25 51.8/61.9, HippoRAG 71.5/89.5, HippoRAG 2 –/90.4, Vector Graph RAG –/95.4, GFM-RAG 90.8/95.6',
  'HotpotQA: BM25 55.4/72.2, GFM-RAG 78.3/87.1, NV-Embed-v2 –/94.5, HippoRAG 2 –/96.3',
  'MuSiQue: BM25 32.3/41.2, GFM-RAG 49.1/58.2, NV-Embed-v2 –/69.7, HippoRAG 2 –/74.7',
]

/** @typedef {import('../sets.mjs').QuestionSet} QuestionSet */

/**
 * @param {import('./asking.mjs').Call} call
 * @param {readonly import('../sets.mjs').FoundSet[]} found
 */
export async function measureMultihop(call, found) {
  const sets = found.flatMap((each) => each.read())
  printHeading(
    'multi-hop questions',
    DEPTHS.map((depth) => `R@${depth}`),
  )
  for (const set of sets) await measure(call, set.name, set.records, [set])
  if (sets.length > 1) {
    const records = sets.flatMap((set) => set.records)
    await measure(call, `of ${sets.length} in one sandbox`, records, sets)
  }
  for (const line of PUBLISHED) console.log(`  published ${line}`)
}

/**
 * @param {import('./asking.mjs').Call} call
 * @param {string} name
 * @param {QuestionSet['records']} records
 * @param {QuestionSet[]} sets
 */
async function measure(call, name, records, sets) {
  const limit = Math.max(...DEPTHS)
  const sandbox = await load(call, name, records)
  for (const set of sets) {
    const label = sets.length > 1 ? `${set.name}, merged`.slice(0, 25) : set.name
    const questions = set.questions.map(({ text }) => text)
    print(label, 'discover', set, await askAll(call, sandbox, questions, limit))
    print(label, 'BM25', set, await rankLexically(records, questions, limit))
  }
}

/**
 * @param {string} label
 * @param {string} ranking
 * @param {QuestionSet} set
 * @param {string[][]} ranked
 */
function print(label, ranking, set, ranked) {
  const gold = goldByKey(set)
  const shares = DEPTHS.map((depth) => mean(gold.map((wanted, at) => recall(wanted, ranked[at] ?? [], depth))))
  printRow(label, ranking, percents(shares))
}
