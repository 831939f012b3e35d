// Shows the trade-off of the answerability threshold: for each set, the share of unanswerable questions that are
// rejected by the share of answerable questions that are lost.
import { dot } from './logistic.mjs'

/** Percentages of answerable questions that are lost. */
export const GIVEN_UP = [1, 2, 5, 10, 20, 40]

/** @typedef {import('./fit.mjs').Row} Row */

/**
 * Returns a Markdown table: a row for each set with both kinds of questions, a column for each percentage of lost
 * answerable questions, and the result at the current threshold.
 * @param {readonly Row[]} rows
 * @param {{ weights: Record<string, number>, least: number }} estimate
 */
export function refusalTable(rows, { weights, least }) {
  const theta = Object.values(weights)
  const scoresOf = (/** @type {string} */ set, /** @type {string} */ group) =>
    rows.filter((each) => each.set === set && each.group === group).map(({ row }) => dot(row, theta))
  const share = (/** @type {number[]} */ scores, /** @type {number} */ from) =>
    (100 * scores.filter((score) => score < from).length) / scores.length
  const lines = [...new Set(rows.map(({ set }) => set))].flatMap((set) => {
    const [answered, not] = [
      scoresOf(set, 'answerable').sort((one, other) => one - other),
      scoresOf(set, 'unanswerable'),
    ]
    if (not.length === 0) return []
    const at = GIVEN_UP.map((most) => share(not, answered[Math.floor((most * answered.length) / 100)] ?? 0))
    const stands = `${share(not, least).toFixed(1)} at ${share(answered, least).toFixed(1)}`
    const cells = [`${set}, ${not.length} and ${answered.length}`, ...at.map((each) => each.toFixed(0)), stands]
    return [`| ${cells.join(' | ')} |`]
  })
  const header = ['without an answer and with one', ...GIVEN_UP.map((most) => `${most} %`), 'as it is set']
  return [`| ${header.join(' | ')} |`, `|${'---|'.repeat(header.length)}`, ...lines].join('\n')
}
