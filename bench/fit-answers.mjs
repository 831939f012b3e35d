// Fits an estimate of whether records answer a question on the development halves of question sets, and writes its
// weights with the figures of both halves into packages/engine/src/compose: answer-weights.json by words alone, and
// meant-weights.json with what the reader says of meanings.
// Usage: npm run fit:answers -- DIR words|meaning [--curve]; it takes about five minutes, as it asks samples by a seed.
// With --curve nothing is fitted or written: it prints what the kept weights refuse as their least score moves.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { BODIES, bodyQuestions, bodyRecords } from './briefs/bodies.mjs'
import { fitAnswers } from './briefs/fit.mjs'
import { refusalTable } from './briefs/refusals.mjs'
import { sampled } from './briefs/sampled.mjs'
import { openTelling } from './briefs/telling.mjs'
import { renamed, unmentioned } from './briefs/unmentioned.mjs'
import { readWorkspace } from './briefs/workspace.mjs'
import { ANSWER_FEATURES, MEANT_FEATURES, readAnswerFeatures } from './product.mjs'
import { openComparing } from './reader-comparing.mjs'
import { findSets } from './sets.mjs'

const ROOM = new URL('../packages/engine/src/compose/', import.meta.url)
/** Questions asked of each set of records: those with an answer and without, and of things that it does not mention. */
const ASKED_MAX = { multihop: 100, graded: 150, talks: 100 }
const UNMENTIONED = 96
const BODY_UNMENTIONED = 24
const SEED = 'x'
/**
 * The estimates. What each set weighs: its answerable questions 1, what nothing answers by its kind, what it does not
 * mention; by words the last are hardest to tell.
 */
const FITS = {
  words: {
    file: 'answer-weights.json',
    fit: { features: ANSWER_FEATURES, refusedMax: 0.06, refusedOf: /** @type {const} */ ('each') },
    weight: { graded: 4, talks: 2.5, bodies: 1, unmentioned: 5, renamed: 3 },
  },
  meaning: {
    file: 'meant-weights.json',
    fit: { features: MEANT_FEATURES, refusedMax: 0.03, refusedOf: /** @type {const} */ ('all') },
    weight: { graded: 1, talks: 1, bodies: 1, unmentioned: 2, renamed: 0.5 },
  },
}
/** Of the questions with an answer so many are asked with other names as well. */
const RENAMED = 80

const chosen = FITS[/** @type {keyof typeof FITS} */ (process.argv[3] ?? '')]
const { file, fit, weight: WEIGHT } = chosen ?? FITS.words
const NAMES = /** @type {(keyof import('./product.mjs').AnswerFeatures)[]} */ (Object.keys(fit.features))
const comparing = chosen === FITS.meaning ? (await openComparing()).compare : undefined

/** @type {import('./briefs/fit.mjs').Row[]} */
const rows = []
/**
 * @param {string} set
 * @param {string} group
 * @param {0 | 1} label
 * @param {number} weight
 * @param {(query: string, day?: string) => Promise<import('./briefs/telling.mjs').Told>} tell
 * @param {readonly { id: string, text: string, reference?: string, isDevelopment?: boolean }[]} questions
 */
async function add(set, group, label, weight, tell, questions) {
  for (const { id, text, reference, isDevelopment } of questions) {
    const features = readAnswerFeatures((await tell(text, reference)).input)
    if (!features) continue
    const row = [...NAMES.map((name) => features[name]), 1]
    rows.push({ set, group, id, label, weight, row, ...(isDevelopment !== undefined && { isDevelopment }) })
  }
}

const found = findSets(process.argv[2]).filter(
  ({ kind, name }) => kind === 'multihop' || kind === 'talks' || name.startsWith('clapnq'),
)
if (found.length === 0 || !chosen) {
  console.error('Usage: npm run fit:answers -- DIR words|meaning; DIR holds question sets.')
  process.exit(1)
}
const sets = found.flatMap((each) => each.read())
const titled = sets.filter(({ kind }) => kind === 'multihop')
for (const { name, kind, records, questions, unanswerable } of sets) {
  const telling = await openTelling(records, undefined, comparing)
  const strange = new Set(unanswerable.map(({ id }) => id))
  const answerable = questions.filter(({ id }) => !strange.has(id))
  const most = ASKED_MAX[/** @type {keyof typeof ASKED_MAX} */ (kind)]
  const weight = kind === 'multihop' ? 0 : WEIGHT[/** @type {'talks'} */ (kind)]
  await add(name, 'answerable', 1, 1, telling.search, sampled(answerable, most, SEED))
  await add(name, 'unanswerable', 0, weight, telling.search, sampled(unanswerable, most, SEED))
  const others = titled.flatMap((each) => (each.name === name ? [] : each.records))
  const asked = unmentioned(records, others, UNMENTIONED, SEED)
  await add(name, 'unmentioned', 0, WEIGHT.unmentioned, telling.search, asked)
  const strangers = renamed(records, others, sampled(answerable, RENAMED, SEED), SEED)
  await add(name, 'renamed', 0, WEIGHT.renamed, telling.search, strangers)
  console.log(`${name}: ${rows.length} questions so far`)
}
const others = titled.flatMap((each) => each.records)
for (const name of /** @type {(keyof typeof BODIES)[]} */ (Object.keys(BODIES))) {
  const records = bodyRecords(name)
  const { search } = await openTelling(records, undefined, comparing)
  // What leans on an earlier question says too little by itself.
  const asked = bodyQuestions(name)
    .filter(({ history }) => history.length === 0)
    .map((each) => ({ ...each, id: each.text }))
  const answerable = asked.filter(({ says }) => says)
  await add('bodies', 'answerable', 1, 1, search, answerable)
  const without = asked.filter(({ says }) => !says)
  await add('bodies', 'unanswerable', 0, WEIGHT.bodies, search, without)
  await add(
    'bodies',
    'unmentioned',
    0,
    WEIGHT.unmentioned,
    search,
    unmentioned(records, others, BODY_UNMENTIONED, SEED),
  )
  await add('bodies', 'renamed', 0, WEIGHT.renamed, search, renamed(records, others, answerable, SEED))
}
const { records, originOf, questions } = readWorkspace()
const telling = await openTelling(records, originOf, comparing)
await add('workspace', 'answerable', 1, 1, telling.search, questions)
await add(
  'workspace',
  'unmentioned',
  0,
  WEIGHT.unmentioned,
  telling.search,
  unmentioned(records, others, UNMENTIONED, SEED),
)
await add('workspace', 'renamed', 0, WEIGHT.renamed, telling.search, renamed(records, others, questions, SEED))

const kept = fileURLToPath(new URL(file, ROOM))
if (process.argv.includes('--curve')) {
  console.log(refusalTable(rows, JSON.parse(readFileSync(kept, 'utf8'))))
} else {
  const fitted = fitAnswers(rows, fit)
  writeFileSync(kept, `${JSON.stringify(fitted, null, 2)}\n`)
  console.log(JSON.stringify(fitted, null, 2))
}
process.exit(0)
