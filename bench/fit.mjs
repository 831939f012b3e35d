// Cross-validates the ranking's weights. Draws settings at random over wide ranges independent of the product's, ranks
// every set with each, and prints for each set the mean of the settings that are best on all others.
// Usage: npm run bench:fit -- DIR [--sets A,B] [--half development|other|all] [--questions N] [--scores FILE]
import { appendFileSync, existsSync } from 'node:fs'
import { readArguments } from './arguments.mjs'
import { mean, percents } from './quality/measures.mjs'
import { printLine } from './quality/ranking.mjs'
import { plainWays, scoreSet } from './scores.mjs'
import { readLines } from './sets.mjs'
import { seeded } from './workload.mjs'

const USAGE = `Usage: npm run bench:fit -- DIR [--sets A,B] [--half development|other|all]
         [--questions N] [--scores FILE]
DIR must hold at least two question sets. With --questions settings are chosen on so many of each, a sample; FILE keeps
what was ranked, so that a run that was cut short goes on.`
const SETTINGS = 40
const SEED = 11
/** Number of best settings that are averaged; a single one is best by chance. */
const BEST = 8
/** Range for the weights of signals; drawn log-uniformly. */
const SHARES = [0.1, 1.6]
/** Ranges of the weights. The length of a long question is not included, because only one set depends on it. */
const RANGES = {
  proximity: SHARES,
  feedback: SHARES,
  namesBase: [-0.5, -4],
  namesWritten: [4, 64],
  bridgeOfWords: SHARES,
  bridgeOfNames: SHARES,
  bridgeAlone: SHARES,
}

const { sets, half, questionsMax, scoresFile, fail } = readArguments(USAGE)
const asked = sets.filter(({ kind }) => kind !== 'merged')
if (asked.length < 2) fail()

/** @typedef {Record<string, number>} Setting */

const random = seeded(SEED)
/** @type {Setting[]} */
const settings = Array.from({ length: SETTINGS }, () =>
  Object.fromEntries(
    Object.entries(RANGES).map(([name, [from = 1, to = 1]]) => [name, from * (to / from) ** random()]),
  ),
)

/** Returns the geometric mean of some settings. @param {readonly Setting[]} some */
function middleOf(some) {
  const names = Object.keys(RANGES)
  /** @param {string} name */
  const middle = (name) => {
    const sign = Math.sign(some[0]?.[name] ?? 1)
    return sign * Math.exp(mean(some.map((each) => Math.log(Math.abs(each[name] ?? 1)))))
  }
  return Object.fromEntries(names.map((name) => [name, middle(name)]))
}

/**
 * Scores a set with each of some settings, lexically only, and with the product's weights.
 * @param {import('./sets.mjs').FoundSet} found
 * @param {readonly Setting[]} tried
 * @param {number} [count]  number of sampled questions; all if omitted
 */
async function scoresOf(found, tried, count = Number.POSITIVE_INFINITY) {
  /** @param {import('./sandbox.mjs').Sandbox} sandbox */
  const waysOf = (sandbox) => {
    const { words, product } = plainWays(sandbox)
    /** @type {Record<string, import('./scores.mjs').Rank>} */
    const ways = { ...(words && { words }), ...(product && { product }) }
    for (const [at, weights] of tried.entries()) {
      ways[at] = (question, limit) => sandbox.graph.rank(question, null, limit, undefined, { weights })
    }
    return ways
  }
  const [scored] = await scoreSet(found, { half, questionsMax: count, waysOf })
  const of = (/** @type {string | number} */ way) => mean(scored?.scores[way]?.[scored.measures[0] ?? ''] ?? [])
  return { name: found.name, words: of('words'), product: of('product'), bySetting: tried.map((_, at) => of(at)) }
}

/** @type {Awaited<ReturnType<typeof scoresOf>>[]} */
const results = scoresFile && existsSync(scoresFile) ? readLines(scoresFile) : []
for (const found of asked) {
  if (results.some(({ name }) => name === found.name)) continue
  const result = await scoresOf(found, settings, questionsMax)
  results.push(result)
  if (scoresFile) appendFileSync(scoresFile, `${JSON.stringify(result)}\n`)
}

/**
 * Returns the mean of the settings that are best for these sets. Scores are standardized per set, so that sets with a
 * large variance do not dominate.
 * @param {typeof results} among
 */
function bestOn(among) {
  const worth = settings.map((_, at) => mean(among.map(({ bySetting }) => standing(bySetting, at))))
  const order = settings.map((_, at) => at).sort((one, other) => (worth[other] ?? 0) - (worth[one] ?? 0))
  return middleOf(order.slice(0, BEST).flatMap((at) => settings[at] ?? []))
}

/** @param {readonly number[]} all @param {number} at */
function standing(all, at) {
  const centre = mean(all)
  const deviation = Math.sqrt(mean(all.map((each) => (each - centre) ** 2))) || 1
  return ((all[at] ?? 0) - centre) / deviation
}

console.log(
  'Each set: keywords only; current settings; settings that are best on all other sets; settings that are best on all.',
)
const ofAll = bestOn(results)
for (const found of asked) {
  const elsewhere = bestOn(results.filter(({ name }) => name !== found.name))
  const { words, product, bySetting } = await scoresOf(found, [elsewhere, ofAll])
  printLine(found.name, '', percents([words, product, ...bySetting]), '')
}
console.log(`\nBest on all: ${JSON.stringify(ofAll)}`)
