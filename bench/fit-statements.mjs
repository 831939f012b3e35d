// Fits the answer score of candidate statements, with lexical features only and with the encoder's semantic similarity.
// Writes both into statement-weights.json of packages/engine/src/answer, with the share of questions whose best
// statement answers: with weights of all sets, and with weights of only the other sets. Also writes the minimum
// probability for adding another statement.
// Usage: npm run fit:statements -- DIR PAIRS; PAIRS has labeled statements (`briefs/pairs.mjs`). It takes about twenty
// minutes, with samples drawn by a seed.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { openAnswerer } from './briefs/answerer.mjs'
import { BODIES, bodyQuestions, bodyRecords } from './briefs/bodies.mjs'
import { dot, fitLogistic } from './briefs/logistic.mjs'
import { PAIR_SETS, pairGroups } from './briefs/pairs.mjs'
import { sampled } from './briefs/sampled.mjs'
import { scoredStatements, terms } from './product.mjs'
import { openComparing } from './reader-comparing.mjs'
import { findSets, readLines } from './sets.mjs'

const FILE = fileURLToPath(new URL('../packages/engine/src/answer/statement-weights.json', import.meta.url))
/** Maximum questions per set of records. */
const ASKED_MAX = { multihop: 60, graded: 120, talks: 40 }
const SEED = 'x'
/**
 * Maximum statements per question used for fitting. Among only the few that the encoder compares, lexical features
 * differ little.
 */
const STATEMENTS_MAX = 64
const WORDS = [
  ...['cover', 'most', 'form', 'standing', 'relevance', 'reached', 'onward'],
  ...['opening', 'whole', 'asks', 'labelled', 'related', 'stated', 'changed'],
]
const WAYS = { words: WORDS, meaning: [...WORDS, 'alike', 'said'] }
/** Features whose weights must be negative. */
const AGAINST = new Set(['onward', 'asks', 'related', 'stated'])
const EXAMPLE = new URL('../examples/workspace/', import.meta.url)
const DECIMALS = 1000
/** Iterations of gradient descent until convergence (Adam: Kingma and Ba, 2015). */
const ROUNDS = 300
const STEP = 0.05
const RIDGE = 3e-4
/**
 * Weight of a statement's recency. It matters only for the few questions of each set that ask for the latest value.
 * Values from 1 to 2 answer most of them in `bench:updates` and `bench:folders`; fitted with the others it would be 0.7
 * to 0.9.
 */
const LATEST = 1.5
/**
 * Weight of a set of labeled statements relative to the other sets. From 0.2 on, statements of sets that are left out
 * are selected as well as with 1, and the records of the other sets, which are like those of users, still count.
 */
const PAIRS_WEIGHT = 0.2
/** Answers that occur in any text and are no evidence. */
const NO_EVIDENCE = new Set(['yes', 'no'])
/**
 * Minimum share of its own or an answer's terms that a statement has in common with the answer to count as saying the
 * same.
 */
const SAME_SHARE = 0.5

/**
 * A question with the features of its statements, and which of them answer it.
 * @typedef {{ set: string, rows: Record<string, number>[], right: boolean[] }} Asked
 */
/**
 * Returns true if a statement of a record answers the question.
 * @typedef {(said: string, recordId: string) => boolean} Answers
 */

const found = findSets(process.argv[2]).filter(
  ({ kind, name }) => kind === 'multihop' || kind === 'talks' || name.startsWith('clapnq'),
)
const pairs = process.argv[3]
if (found.length === 0 || pairs === undefined) {
  console.error('Usage: npm run fit:statements -- DIR PAIRS; DIR holds question sets, PAIRS labeled statements.')
  process.exit(1)
}
const { compare } = await openComparing()

/**
 * Adds a question to both fits. Lexically only the answering record is known, so any of its sentences counts as the
 * answer.
 * @param {string} set
 * @param {import('./briefs/answerer.mjs').Reply} reply
 * @param {Answers} answers
 * @param {Answers | null} [answersByWords]  null if the question is not for the lexical fit
 */
function add(set, reply, answers, answersByWords = answers) {
  const statements = scoredStatements(reply.input).slice(0, STATEMENTS_MAX)
  const rows = statements.map(({ features }) => features)
  for (const [list, isRight] of /** @type {const} */ ([
    [asked.meaning, answers],
    [asked.words, answersByWords],
  ])) {
    if (!isRight) continue
    const right = statements.map(({ text, recordId }) => isRight(text, recordId))
    if (right.includes(true)) list.push({ set, rows, right })
  }
}

