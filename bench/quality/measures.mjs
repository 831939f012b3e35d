// Recall, nDCG and the lines that show them.

const NAME_WIDTH = 26
const RANKING_WIDTH = 10
const FIGURE_WIDTH = 7

/**
 * Share of the gold that is among the first `depth`.
 * @param {readonly string[]} gold
 * @param {readonly string[]} ranked
 * @param {number} depth
 */
export function recall(gold, ranked, depth) {
  const top = new Set(ranked.slice(0, depth))
  return gold.filter((id) => top.has(id)).length / gold.length
}

/**
 * Normalised discounted cumulative gain of the first `depth`, gains as graded.
 * @param {ReadonlyMap<string, number>} grades
 * @param {readonly string[]} ranked
 * @param {number} depth
 */
export function ndcg(grades, ranked, depth) {
  const sum = (/** @type {number[]} */ gains) => gains.reduce((total, gain, at) => total + gain / Math.log2(at + 2), 0)
  const best = [...grades.values()].sort((a, b) => b - a).slice(0, depth)
  return sum(ranked.slice(0, depth).map((id) => grades.get(id) ?? 0)) / sum(best)
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
