// Measures long conversations between two people: recall of the turns with the evidence, within each conversation, over
// HTTP.
import { askAll, goldByKey, load, rankLexically } from './asking.mjs'
import { briefAll, countFaithful } from './briefs.mjs'
import { mean, percents, printHeading, printRow, recall } from './measures.mjs'

const DEPTHS = [5, 10, 25]
/** Token budgets for the best records that an answer writer would get. */
const BUDGETS = [2_000, 4_000, 8_000]
/** Maximum results of `discover`. */
const LIMIT = 100
const BYTES_PER_TOKEN = 4
const CATEGORIES = ['multi-hop', 'temporal', 'open-domain', 'single-hop', 'adversarial']
const PUBLISHED = 'evidence R@5/10/25 of BM25 54.2/61.6/71.6; the best R@10 84.6, R@25 84.5 (all ten conversations)'

/** @typedef {{ group: string, gold: ReadonlyMap<string, number> }} Asked */

/**
 * Returns the number of ranked records that fit into a token budget.
 * @param {readonly string[]} ranked
 * @param {ReadonlyMap<string, number>} bytes
 * @param {number} budget
 */
function countWithin(ranked, bytes, budget) {
  let left = budget * BYTES_PER_TOKEN
  const end = ranked.findIndex((id) => {
    left -= bytes.get(id) ?? 0
    return left < 0
  })
  return end < 0 ? ranked.length : end
}

/**
 * @param {import('./asking.mjs').Call} call
 * @param {readonly import('../sets.mjs').FoundSet[]} sets
 */
export async function measureConversations(call, sets) {
  /** @type {Record<string, { asked: Asked, shares: number[] }[]>} */
  const rows = { discover: [], BM25: [] }
  /** @type {import('./briefs.mjs').Briefed[]} */
  const briefed = []
  for (const set of sets.flatMap((found) => found.read())) {
    const turns = set.records
    const gold = goldByKey(set)
    const asked = set.questions.map(({ group = '' }, at) => ({ group, gold: gold[at] ?? new Map() }))
    const bytes = new Map(turns.map((turn) => [turn.external_id, Buffer.byteLength(`${turn.author}: ${turn.text}\n`)]))
    const questions = set.questions.map(({ text }) => text)
    const sandbox = await load(call, `conversation ${turns[0]?.occurred_at}`, turns)
    const add = (/** @type {string} */ ranking, /** @type {string[][]} */ ranked) => {
      for (const [at, each] of asked.entries()) {
        const found = ranked[at] ?? []
        const depths = [...DEPTHS, ...BUDGETS.map((budget) => countWithin(found, bytes, budget))]
        rows[ranking]?.push({ asked: each, shares: depths.map((depth) => recall(each.gold, found, depth)) })
      }
    }
    add('discover', await askAll(call, sandbox, questions, LIMIT))
    briefed.push(...(await briefAll(call, sandbox, turns, questions)))
    add('BM25', await rankLexically(turns, questions, LIMIT))
  }
  printHeading('evidence in talks', [
    ...DEPTHS.map((depth) => `R@${depth}`),
    ...BUDGETS.map((budget) => `${budget / 1_000}K tok`),
  ])
  for (const name of ['all', ...CATEGORIES]) {
    for (const [ranking, all] of Object.entries(rows)) {
      const some = all.filter(({ asked }) => name === 'all' || asked.group === name)
      if (some.length === 0) continue
      const columns = DEPTHS.length + BUDGETS.length
      const shares = Array.from({ length: columns }, (_, at) => mean(some.map((row) => row.shares[at] ?? 0)))
      printRow(`${name} (${some.length})`, ranking, percents(shares))
    }
  }
  console.log(`  published ${PUBLISHED}`)
  console.log(`  ${countFaithful(briefed)} of ${briefed.length} briefs on the best five turns contain only their words`)
}
