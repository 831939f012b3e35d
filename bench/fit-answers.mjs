// Fits the answerability estimate on the development halves of question sets. Writes its weights with the figures of
// both halves into packages/engine/src/answer: answer-weights.json for lexical features only, and meant-weights.json
// with the encoder's semantic similarity.
// Usage: npm run fit:answers -- DIR words|meaning [--curve]; it takes about five minutes, with samples drawn by a seed.
// With --curve it fits and writes nothing, and prints the trade-off of the threshold with the stored weights.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { openAnswerer } from './briefs/answerer.mjs'
import { BODIES, bodyQuestions, bodyRecords } from './briefs/bodies.mjs'
import { fitAnswers } from './briefs/fit.mjs'
import { refusalTable } from './briefs/refusals.mjs'
import { sampled } from './briefs/sampled.mjs'
import { renamed, transplanted, unmentioned } from './briefs/unmentioned.mjs'
import { readWorkspace } from './briefs/workspace.mjs'
import { ANSWER_FEATURES, readAnswerFeatures, SEMANTIC_FEATURES } from './product.mjs'
import { openComparing } from './reader-comparing.mjs'
import { findSets } from './sets.mjs'

const ROOM = new URL('../packages/engine/src/answer/', import.meta.url)
const SEED = 'x'
/**
 * Parameters of each estimate. Questions per set of records: its own answerable and unanswerable ones (`asked`), and
 * generated unanswerable ones that are unmentioned, renamed or transplanted. `weight`: weight of each kind of
 * unanswerable question; the answerable questions of a set weigh 1. Lexically, unmentioned things are hardest to
 * detect.
 */
const FITS = {
  words: {
    file: 'answer-weights.json',
    fit: { features: ANSWER_FEATURES, refusedMax: 0.06, refusedOf: /** @type {const} */ ('each') },
    weight: { graded: 4, talks: 2.5, bodies: 1, unmentioned: 5, renamed: 3, transplanted: 0 },
    asked: { multihop: 100, graded: 150, talks: 100 },
    unmentioned: { multihop: 96, graded: 96, talks: 96, bodies: 24, workspace: 96 },
    renamed: { multihop: 80, graded: 80, talks: 80, bodies: 80, workspace: 80 },
    transplanted: { multihop: 0, graded: 0, talks: 0, bodies: 0, workspace: 0 },
  },
  meaning: {
    file: 'meant-weights.json',
    fit: { features: SEMANTIC_FEATURES, refusedMax: 0.0075, refusedOf: /** @type {const} */ ('all') },
    weight: { graded: 1, talks: 1, bodies: 1, unmentioned: 1, renamed: 0.5, transplanted: 1 },
    // The encoder takes half a second per question.
    asked: { multihop: 40, graded: 100, talks: 24 },
    unmentioned: { multihop: 8, graded: 24, talks: 6, bodies: 16, workspace: 24 },
    renamed: { multihop: 8, graded: 24, talks: 6, bodies: 16, workspace: 24 },
    transplanted: { multihop: 8, graded: 24, talks: 6, bodies: 16, workspace: 24 },
  },
}
/** Maximum number of a set's answerable questions that are asked of other sets. */
const LENT_MAX = 60

const chosen = FITS[/** @type {keyof typeof FITS} */ (process.argv[3] ?? '')]
const { file, fit, weight: WEIGHT, ...COUNT } = chosen ?? FITS.words
const NAMES = /** @type {(keyof import('./product.mjs').AnswerFeatures)[]} */ (Object.keys(fit.features))
const comparing = chosen === FITS.meaning ? (await openComparing()).compare : undefined

/** @type {import('./briefs/fit.mjs').Row[]} */
const rows = []
/**
 * @param {string} set
 * @param {string} group
 * @param {0 | 1} label
 * @param {number} weight
 * @param {(query: string, day?: string) => Promise<import('./briefs/answerer.mjs').Reply>} ask
 * @param {readonly { id: string, text: string, reference?: string, isDevelopment?: boolean }[]} questions
 */
