// The weights of the estimate of whether records answer, fitted on development halves, with the figures of both halves
// and, of each set, those with weights that were fitted on all others.
import { createHash } from 'node:crypto'
import { dot, fitLogistic } from './logistic.mjs'

const DECIMALS = 1_000
const GROUPS = ['unanswerable', 'answerable', 'unmentioned', 'renamed', 'transplanted']

/**
 * What is fitted: the features, whose weights have the signs that they are given, as more of what speaks against never
 * helps; and of the answerable questions of the development half, the most that may be refused: of any one set, or of
 * all, each set counting alike.
 * @typedef {{ features: Record<string, number>, refusedMax: number, refusedOf: 'each' | 'all' }} Fit
 */

/**
 * The features of a question in the order of its fit, then 1; its label is 1 where its set answers it, and its half is
 * told by its id where it is not given.
 * @typedef {{ set: string, id: string, label: 0 | 1, weight: number, group: string, row: number[],
 *   isDevelopment?: boolean }} Row
 */

/** @param {Pick<Row, 'id' | 'isDevelopment'>} row */
function isDevelopment({ id, isDevelopment: isSo }) {
  return isSo ?? (createHash('sha256').update(id).digest()[0] ?? 0) % 2 === 0
}

/**
 * The weights, and the most at which not too many answerable questions are refused.
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
 * The greatest score below which the shares of what lies there stay within a sum.
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
