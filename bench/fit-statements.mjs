// Fits what a statement is worth as the answer, by words alone and with what the reader says of meanings, and writes
// both into statement-weights.json of packages/engine/src/compose, with how often the statement that is worth most
// answers: with the weights of all sets, and with those of the other sets alone; and the least chance at which another
// statement is told.
// Usage: npm run fit:statements -- DIR; it takes some ten minutes, as it asks samples by a seed.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { BODIES, bodyQuestions, bodyRecords } from './briefs/bodies.mjs'
import { dot, fitLogistic } from './briefs/logistic.mjs'
import { sampled } from './briefs/sampled.mjs'
import { openTelling } from './briefs/telling.mjs'
import { readStatements, terms } from './product.mjs'
import { openComparing } from './reader-comparing.mjs'
import { findSets, readLines } from './sets.mjs'

const FILE = fileURLToPath(new URL('../packages/engine/src/answer/statement-weights.json', import.meta.url))
/** Questions asked of each set of records. */
const ASKED_MAX = { multihop: 60, graded: 120, talks: 40 }
const SEED = 'x'
/** Statements of a question that are fitted on: of those alone that are compared, words tell little apart. */
const STATEMENTS_MAX = 64
const WORDS = [
  ...['cover', 'most', 'form', 'standing', 'relevance', 'reached', 'onward'],
  ...['opening', 'whole', 'asks', 'labelled', 'related', 'stated', 'changed'],
]
const WAYS = { words: WORDS, meaning: [...WORDS, 'alike', 'said'] }
/** What makes a statement worth less. */
const AGAINST = new Set(['onward', 'asks', 'related', 'stated'])
const EXAMPLE = new URL('../examples/workspace/', import.meta.url)
const DECIMALS = 1000
/** Of the gradient (Adam: Kingma and Ba, 2015), until the weights move no more. */
const ROUNDS = 300
const STEP = 0.05
const RIDGE = 3e-4
/**
 * The weight of how late a statement is. It matters to questions that ask for the latest alone, few of each set: from 1
 * to 2 it tells most of them on `bench:updates` and `bench:folders`; fitted with the others it would be 0.7 to 0.9.
 */
const LATEST = 1.5
/** An answer that is one of these stands in every text. */
const NO_EVIDENCE = new Set(['yes', 'no'])
/** Share of its own terms, or of an answer's, that a statement has in common with it where it says the same. */
const SAME_SHARE = 0.5

/**
 * A question's statements by their features, and which of them answer.
 * @typedef {{ set: string, rows: Record<string, number>[], right: boolean[] }} Asked
 */
/**
 * Whether a statement of a record answers.
 * @typedef {(said: string, recordId: string) => boolean} Answers
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
 * Adds a question to those of both ways. By words alone little more is known than which record answers, so that what
 * answers may be another of its sentences.
 * @param {string} set
 * @param {import('./briefs/telling.mjs').Told} told
 * @param {Answers} answers
 * @param {Answers} answersByWords
 */
function add(set, told, answers, answersByWords = answers) {
  const statements = readStatements(told.input).slice(0, STATEMENTS_MAX)
  const rows = statements.map(({ features }) => features)
  for (const [list, isRight] of /** @type {const} */ ([
    [asked.meaning, answers],
    [asked.words, answersByWords],
  ])) {
    const right = statements.map(({ text, recordId }) => isRight(text, recordId))
    if (right.includes(true)) list.push({ set, rows, right })
  }
}

/**
 * Whether a sentence of a gold record says the answer: an answer of several hops is its words, and one of a passage a
 * sentence or two of it. A message that has the evidence says no more.
 * @param {string} kind
 * @param {string} answer
 * @returns {(said: string) => boolean}
 */
function sayingOf(kind, answer) {
  const words = answer.toLowerCase()
  if (kind === 'multihop' && !NO_EVIDENCE.has(words)) return (said) => said.toLowerCase().includes(words)
  if (kind !== 'graded') return () => true
  const wanted = new Set(terms(answer))
  return (said) => {
    const own = [...new Set(terms(said))]
    const shared = own.filter((term) => wanted.has(term)).length
    return shared >= SAME_SHARE * Math.min(own.length, wanted.size)
  }
}

/** @type {{ words: Asked[], meaning: Asked[] }} */
const asked = { words: [], meaning: [] }
for (const { name, kind, records, questions, unanswerable } of found.flatMap((each) => each.read())) {
  const { search } = await openTelling(records, undefined, compare)
  const strange = new Set(unanswerable.map(({ id }) => id))
  const some = questions.filter(({ id }) => !strange.has(id))
  for (const { text, reference, gold, answer = '' } of sampled(some, ASKED_MAX[/** @type {'talks'} */ (kind)], SEED)) {
    const told = await search(text, reference)
    const says = sayingOf(kind, answer)
    /** @type {Answers} */
    const isGold = (_said, recordId) => gold.has(told.indexOf(recordId))
    /** @type {Answers} */
    const answers = (said, recordId) => isGold(said, recordId) && says(said)
    add(name, told, answers, kind === 'graded' ? isGold : answers)
  }
  console.log(`${name}: ${asked.meaning.length} questions so far`)
}
for (const name of /** @type {(keyof typeof BODIES)[]} */ (Object.keys(BODIES))) {
  const { search } = await openTelling(bodyRecords(name), undefined, compare)
  for (const { text, reference, says } of bodyQuestions(name).filter(({ history }) => history.length === 0))
    if (says) add('bodies', await search(text, reference), (said) => says.test(said))
}

