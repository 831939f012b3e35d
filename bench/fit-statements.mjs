// Fits what a statement's meaning counts beside its words, and writes that into statement-weights.json of
// packages/engine/src/compose, with how often the statement that is worth most answers: by words alone, with these
// weights, and with those of the other sets alone.
// Usage: npm run fit:statements -- DIR; it takes some ten minutes, as it asks samples by a seed.
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { BODIES, bodyQuestions, bodyRecords } from './briefs/bodies.mjs'
import { sampled } from './briefs/sampled.mjs'
import { openTelling } from './briefs/telling.mjs'
import { readStatements } from './product.mjs'
import { openComparing } from './reader-comparing.mjs'
import { findSets } from './sets.mjs'

const FILE = fileURLToPath(new URL('../packages/engine/src/compose/statement-weights.json', import.meta.url))
/** Questions asked of each set of records. */
const ASKED_MAX = { multihop: 60, graded: 120, talks: 40 }
const SEED = 'x'
const FEATURES = /** @type {const} */ (['words', 'alike', 'said'])
const DECIMALS = 100
/** Of the gradient (Adam: Kingma and Ba, 2015), until the weights move no more. */
const ROUNDS = 300
const STEP = 0.05
/** An answer that is one of these stands in every text. */
const NO_EVIDENCE = new Set(['yes', 'no'])

/**
 * A question's statements by their features, and which of them answer.
 * @typedef {{ set: string, rows: any[], right: boolean[] }} Asked
 */

const found = findSets(process.argv[2]).filter(
  ({ kind, name }) => kind === 'multihop' || kind === 'talks' || name.startsWith('clapnq'),
)
if (found.length === 0) {
  console.error('Usage: npm run fit:statements -- DIR; DIR holds question sets.')
  process.exit(1)
}
const { compare } = await openComparing()

/**
 * @param {string} set
 * @param {import('./briefs/telling.mjs').Told} told
 * @param {(text: string, recordId: string) => boolean} answers
 */
function read(set, told, answers) {
  const statements = readStatements(told.input)
  const right = statements.map(({ text, recordId }) => answers(text, recordId))
  return right.includes(true) ? [{ set, rows: statements, right }] : []
}

/** @type {Asked[]} */
const asked = []
for (const { name, kind, records, questions, unanswerable } of found.flatMap((each) => each.read())) {
  const { search } = await openTelling(records, undefined, compare)
  const strange = new Set(unanswerable.map(({ id }) => id))
  const some = questions.filter(({ id }) => !strange.has(id))
  for (const { text, reference, gold, answer = '' } of sampled(some, ASKED_MAX[/** @type {'talks'} */ (kind)], SEED)) {
    const told = await search(text, reference)
    const says = answer.toLowerCase()
    // Of several hops the answer's own words tell which sentence has it; elsewhere any sentence of a gold record may.
    const isWorded = kind === 'multihop' && !NO_EVIDENCE.has(says)
    const answers = (/** @type {string} */ said, /** @type {string} */ recordId) =>
      gold.has(told.indexOf(recordId)) && (!isWorded || said.toLowerCase().includes(says))
    asked.push(...read(name, told, answers))
  }
  console.log(`${name}: ${asked.length} questions so far`)
}
for (const name of /** @type {(keyof typeof BODIES)[]} */ (Object.keys(BODIES))) {
  const { search } = await openTelling(bodyRecords(name), undefined, compare)
  for (const { text, reference, says } of bodyQuestions(name).filter(({ history }) => history.length === 0))
    if (says) asked.push(...read('bodies', await search(text, reference), (said) => says.test(said)))
}

/**
 * Weights under which what answers is most likely the statement that is worth most of its question's (a conditional
 * logit, by gradient), beside that of the words, which is 1. Every set counts by the root of its size.
 * @param {readonly Asked[]} from
 */
function fitted(from) {
  const sizes = new Map()
  for (const { set } of from) sizes.set(set, (sizes.get(set) ?? 0) + 1)
  const theta = FEATURES.map(() => 1)
  const moments = FEATURES.map(() => ({ mean: 0, square: 0 }))
  const total = [...sizes.values()].reduce((sum, size) => sum + Math.sqrt(size), 0)
  for (let round = 1; round <= ROUNDS; round += 1) {
    const gradient = FEATURES.map(() => 0)
    for (const { set, rows, right } of from) {
      const odds = rows.map((row) => Math.exp(worthOf(row, theta)))
      const all = odds.reduce((sum, each) => sum + each, 0)
      const ofRight = odds.reduce((sum, each, at) => sum + (right[at] ? each : 0), 0)
      const weight = 1 / (Math.sqrt(sizes.get(set)) * total)
      for (const [at, row] of rows.entries()) {
        const pull = weight * ((right[at] ? odds[at] / ofRight : 0) - odds[at] / all)
        for (const [column, name] of FEATURES.entries()) gradient[column] += pull * row[name]
      }
    }
    for (const [column, moment] of moments.entries()) {
      moment.mean = 0.9 * moment.mean + 0.1 * gradient[column]
      moment.square = 0.99 * moment.square + 0.01 * gradient[column] ** 2
      const step = moment.mean / (1 - 0.9 ** round) / (Math.sqrt(moment.square / (1 - 0.99 ** round)) + 1e-9)
      theta[column] = Math.max(0, theta[column] + STEP * step)
    }
  }
  return theta.map((weight) => weight / theta[0])
}

/** @param {any} row @param {readonly number[]} weights */
function worthOf(row, weights) {
  return FEATURES.reduce((sum, name, at) => sum + row[name] * (weights[at] ?? 0), 0)
}

/** @param {readonly Asked[]} of @param {readonly number[]} weights */
function firstRight(of, weights) {
  return of.filter(({ rows, right }) => {
    const worths = rows.map((row) => worthOf(row, weights))
    return right[worths.indexOf(Math.max(...worths))]
  }).length
}

const sets = [...new Set(asked.map(({ set }) => set))]
const all = fitted(asked).map((weight) => Math.round(weight * DECIMALS) / DECIMALS)
const figures = Object.fromEntries(
  sets.map((set) => {
    const own = asked.filter((each) => each.set === set)
    const others = fitted(asked.filter((each) => each.set !== set))
    const right = { words: firstRight(own, [1]), meaning: firstRight(own, all), others: firstRight(own, others) }
    return [set, { questions: own.length, ...right }]
  }),
)
const [, alike, said] = all
const figure = [
  'Questions of which a statement among the sixteen best by words answers, and how often the one that is worth most',
  'does: by words alone, with these weights, and with those of the other sets alone.',
].join(' ')
writeFileSync(FILE, `${JSON.stringify({ figure, figures, alike, said }, null, 2)}\n`)
console.log(JSON.stringify({ figures, alike, said }, null, 2))
process.exit(0)