async function add(set, group, label, weight, ask, questions) {
  for (const { id, text, reference, isDevelopment } of questions) {
    const features = readAnswerFeatures((await ask(text, reference)).input)
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
/** @typedef {{ id: string, text: string, reference?: string, isDevelopment?: boolean }} Asked */
/**
 * Records with their questions; `lent` are those asked of other sets.
 * @typedef {{ set: string, kind: keyof typeof COUNT.renamed,
 *   search: Awaited<ReturnType<typeof openAnswerer>>['search'], records: readonly import('./sandbox.mjs').Sent[],
 *   answerable: readonly Asked[], unanswerable: readonly Asked[],
 *   lent: readonly Asked[] }} Body
 */
const sets = found.flatMap((each) => each.read())
const titled = sets.filter(({ kind }) => kind === 'multihop')
/** @type {Body[]} */
const bodies = []
for (const { name, kind, records, questions, unanswerable } of sets) {
  const { search } = await openAnswerer(records, undefined, comparing)
  const strange = new Set(unanswerable.map(({ id }) => id))
  const own = questions.filter(({ id }) => !strange.has(id))
  const most = COUNT.asked[/** @type {keyof typeof COUNT.asked} */ (kind)]
  const [answerable, none] = [own, unanswerable].map((each) => sampled(each, most, SEED))
  const lent = sampled(own, LENT_MAX, 'pool')
  bodies.push({ set: name, kind, search, records, answerable, unanswerable: none, lent })
}
for (const name of /** @type {(keyof typeof BODIES)[]} */ (Object.keys(BODIES))) {
  const records = bodyRecords(name)
  const { search } = await openAnswerer(records, undefined, comparing)
  // Skip follow-up questions, which are incomplete without their history.
  const asked = bodyQuestions(name).filter(({ history }) => history.length === 0)
  const own = asked.map((each) => ({ ...each, id: each.text }))
  const answerable = own.filter(({ says }) => says)
  const unanswerable = own.filter(({ says }) => !says)
  bodies.push({ set: 'bodies', kind: 'bodies', search, records, answerable, unanswerable, lent: answerable })
}
const { records: workspace, originOf, questions: samples } = readWorkspace()
const { search: searchWorkspace } = await openAnswerer(workspace, originOf, comparing)
bodies.push({
  set: 'workspace',
  kind: 'workspace',
  search: searchWorkspace,
  records: workspace,
  answerable: samples,
  unanswerable: [],
  lent: samples,
})
for (const body of bodies) {
  const { set, kind, search, records, answerable, unanswerable } = body
  const others = titled.flatMap((each) => (each.name === set ? [] : each.records))
  const isOthers = (/** @type {Body} */ each) => each !== body && (each.set !== set || kind === 'bodies')
  const lent = bodies.filter(isOthers).flatMap((each) => each.lent.map(({ text }) => ({ id: text, text })))
  const about = unmentioned(records, others, COUNT.unmentioned[kind], SEED)
  const called = renamed(records, others, sampled(answerable, COUNT.renamed[kind], SEED), SEED)
  const planted = transplanted(records, lent, COUNT.transplanted[kind], SEED + records.length)
  await add(set, 'answerable', 1, 1, search, answerable)
  const weight = WEIGHT[/** @type {'talks'} */ (kind)] ?? 0
  await add(set, 'unanswerable', 0, weight, search, unanswerable)
  await add(set, 'unmentioned', 0, WEIGHT.unmentioned, search, about)
  await add(set, 'renamed', 0, WEIGHT.renamed, search, called)
  await add(set, 'transplanted', 0, WEIGHT.transplanted, search, planted)
  console.log(`${set}: ${rows.length} questions so far`)
}

const kept = fileURLToPath(new URL(file, ROOM))
if (process.argv.includes('--curve')) {
  console.log(refusalTable(rows, JSON.parse(readFileSync(kept, 'utf8'))))
} else {
  const fitted = fitAnswers(rows, fit)
  writeFileSync(kept, `${JSON.stringify(fitted, null, 2)}\n`)
  console.log(JSON.stringify(fitted, null, 2))
}
process.exit(0)