const example = JSON.parse(readFileSync(new URL('workspace.json', EXAMPLE), 'utf8'))
const sources = example.sources.map((/** @type {any} */ { key, provider, file }) => {
  const lines = readLines(fileURLToPath(new URL(file, EXAMPLE)))
  return lines.map((line) => ({ line, origin: { sourceId: `src_${key}`, provider } }))
})
const sent = sources.flat()
const { search } = await openTelling(
  sent.map(({ line }) => line),
  (at) => sent[at].origin,
  compare,
)
for (const { question, reference_date: day, expect } of example.sample_questions) {
  const isTold = (/** @type {string} */ said) => expect.some((/** @type {string} */ each) => said.includes(each))
  add('workspace', await search(question, day), isTold)
}

/**
 * Weights under which what answers is most likely the statement that is worth most of its question's (a conditional
 * logit, by gradient), scaled so that the logistic of the sum tells how likely one answers. Every set counts by the
 * root of its size.
 * @param {readonly Asked[]} from
 * @param {readonly string[]} names
 */
function fitted(from, names) {
  const sizes = new Map()
  for (const { set } of from) sizes.set(set, (sizes.get(set) ?? 0) + 1)
  const signs = names.map((name) => (AGAINST.has(name) ? -1 : 1))
  let theta = signs.map((sign) => sign)
  const moments = names.map(() => ({ mean: 0, square: 0 }))
  const total = [...sizes.values()].reduce((sum, size) => sum + Math.sqrt(size), 0)
  const read = from.map(({ set, rows, right }) => ({
    right,
    rows: rows.map((row) => names.map((name) => row[name] ?? 0)),
    weight: 1 / (Math.sqrt(sizes.get(set)) * total),
  }))
  for (let round = 1; round <= ROUNDS; round += 1) {
    const gradient = new Float64Array(names.length)
    for (const { rows, right, weight } of read) {
      const odds = rows.map((row) => Math.exp(dot(row, theta)))
      const all = odds.reduce((sum, each) => sum + each, 0)
      const ofRight = odds.reduce((sum, each, at) => sum + (right[at] ? each : 0), 0)
      for (const [at, row] of rows.entries()) {
        const odd = odds[at] ?? 0
        const pull = weight * ((right[at] ? odd / ofRight : 0) - odd / all)
        for (let column = 0; column < row.length; column += 1) gradient[column] += pull * row[column]
      }
    }
    theta = theta.map((each, column) => {
      const moment = /** @type {{ mean: number, square: number }} */ (moments[column])
      const slope = (gradient[column] ?? 0) - RIDGE * each
      moment.mean = 0.9 * moment.mean + 0.1 * slope
      moment.square = 0.99 * moment.square + 0.01 * slope ** 2
      const step = moment.mean / (1 - 0.9 ** round) / (Math.sqrt(moment.square / (1 - 0.99 ** round)) + 1e-9)
      const sign = signs[column] ?? 1
      return sign * Math.max(0, sign * (each + STEP * step))
    })
  }
  const [scale = 1, base = 0] = fitLogistic(
    from.flatMap(({ rows }) => rows.map((row) => [sumOf(row, names, theta), 1])),
    from.flatMap(({ right }) => right.map(Number)),
    from.flatMap(({ set, right }) => right.map(() => 1 / (right.length * Math.sqrt(sizes.get(set))))),
    [1, 0],
  )
  return [...theta.map((weight) => scale * weight), base]
}

/** @param {Record<string, number>} row @param {readonly string[]} names @param {readonly number[]} weights */
function sumOf(row, names, weights) {
  return dot(
    names.map((name) => row[name] ?? 0),
    weights,
  )
}

/** @param {readonly Asked[]} of @param {readonly string[]} names @param {readonly number[]} weights */
function firstRight(of, names, weights) {
  return of.filter(({ rows, right }) => {
    const sums = rows.map((row) => sumOf(row, names, weights))
    return right[sums.indexOf(Math.max(...sums))]
  }).length
}

/** @type {Record<string, Record<string, unknown>>} */
const figures = {}
for (const { set } of asked.words) figures[set] = { questions: asked.words.filter((each) => each.set === set).length }
const weights = Object.fromEntries(
  /** @type {const} */ (['words', 'meaning']).map((way) => {
    const [names, questions] = [WAYS[way], asked[way]]
    const all = fitted(questions, names)
    for (const [set, figure] of Object.entries(figures)) {
      const own = questions.filter((each) => each.set === set)
      const others = fitted(
        questions.filter((each) => each.set !== set),
        names,
      )
      figure[way] = [firstRight(own, names, all), firstRight(own, names, others)]
    }
    const rounded = (/** @type {number} */ value) => Math.round(value * DECIMALS) / DECIMALS
    const named = [...names, 'base'].map((name, at) => [name, rounded(all[at] ?? 0)])
    return [way, { ...Object.fromEntries(named), latest: LATEST }]
  }),
)
const figure = [
  'Questions of which a statement among the 64 best answers, and how often the one that is worth most',
  'does: with these weights, and with those of the other sets alone.',
].join(' ')
writeFileSync(FILE, `${JSON.stringify({ figure, figures, ...weights }, null, 2)}\n`)
console.log(JSON.stringify({ figures, ...weights }, null, 2))
process.exit(0)