/**
 * Returns a function that tests if a sentence of a gold record contains the answer. A multi-hop answer must occur
 * literally. A passage answer must share enough terms with one or two sentences. A message with the evidence always
 * counts.
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
  const { search } = await openAnswerer(records, undefined, compare)
  const strange = new Set(unanswerable.map(({ id }) => id))
  const some = questions.filter(({ id }) => !strange.has(id))
  for (const { text, reference, gold, answer = '' } of sampled(some, ASKED_MAX[/** @type {'talks'} */ (kind)], SEED)) {
    const reply = await search(text, reference)
    const says = sayingOf(kind, answer)
    /** @type {Answers} */
    const isGold = (_said, recordId) => gold.has(reply.indexOf(recordId))
    /** @type {Answers} */
    const answers = (said, recordId) => isGold(said, recordId) && says(said)
    add(name, reply, answers, kind === 'graded' ? isGold : answers)
  }
  console.log(`${name}: ${asked.meaning.length} questions so far`)
}
for (const name of /** @type {(keyof typeof BODIES)[]} */ (Object.keys(BODIES))) {
  const { search } = await openAnswerer(bodyRecords(name), undefined, compare)
  for (const { text, reference, says } of bodyQuestions(name).filter(({ history }) => history.length === 0))
    if (says) add('bodies', await search(text, reference), (said) => says.test(said))
}

for (const { set, records, asked: questions } of pairGroups(pairs)) {
  const { search } = await openAnswerer(records, undefined, compare)
  // Not for words only: the sample questions of the example workspace would be answered worse.
  for (const { question, answers } of questions) add(set, await search(question, undefined), answers, null)
  console.log(`${set}: ${asked.meaning.length} questions so far`)
}

const example = JSON.parse(readFileSync(new URL('workspace.json', EXAMPLE), 'utf8'))
const sources = example.sources.map((/** @type {any} */ { key, provider, file }) => {
  const lines = readLines(fileURLToPath(new URL(file, EXAMPLE)))
  return lines.map((line) => ({ line, origin: { sourceId: `src_${key}`, provider } }))
})
const sent = sources.flat()
const { search } = await openAnswerer(
  sent.map(({ line }) => line),
  (at) => sent[at].origin,
  compare,
)
for (const { question, reference_date: day, expect } of example.sample_questions) {
  const isExpected = (/** @type {string} */ said) => expect.some((/** @type {string} */ each) => said.includes(each))
  add('workspace', await search(question, day), isExpected)
}

/**
 * Fits weights that maximize the probability that the best statement of a question answers it (a conditional logit, by
 * gradient descent). Scales them so that the logistic function of the score is the probability of an answer. A set's
 * weight is the square root of its size, less for labeled statements.
 * @param {readonly Asked[]} from
 * @param {readonly string[]} names
 */
function fitted(from, names) {
  const sizes = new Map()
  for (const { set } of from) sizes.set(set, (sizes.get(set) ?? 0) + 1)
  const signs = names.map((name) => (AGAINST.has(name) ? -1 : 1))
  let theta = signs.map((sign) => sign)
  const moments = names.map(() => ({ mean: 0, square: 0 }))
  const weightOf = (/** @type {string} */ set) =>
    Math.sqrt(sizes.get(set)) * (PAIR_SETS.includes(set) ? PAIRS_WEIGHT : 1)
  const total = [...sizes.keys()].reduce((sum, set) => sum + weightOf(set), 0)
  const read = from.map(({ set, rows, right }) => ({
    right,
    rows: rows.map((row) => names.map((name) => row[name] ?? 0)),
    weight: weightOf(set) / (sizes.get(set) * total),
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
    from.flatMap(({ set, right }) => right.map(() => weightOf(set) / (right.length * sizes.get(set)))),
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

/**
 * Returns the group that is left out together: all sets of labeled statements, or one other set.
 * @param {string} set
 */
function groupOf(set) {
  return PAIR_SETS.includes(set) ? 'pairs' : set
}

/** @type {Record<string, Record<string, unknown>>} */
const figures = {}
for (const { set } of asked.meaning)
  figures[groupOf(set)] = { questions: asked.meaning.filter((each) => groupOf(each.set) === groupOf(set)).length }
const weights = Object.fromEntries(
  /** @type {const} */ (['words', 'meaning']).map((way) => {
    const [names, questions] = [WAYS[way], asked[way]]
    const all = fitted(questions, names)
    for (const [group, figure] of Object.entries(figures)) {
      const [own, others] = [true, false].map((isOwn) =>
        questions.filter((each) => (groupOf(each.set) === group) === isOwn),
      )
      if (own?.length && others)
        figure[way] = [firstRight(own, names, all), firstRight(own, names, fitted(others, names))]
    }
    const rounded = (/** @type {number} */ value) => Math.round(value * DECIMALS) / DECIMALS
    const named = [...names, 'base'].map((name, at) => [name, rounded(all[at] ?? 0)])
    return [way, { ...Object.fromEntries(named), latest: LATEST }]
  }),
)
const figure = [
  'Questions that one of the 64 best statements answers, and how often the highest-scored statement',
  'answers: with these weights, and with those fitted on the other sets only. Sets of labeled statements',
  'are one (`pairs`).',
].join(' ')
writeFileSync(FILE, `${JSON.stringify({ figure, figures, ...weights }, null, 2)}\n`)
console.log(JSON.stringify({ figures, ...weights }, null, 2))
process.exit(0)
