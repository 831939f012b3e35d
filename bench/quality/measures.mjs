// Recall, nDCG and hit rate, and functions that print them.

const NAME_WIDTH = 26
const RANKING_WIDTH = 10
const FIGURE_WIDTH = 7

/**
 * Relevant items of a question with their relevance grades.
 * @template T
 * @typedef {ReadonlyMap<T, number>} Gold
 */

/**
 * Returns the share of the gold among the first `depth`.
 * @template T
 * @param {Gold<T>} gold
 * @param {readonly T[]} ranked
 * @param {number} depth
 */
export function recall(gold, ranked, depth) {
  const top = new Set(ranked.slice(0, depth))
  return [...gold.keys()].filter((each) => top.has(each)).length / gold.size
}

/**
 * Returns 1 if any of the gold is among the first `depth`, else 0.
 * @template T
 * @param {Gold<T>} gold
 * @param {readonly T[]} ranked
 * @param {number} depth
 */
export function anyFound(gold, ranked, depth) {
  return Number(ranked.slice(0, depth).some((each) => gold.has(each)))
}

/**
 * Returns the normalized discounted cumulative gain (nDCG) of the first `depth`, with gains as graded.
 * @template T
 * @param {Gold<T>} gold
 * @param {readonly T[]} ranked
 * @param {number} depth
 */
export function ndcg(gold, ranked, depth) {
  const sum = (/** @type {number[]} */ gains) => gains.reduce((total, gain, at) => total + gain / Math.log2(at + 2), 0)
  const best = [...gold.values()].sort((a, b) => b - a).slice(0, depth)
  return sum(ranked.slice(0, depth).map((each) => gold.get(each) ?? 0)) / sum(best)
}

/** @param {readonly number[]} values */
export function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/**
 * @param {string} name
 * @param {string} ranking
 * @param {readonly string[]} figures
 */
export function printRow(name, ranking, figures) {
  const columns = figures.map((figure) => figure.padStart(FIGURE_WIDTH)).join('')
  console.log(`${name.padEnd(NAME_WIDTH)}${ranking.padEnd(RANKING_WIDTH)}${columns}`)
}

/**
 * @param {string} title
 * @param {readonly string[]} columns
 */
export function printHeading(title, columns) {
  console.log('')
  printRow(title, 'ranking', columns)
}

/** @param {readonly number[]} shares */
export function percents(shares) {
  return shares.map((share) => (100 * share).toFixed(1))
}
