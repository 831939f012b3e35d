// Whether the ranking's weights hold on sets that they were not chosen on: settings are drawn at random about those of
// the product, every set is ranked with each, and each set is printed with the setting that is best on all others.
// Usage: npm run bench:fit -- DIR [--sets A,B] [--half development|other|all]
import { readArguments } from './arguments.mjs'
import { mean, percents } from './quality/measures.mjs'
import { printLine } from './quality/ranking.mjs'
import { plainWays, scoreSet } from './scores.mjs'
import { seeded } from './workload.mjs'

const USAGE = `Usage: npm run bench:fit -- DIR [--sets A,B] [--half development|other|all]
DIR must hold at least two question sets.`
const SETTINGS = 60
const SEED = 11
/** What a weight is multiplied by, each as likely. */
const FACTORS = [0.5, 0.7, 1, 1.4, 2]
/** What a point below words alone costs a setting, in points gained elsewhere. */
const BELOW_WORDS = 10

const { sets, half, fail } = readArguments(USAGE)
if (sets.length < 2) fail()

/** @typedef {Record<string, number>} Setting */

const random = seeded(SEED)
/** @type {Setting[]} */
let settings = []

/** The product's weights first, then those drawn. @param {Setting} weights */
function drawSettings(weights) {
  const others = Array.from({ length: SETTINGS }, () => {
    const drawn = Object.entries(weights).map(([name, weight]) => {
      return [name, weight * (FACTORS[Math.floor(random() * FACTORS.length)] ?? 1)]
    })
    return /** @type {Setting} */ (Object.fromEntries(drawn))
  })
  return [weights, ...others]
}

/**
 * @param {import('./sandbox.mjs').Sandbox} sandbox
 * @returns {Record<string, import('./scores.mjs').Rank>}
 */
function waysOf(sandbox) {
  const { words } = plainWays(sandbox)
  const { graph } = sandbox
  if (settings.length === 0) settings = drawSettings({ ...graph.weights })
  /** @type {Record<string, import('./scores.mjs').Rank>} */
  const ways = words ? { words } : {}
  for (const [at, weights] of settings.entries()) {
    ways[at] = (question, limit) => graph.rank(question, null, limit, undefined, { weights })
  }
  return ways
}

/** @type {{ name: string, words: number, bySetting: number[] }[]} */
const results = []
for (const found of sets) {
  for (const { name, measures, scores } of await scoreSet(found, { half, waysOf })) {
    const of = (/** @type {string | number} */ way) => mean(scores[way]?.[measures[0] ?? ''] ?? [])
    results.push({ name, words: of('words'), bySetting: settings.map((_, at) => of(at)) })
  }
}

/** The setting that gives these sets most, each counted alike, none below its words. @param {typeof results} among */
function bestOn(among) {
  const worth = settings.map((_, at) => {
    const gains = among.map(({ words, bySetting }) => {
      const own = bySetting[at] ?? 0
      return own + BELOW_WORDS * Math.min(0, own - words)
    })
    return mean(gains)
  })
  return worth.indexOf(Math.max(...worth))
}

/** @param {string} name @param {readonly number[]} figures */
function print(name, figures) {
  printLine(name, '', percents(figures), '')
}

const bestOfAll = bestOn(results)
console.log('Each set: words alone; as it is; the setting that is best on all other sets; the one that is best on all.')
for (const result of results) {
  const { name, words, bySetting } = result
  const elsewhere = bestOn(results.filter((other) => other !== result))
  print(name, [words, ...[0, elsewhere, bestOfAll].map((at) => bySetting[at] ?? 0)])
}
console.log(`\nBest on all: ${JSON.stringify(settings[bestOfAll])}`)
