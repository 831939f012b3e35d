// Compares lexical ranking with the product on every set in this process, with the same analysis, graph and questions.
import { isBeyondNoise, pairedChange } from '../bootstrap.mjs'
import { scoreSet } from '../scores.mjs'
import { mean, percents } from './measures.mjs'

const NAME_WIDTH = 32
const MEASURE_WIDTH = 9
const COLUMN_WIDTH = 9
const INTERVAL_WIDTH = 24
/** Difference to lexical ranking, in points, above which a loss is not due to rounding. */
const WORSE_POINTS = 0.5
const PERCENT = 100
const MICROSECONDS = 1_000_000

/**
 * @param {readonly import('../sets.mjs').FoundSet[]} sets
 * @param {import('../sets.mjs').Half} half
 */
export async function measureRanking(sets, half) {
  const startedMs = performance.now()
  const startedCpu = process.cpuUsage().user
  printLine('set (questions)', 'measure', ['words', 'product', 'asked'], 'change, 95 % interval', 'seconds')
  /** @type {string[]} */
  const worse = []
  for (const found of sets) {
    for (const scored of await scoreSet(found, { half })) {
      const change = printSet(scored)
      if (change < -WORSE_POINTS) worse.push(`${scored.name} ${change.toFixed(1)}`)
    }
  }
  console.log(`\n${half === 'all' ? 'All questions' : `The ${half} half`}, all figures in percent.`)
  console.log('product: the graph ranks the words of the question; asked: parsed as `discover` does, with its times.')
  console.log(
    worse.length > 0 ? `Worse than keywords only: ${worse.join(', ')}` : 'No set is worse than keywords only.',
  )
  const cpuSeconds = (process.cpuUsage().user - startedCpu) / MICROSECONDS
  const seconds = (performance.now() - startedMs) / 1_000
  console.log(`${seconds.toFixed(0)} s in total, ${cpuSeconds.toFixed(0)} s of one processor\n`)
}

/**
 * Prints the rows of a set and returns the change of its first measure, in points.
 * @param {import('../scores.mjs').SetScores} scored
 */
function printSet({ name, measures, asked, scores, seconds }) {
  const row = (
    /** @type {string} */ label,
    /** @type {string} */ measure,
    /** @type {number[]} */ picked,
    took = '',
  ) => {
    const [words = [], product = [], whole = []] = ['words', 'product', 'asked'].map((way) => {
      const all = scores[way]?.[measure] ?? []
      return picked.map((at) => all[at] ?? 0)
    })
    const change = pairedChange(words, product)
    printLine(label, measure, percents([mean(words), mean(product), mean(whole)]), describe(change), took)
    return PERCENT * change.change
  }
  const everyone = asked.map((_, at) => at)
  const [first = '', ...others] = measures
  const change = row(`${name} (${asked.length})`, first, everyone, seconds.toFixed(1))
  for (const measure of others) row('', measure, everyone)
  const groups = [...new Set(asked.map(({ group = '' }) => group))].filter(Boolean).sort()
  if (groups.length > 1 && !name.includes('/')) {
    for (const group of groups) {
      const own = everyone.filter((at) => asked[at]?.group === group)
      row(`  ${group} (${own.length})`, first, own)
    }
  }
  return change
}

/**
 * Formats a change in points with its interval; a mark means that it is significant.
 * @param {ReturnType<typeof pairedChange>} interval
 */
export function describe(interval) {
  const points = (/** @type {number} */ share) => `${share < 0 ? '' : '+'}${(PERCENT * share).toFixed(1)}`
  const { change, low, high } = interval
  return `${points(change)} [${points(low)}, ${points(high)}]${isBeyondNoise(interval) ? ' *' : ''}`
}

/**
 * @param {string} name
 * @param {string} measure
 * @param {readonly string[]} figures
 * @param {string} change
 * @param {string} [last]
 */
export function printLine(name, measure, figures, change, last = '') {
  const columns = figures.map((figure) => figure.padStart(COLUMN_WIDTH)).join('')
  const label = `${name.padEnd(NAME_WIDTH)} ${measure.padEnd(MEASURE_WIDTH)}`
  console.log(`${label}${columns}   ${change.padEnd(INTERVAL_WIDTH)}${last.padStart(COLUMN_WIDTH)}`.trimEnd())
}
