// Scores several ranking variants question by question in the same sandbox, so that they can be compared in pairs.
import { openReadWithout, openSandbox } from './sandbox.mjs'
import { halfOf, someOf } from './sets.mjs'

/**
 * A ranking function: returns the ids of records, best first, for an analyzed question and for its form in `discover`.
 * @typedef {(question: unknown, limit: number, read: Read) => readonly { id: string }[]} Rank
 * A question as `discover` parses it on its day: with typing errors corrected, and its times.
 * @typedef {{ question: unknown, times: unknown }} Read
 * Scores by variant and measure, one for each question of `asked`, in its order.
 * @typedef {{ name: string, measures: string[], asked: readonly import('./sets.mjs').Asked[],
 *   scores: Record<string, Record<string, number[]>>, records: number, seconds: number }} SetScores
 */

/**
 * Returns the variants of every build: lexical only, the graph with the question's words, and the ranking of
 * `discover`.
 * @param {import('./sandbox.mjs').Sandbox} sandbox
 * @returns {Record<string, Rank>}
 */
export function plainWays({ graph }) {
  return {
    words: (question, limit) => graph.rankLexical(question, null, limit),
    product: (question, limit) => graph.rank(question, null, limit),
    asked: (_, limit, { question, times }) => graph.rank(question, null, limit, times),
  }
}

/**
 * Asks questions in a sandbox with every variant. Returns the indexes of the results by variant and question.
 * @param {import('./sandbox.mjs').Sandbox} sandbox
 * @param {readonly import('./sets.mjs').Asked[]} asked
 * @param {number} depth
 * @param {Record<string, Rank>} ways
 */
async function rankings(sandbox, asked, depth, ways) {
  const read = []
  for (const { text, reference } of asked) {
    read.push({ words: sandbox.analyse(text), ...(await sandbox.ask(text, reference)) })
  }
  return Object.entries(ways).map(([way, rank]) => ({
    way,
    ranked: read.map(({ words, ...own }) => rank(words, depth, own).map(({ id }) => sandbox.indexOf(id))),
  }))
}

/**
 * Asks the questions of a set with every variant. Sets with the same name from one file are scored as one.
 * @param {import('./sets.mjs').FoundSet} found
 * @param {{ half?: import('./sets.mjs').Half,
 *   questionsMax?: number, readings?: readonly string[],
 *   waysOf?: (sandbox: import('./sandbox.mjs').Sandbox) => Record<string, Rank> }} [options]  `readings` are ways of
 *   parsing records to leave out, each in a separate sandbox, ranked as `discover` does
 * @returns {Promise<SetScores[]>}
 */
export async function scoreSet(
  found,
  { half = 'all', questionsMax = Number.POSITIVE_INFINITY, readings = [], waysOf = plainWays } = {},
) {
  /** @type {Map<string, SetScores>} */
  const byName = new Map()
  for (const set of found.read()) {
    const startedMs = performance.now()
    const sandbox = await openSandbox(set.records)
    const asked = someOf(halfOf(set.questions, half), questionsMax)
    const measures = set.measures.map(({ name }) => name)
    const all = byName.get(set.name) ?? { name: set.name, measures, asked: [], scores: {}, records: 0, seconds: 0 }
    const ranked = await rankings(sandbox, asked, set.depth, waysOf(sandbox))
    for (const reading of readings) {
      const other = await openReadWithout(set.records, [reading])
      if (!other) continue
      const { asked: way } = plainWays(other)
      if (way) ranked.push(...(await rankings(other, asked, set.depth, { [`without ${reading}`]: way })))
    }
    for (const { way, ranked: indexes } of ranked) {
      const own = all.scores[way] ?? {}
      for (const { name, of } of set.measures) {
        own[name] = [...(own[name] ?? []), ...asked.map(({ gold }, at) => of(gold, indexes[at] ?? []))]
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
