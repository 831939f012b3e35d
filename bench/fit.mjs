// Whether the ranking's weights hold on sets that they were not chosen on: settings are drawn at random over wide
// ranges that owe nothing to the product's, every set is ranked with each, and each set is printed with the mean of
// those that are best on all others.
// Usage: npm run bench:fit -- DIR [--sets A,B] [--half development|other|all] [--questions N] [--scores FILE]
import { appendFileSync, existsSync } from 'node:fs'
import { readArguments } from './arguments.mjs'
import { mean, percents } from './quality/measures.mjs'
import { printLine } from './quality/ranking.mjs'
import { plainWays, scoreSet } from './scores.mjs'
import { readLines } from './sets.mjs'
import { seeded } from './workload.mjs'

const USAGE = `Usage: npm run bench:fit -- DIR
  [--sets A,B] [--half development|other|all] [--questions N] [--scores FILE]
DIR must hold at least two question sets. With --questions so many of each are asked, a sample; FILE keeps what was
ranked, so that a run that was cut short goes on.`
const SETTINGS = 32
const SEED = 11
/** Of the settings, how many are averaged: one alone is best by chance. */
const BEST = 8
/** Between which each weight is drawn, every ratio as likely. */
const RANGES = {
  proximity: [0.25, 2],
  feedback: [0.1, 0.8],
  namesBase: [-0.5, -3],
  namesWritten: [4, 32],
  bridgeOfWords: [0.1, 0.8],
  bridgeOfNames: [0.3, 2],
  bridgeAlone: [0.1, 0.9],
  longQuestionTerms: [6, 24],
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

/** The setting in the middle of some, by the mean of each weight's logarithm. @param {readonly Setting[]} some */
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
 * What a set has with each of some settings, by words alone, and with the product's weights.
 * @param {import('./sets.mjs').FoundSet} found
 * @param {readonly Setting[]} tried
 */
async function scoresOf(found, tried) {
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
  const [scored] = await scoreSet(found, { half, questionsMax, waysOf })
  const of = (/** @type {string | number} */ way) => mean(scored?.scores[way]?.[scored.measures[0] ?? ''] ?? [])
  return { name: found.name, words: of('words'), product: of('product'), bySetting: tried.map((_, at) => of(at)) }
}

/** @type {Awaited<ReturnType<typeof scoresOf>>[]} */
const results = scoresFile && existsSync(scoresFile) ? readLines(scoresFile) : []
for (const found of asked) {
  if (results.some(({ name }) => name === found.name)) continue
  const result = await scoresOf(found, settings)
  results.push(result)
  if (scoresFile) appendFileSync(scoresFile, `${JSON.stringify(result)}\n`)
}

/**
 * The middle of the settings that give these sets most. What one gives a set is told in standard deviations over all
 * settings, so that sets on which the weights matter much do not decide for those on which they matter less.
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
  'Each set: words alone; as it is; the settings that are best on all other sets; those that are best on all.',
)
const ofAll = bestOn(results)
for (const found of asked) {
  const known = results.find(({ name }) => name === found.name)
  if (!known) continue
  const elsewhere = bestOn(results.filter((other) => other !== known))
  const { bySetting } = await scoresOf(found, [elsewhere, ofAll])
  printLine(found.name, '', percents([known.words, known.product, ...bySetting]), '')
}
console.log(`\nBest on all: ${JSON.stringify(ofAll)}`)
