// Measures the contribution of each ranking signal on each set (ablation). Ranks as `discover` does, then without each
// signal and each way of parsing records in turn, and lexically only. All on the same questions, with the 95 % interval
// of each change.
// Usage: npm run bench:ablate -- DIR [--sets A,B] [--half development|other|all] [--without SIGNAL,SIGNAL]
import { readArguments } from './arguments.mjs'
import { isBeyondNoise, pairedChange } from './bootstrap.mjs'
import { SIGNALS } from './product.mjs'
import { mean, percents } from './quality/measures.mjs'
import { describe, printLine } from './quality/ranking.mjs'
import { plainWays, scoreSet } from './scores.mjs'

const USAGE = `Usage: npm run bench:ablate -- DIR [--sets A,B] [--half development|other|all] [--without SIGNAL,SIGNAL]
DIR must hold question sets; each signal is left out in turn, or those that are named.`
const PERCENT = 100

const { sets, half, without, fail } = readArguments(USAGE)
if (sets.length === 0) fail()

/** Sets on which leaving a signal out has a significant effect, with the effect in points. */
/** @type {Map<string, string[]>} */
const worth = new Map()
const isWanted = (/** @type {string} */ name) => !without || without.includes(name)
const signals = SIGNALS.ranking.filter(isWanted)
const readings = SIGNALS.reading.filter(isWanted)

/**
 * @param {import('./sandbox.mjs').Sandbox} sandbox
 * @returns {Record<string, import('./scores.mjs').Rank>}
 */
function waysOf(sandbox) {
  const { graph } = sandbox
  const { words, asked } = plainWays(sandbox)
  /** @type {Record<string, import('./scores.mjs').Rank>} */
  const ways = { ...(words && { words }), ...(asked && { asked }) }
  for (const name of signals) {
    ways[`without ${name}`] = (_, limit, { question, times }) =>
      graph.rank(question, null, limit, times, { without: [name] })
  }
  return ways
}

for (const found of sets) {
  for (const { name, measures, asked, scores, seconds } of await scoreSet(found, { half, readings, waysOf })) {
    const [measure = ''] = measures
    const whole = scores.asked?.[measure] ?? []
    printLine(`\n${name} (${asked.length})`, measure, percents([mean(whole)]), '', `${seconds.toFixed(1)} s`)
    for (const [way, own] of Object.entries(scores)) {
      if (way === 'asked') continue
      const after = own[measure] ?? []
      const interval = pairedChange(whole, after)
      printLine(`  ${way === 'words' ? 'words alone' : way}`, '', percents([mean(after)]), describe(interval))
      if (way === 'words' || !isBeyondNoise(interval)) continue
      const signal = way.slice('without '.length)
      const points = -PERCENT * interval.change
      worth.set(signal, [...(worth.get(signal) ?? []), `${name} ${points < 0 ? '' : '+'}${points.toFixed(1)}`])
    }
  }
}

console.log('\nA star marks a change beyond the noise of its set (paired bootstrap over the questions).')
for (const name of [...signals, ...readings]) {
  console.log(`${name} gives: ${worth.get(name)?.join(', ') ?? 'nothing beyond the noise on any set'}`)
}
