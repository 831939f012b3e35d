// What each signal of the ranking is worth on each set: the product as it is, without each signal in turn, and words
// alone, on the same questions in the same sandbox, each with the 95 % interval of its change.
// Usage: npm run bench:ablate -- DIR [--sets A,B] [--half development|other|all] [--without SIGNAL,SIGNAL]
import { readArguments } from './arguments.mjs'
import { isBeyondNoise, pairedChange } from './bootstrap.mjs'
import { mean, percents } from './quality/measures.mjs'
import { describe, printLine } from './quality/ranking.mjs'
import { plainWays, scoreSet } from './scores.mjs'

const USAGE = `Usage: npm run bench:ablate -- DIR [--sets A,B] [--half development|other|all] [--without SIGNAL,SIGNAL]
DIR must hold question sets; each signal is left out in turn, or those that are named.`
const PERCENT = 100

const { sets, half, without, fail } = readArguments(USAGE)
if (sets.length === 0) fail()

/** On which sets leaving a signal out changes something beyond the noise: what it gives, in points. */
/** @type {Map<string, string[]>} */
const worth = new Map()
/** @type {readonly string[]} */
let signals = []

/**
 * @param {import('./sandbox.mjs').Sandbox} sandbox
 * @returns {Record<string, import('./scores.mjs').Rank>}
 */
function waysOf(sandbox) {
  const graph = /** @type {GraphOfSignals} */ (sandbox.graph)
  signals = (graph.signalNames ?? []).filter((name) => !without || without.includes(name))
  /** @type {Record<string, import('./scores.mjs').Rank>} */
  const ways = { ...plainWays(sandbox) }
  for (const name of signals) {
    ways[`without ${name}`] = (question, limit) => graph.rank(question, null, limit, undefined, { without: [name] })
  }
  return ways
}

/** @typedef {import('./sandbox.mjs').Graph & { signalNames?: readonly string[] }} GraphOfSignals */

for (const found of sets) {
  for (const { name, measures, asked, scores, seconds } of await scoreSet(found, { half, waysOf })) {
    const [measure = ''] = measures
    const product = scores.product?.[measure] ?? []
    printLine(`\n${name} (${asked.length})`, measure, percents([mean(product)]), '', `${seconds.toFixed(1)} s`)
    for (const [way, own] of Object.entries(scores)) {
      if (way === 'product') continue
      const after = own[measure] ?? []
      const interval = pairedChange(product, after)
      printLine(`  ${way === 'words' ? 'words alone' : way}`, '', percents([mean(after)]), describe(interval))
      if (way === 'words' || !isBeyondNoise(interval)) continue
      const signal = way.slice('without '.length)
      const points = -PERCENT * interval.change
      worth.set(signal, [...(worth.get(signal) ?? []), `${name} ${points < 0 ? '' : '+'}${points.toFixed(1)}`])
    }
  }
}

console.log('\nA star marks a change beyond the noise of its set (paired bootstrap over the questions).')
if (signals.length === 0) {
  console.log('This build names no signals (no `signalNames` on the graph): only words alone could be compared.')
} else {
  for (const signal of signals) {
    console.log(`${signal} gives: ${worth.get(signal)?.join(', ') ?? 'nothing beyond the noise on any set'}`)
  }
}
