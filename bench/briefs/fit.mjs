// The weights of the estimate of whether records answer, fitted on development halves, with the figures of both halves
// and, of each set, those with weights that were fitted on all others.
import { createHash } from 'node:crypto'
import { ANSWER_FEATURES } from '../product.mjs'
import { dot, fitLogistic } from './logistic.mjs'

/** Of the answerable questions of any set so many of the development half may be refused. */
const REFUSED_MAX = 0.06
const DECIMALS = 1_000
const GROUPS = ['unanswerable', 'answerable', 'unmentioned', 'renamed']
/** The features, whose weights have the signs that they are given: more of what speaks against never helps. */
export const NAMES = /** @type {(keyof typeof ANSWER_FEATURES)[]} */ (Object.keys(ANSWER_FEATURES))
const SIGNS = [...NAMES.map((name) => ANSWER_FEATURES[name]), 0]

/**
 * The features of a question in the order of `NAMES`, then 1; its label is 1 where its set answers it, and its half is
 * told by its id where it is not given.
 * @typedef {{ set: string, id: string, label: 0 | 1, weight: number, group: string, row: number[],
 *   isDevelopment?: boolean }} Row
 */

/** @param {Pick<Row, 'id' | 'isDevelopment'>} row */
function isDevelopment({ id, isDevelopment: isSo }) {
  return isSo ?? (createHash('sha256').update(id).digest()[0] ?? 0) % 2 === 0
}

/** The weights, and the most at which no set has too many answerable questions refused. @param {readonly Row[]} rows */
function fitRows(rows) {
  const sizes = new Map()
  for (const { set, group } of rows) sizes.set(`${set}/${group}`, (sizes.get(`${set}/${group}`) ?? 0) + 1)
  const theta = fitLogistic(
    rows.map(({ row }) => row),
    rows.map(({ label }) => label),
    rows.map(({ set, group, weight }) => weight / sizes.get(`${set}/${group}`)),
    SIGNS,
  )
  const answerable = rows.filter(({ group }) => group === 'answerable')
  const leasts = [...new Set(answerable.map(({ set }) => set))].map((set) => {
    const scores = answerable.filter((each) => each.set === set).map(({ row }) => dot(row, theta))
    return scores.sort((one, other) => one - other)[Math.floor(REFUSED_MAX * scores.length)] ?? 0
  })
  return { theta, least: Math.min(...leasts) }
}

/** @param {readonly Row[]} rows @param {ReturnType<typeof fitRows>} fitted */
function refusedShare(rows, { theta, least }) {
  const refused = rows.filter(({ row }) => dot(row, theta) < least)
  return `${((100 * refused.length) / Math.max(1, rows.length)).toFixed(0)} %`
}

/** @param {readonly Row[]} rows */
export function fitAnswers(rows) {
  const development = rows.filter(isDevelopment)
  const fitted = fitRows(development)
  /** @type {Record<string, Record<string, string>>} */
  const refused = {}
  for (const set of new Set(rows.map((row) => row.set))) {
    const ofOthers = fitRows(development.filter((row) => row.set !== set))
    for (const group of GROUPS) {
      const own = rows.filter((each) => each.set === set && each.group === group)
      if (own.length === 0) continue
      const halves = [own.filter(isDevelopment), own.filter((each) => !isDevelopment(each))]
      const shown = [...halves.map((half) => refusedShare(half, fitted)), refusedShare(own, ofOthers)]
      refused[set] = { ...refused[set], [group]: shown.join(', ') }
    }
  }
  const rounded = (/** @type {number} */ value) => Math.floor(value * DECIMALS) / DECIMALS
  const weights = Object.fromEntries([...NAMES, 'base'].map((name, at) => [name, rounded(fitted.theta[at] ?? 0)]))
  const figure =
    'Refused of each kind of question of each set: on the half that it is fitted on, on the other, and of both with ' +
    'what was fitted on the other sets alone.'
  return { figure, refused, least: rounded(fitted.least), weights }
}
