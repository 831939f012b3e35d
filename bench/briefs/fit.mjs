// The weights of the estimate of whether records answer, fitted on development halves, with the figures of both halves.
import { createHash } from 'node:crypto'
import { ANSWER_FEATURES } from '../product.mjs'
import { dot, fitLogistic } from './logistic.mjs'

/** Of the answerable questions of any set so many of the development half may be refused. */
const REFUSED_MAX = 0.06
const DECIMALS = 1_000
/** The features, whose weights have the signs that they are given: more of what speaks against never helps. */
export const NAMES = /** @type {(keyof typeof ANSWER_FEATURES)[]} */ (Object.keys(ANSWER_FEATURES))
const SIGNS = [...NAMES.map((name) => ANSWER_FEATURES[name]), 0]

/**
 * The features of a question in the order of `NAMES`, then 1; its label is 1 where its set answers it.
 * @typedef {{ set: string, id: string, label: 0 | 1, weight: number, group: string, row: number[] }} Row
 */

/** @param {{ id: string }} row */
function isDevelopment({ id }) {
  return (createHash('sha256').update(id).digest()[0] ?? 0) % 2 === 0
}

/** @param {readonly Row[]} rows */
export function fitAnswers(rows) {
  const development = rows.filter(isDevelopment)
  const sizes = new Map()
  for (const { set, group } of development) sizes.set(`${set}/${group}`, (sizes.get(`${set}/${group}`) ?? 0) + 1)
  const theta = fitLogistic(
    development.map(({ row }) => row),
    development.map(({ label }) => label),
    development.map(({ set, group, weight }) => weight / sizes.get(`${set}/${group}`)),
    SIGNS,
  )
  /** @param {readonly Row[]} some @param {number} least */
  const refusedShare = (some, least) =>
    some.filter(({ row }) => dot(row, theta) < least).length / Math.max(1, some.length)
  const names = [...new Set(rows.map(({ set }) => set))]
  const scores = development.map(({ row }) => dot(row, theta)).sort((one, other) => other - one)
  const least =
    scores.find((score) =>
      names.every((set) => {
        const own = development.filter((each) => each.set === set && each.group === 'answerable')
        return refusedShare(own, score) <= REFUSED_MAX
      }),
    ) ?? 0
  const rounded = (/** @type {number} */ value) => Math.round(value * DECIMALS) / DECIMALS
  /** @type {Record<string, Record<string, string>>} */
  const refused = {}
  for (const set of names) {
    for (const group of ['unanswerable', 'answerable', 'unmentioned', 'renamed']) {
      const own = rows.filter((each) => each.set === set && each.group === group)
      if (own.length === 0) continue
      const halves = [own.filter(isDevelopment), own.filter((each) => !isDevelopment(each))]
      refused[set] = {
        ...refused[set],
        [group]: halves.map((half) => `${(100 * refusedShare(half, least)).toFixed(0)} %`).join(', '),
      }
    }
  }
  const weights = Object.fromEntries([...NAMES, 'base'].map((name, at) => [name, rounded(theta[at] ?? 0)]))
  const figure = 'Refused of each kind of question of each set, on the half that it is fitted on and on the other.'
  return { figure, refused, least: rounded(least), weights }
}
