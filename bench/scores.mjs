// Several ways to rank the same questions in the same sandbox, scored question by question, so that they can be
// compared in pairs.
import { openSandbox } from './sandbox.mjs'
import { halfOf } from './sets.mjs'

/**
 * A way to rank: the ids of records, best first, for a question that is analysed.
 * @typedef {(question: unknown, limit: number) => readonly { id: string }[]} Rank
 * Scores by way and by measure, one for each question of `asked`, in its order.
 * @typedef {{ name: string, measures: string[], asked: readonly import('./sets.mjs').Asked[],
 *   scores: Record<string, Record<string, number[]>>, records: number, seconds: number }} SetScores
 */

/**
 * How `discover` ranks: the question read with its times and slips of the pen, on the day that it is asked.
 * @param {import('./sandbox.mjs').Sandbox} sandbox
 * @param {import('./sets.mjs').QuestionSet} set
 * @param {readonly import('./sets.mjs').Asked[]} asked
 */
async function discovered({ graph, ask, indexOf }, { depth }, asked) {
  const ranked = []
  for (const { text, reference } of asked) {
    const { question, times } = await ask(text, reference)
    ranked.push(graph.rank(question, null, depth, times).map((/** @type {{ id: string }} */ { id }) => indexOf(id)))
  }
  return ranked
}

/**
 * The ways that every build has: by words alone, and as the product ranks.
 * @param {import('./sandbox.mjs').Sandbox} sandbox
 * @returns {Record<string, Rank>}
 */
export function plainWays({ graph }) {
  return {
    words: (question, limit) => graph.rankLexical(question, null, limit),
    product: (question, limit) => graph.rank(question, null, limit),
  }
}

/**
 * Asks the questions of a set in every way. Sets of one name that are read from one file are scored as one.
 * @param {import('./sets.mjs').FoundSet} found
 * @param {{ half?: import('./sets.mjs').Half,
 *   asDiscovered?: boolean,
 *   waysOf?: (sandbox: import('./sandbox.mjs').Sandbox) => Record<string, Rank> }} [options]
 * @returns {Promise<SetScores[]>}
 */
export async function scoreSet(found, { half = 'all', asDiscovered = false, waysOf = plainWays } = {}) {
  /** @type {Map<string, SetScores>} */
  const byName = new Map()
  for (const set of found.read()) {
    const startedMs = performance.now()
    const sandbox = await openSandbox(set.records)
    const asked = halfOf(set.questions, half)
    const measures = set.measures.map(({ name }) => name)
    const all = byName.get(set.name) ?? { name: set.name, measures, asked: [], scores: {}, records: 0, seconds: 0 }
    const analysed = asked.map(({ text }) => sandbox.analyse(text))
    const rankings = Object.entries(waysOf(sandbox)).map(([way, rank]) => ({
      way,
      ranked: analysed.map((question) => rank(question, set.depth).map(({ id }) => sandbox.indexOf(id))),
    }))
    if (asDiscovered) rankings.push({ way: 'discover', ranked: await discovered(sandbox, set, asked) })
    for (const { way, ranked } of rankings) {
      const own = all.scores[way] ?? {}
      for (const { name, of } of set.measures) {
        own[name] = [...(own[name] ?? []), ...asked.map(({ gold }, at) => of(gold, ranked[at] ?? []))]
      }
      all.scores[way] = own
    }
    const seconds = (performance.now() - startedMs) / 1_000
    byName.set(set.name, {
      ...all,
      asked: [...all.asked, ...asked],
      records: all.records + set.records.length,
      seconds: all.seconds + seconds,
    })
  }
  return [...byName.values()].filter(({ asked }) => asked.length > 0)
}
