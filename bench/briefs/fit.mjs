// Fits the weights of the answerability estimate on development halves. Reports both halves, and for each set also
// weights fitted on all other sets (leave-one-out).
import { createHash } from 'node:crypto'
import { dot, fitLogistic } from './logistic.mjs'

const DECIMALS = 1_000
const GROUPS = ['unanswerable', 'answerable', 'unmentioned', 'renamed', 'transplanted']

/**
 * Parameters of a fit. `features` maps each feature to the required sign of its weight, so that more counterevidence
 * never helps. `refusedMax` limits the share of answerable development questions that are rejected: of each single set,
 * or of all sets with equal weight.
 * @typedef {{ features: Record<string, number>, refusedMax: number, refusedOf: 'each' | 'all' }} Fit
 */

/**
 * A question with its features in the order of the fit, followed by 1. The label is 1 if its set answers it. The half
 * is derived from the id if it is not given.
 * @typedef {{ set: string, id: string, label: 0 | 1, weight: number, group: string, row: number[],
 *   isDevelopment?: boolean }} Row
 */

/** @param {Pick<Row, 'id' | 'isDevelopment'>} row */
function isDevelopment({ id, isDevelopment: isSo }) {
  return isSo ?? (createHash('sha256').update(id).digest()[0] ?? 0) % 2 === 0
}

/**
 * Fits the weights, and the highest threshold at which not too many answerable questions are rejected.
 * @param {readonly Row[]} rows
 * @param {Fit} fit
 */
function fitRows(rows, { features, refusedMax, refusedOf }) {
  const sizes = new Map()
  for (const { set, group } of rows) sizes.set(`${set}/${group}`, (sizes.get(`${set}/${group}`) ?? 0) + 1)
  const theta = fitLogistic(
    rows.map(({ row }) => row),
    rows.map(({ label }) => label),
    rows.map(({ set, group, weight }) => weight / sizes.get(`${set}/${group}`)),
    [...Object.values(features), 0],
  )
  const answerable = rows.filter(({ group }) => group === 'answerable')
  const scored = answerable.map(({ set, row }) => ({
    set,
    score: dot(row, theta),
    share: 1 / (sizes.get(`${set}/answerable`) ?? 1),
  }))
  const names = [...new Set(scored.map(({ set }) => set))]
  const least =
    refusedOf === 'all'
      ? leastOf(scored, refusedMax * names.length)
      : Math.min(
          ...names.map((name) =>
            leastOf(
              scored.filter(({ set }) => set === name),
              refusedMax,
            ),
          ),
        )
  return { theta, least }
}

/**
 * Returns the highest threshold for which the total share of lower scores is at most `most`.
 * @param {readonly { score: number, share: number }[]} scored
 * @param {number} most
 */
function leastOf(scored, most) {
  let below = 0
  for (const { score, share } of [...scored].sort((one, other) => one.score - other.score)) {
    below += share
    if (below > most) return score
  }
  return Number.POSITIVE_INFINITY
}

/** @param {readonly Row[]} rows @param {ReturnType<typeof fitRows>} fitted */
function refusedShare(rows, { theta, least }) {
  const refused = rows.filter(({ row }) => dot(row, theta) < least)
  return `${((100 * refused.length) / Math.max(1, rows.length)).toFixed(0)} %`
}

/** @param {readonly Row[]} rows @param {Fit} fit */
export function fitAnswers(rows, fit) {
  const development = rows.filter(isDevelopment)
  const fitted = fitRows(development, fit)
  /** @type {Record<string, Record<string, string>>} */
  const refused = {}
  for (const set of new Set(rows.map((row) => row.set))) {
    const ofOthers = fitRows(
      development.filter((row) => row.set !== set),
      fit,
    )
    for (const group of GROUPS) {
      const own = rows.filter((each) => each.set === set && each.group === group)
      if (own.length === 0) continue
      const halves = [own.filter(isDevelopment), own.filter((each) => !isDevelopment(each))]
      const shown = [...halves.map((half) => refusedShare(half, fitted)), refusedShare(own, ofOthers)]
      refused[set] = { ...refused[set], [group]: shown.join(', ') }
    }
  }
  const rounded = (/** @type {number} */ value) => Math.floor(value * DECIMALS) / DECIMALS
  const weights = Object.fromEntries(
    [...Object.keys(fit.features), 'base'].map((name, at) => [name, rounded(fitted.theta[at] ?? 0)]),
  )
  const figure =
    'Refused of each kind of question of each set: on the half that it is fitted on, on the other, and of both with ' +
    'what was fitted on the other sets alone.'
  return { figure, refused, least: rounded(fitted.least), weights }
}
