// Fits the weights of `fuseNear`, which combines vector search with the graph, by random search around the best weights
// so far, on the mean of all sets. Prints each set with the weights fitted on all others, and with those of all.
// Usage: npm run fit:fusion -- DIR [--sets A,B] [--questions N] [--records N] [--scores FILE]
import { writeFileSync } from 'node:fs'
import { readArguments } from './arguments.mjs'
import { cosine, NEAR_MAX, SIMILARITY_MIN } from './nearest.mjs'
import { ENCODER_SIZES, FUSION, fuseNear, vectorTexts } from './product.mjs'
import { mean, percents } from './quality/measures.mjs'
import { printLine } from './quality/ranking.mjs'
import { openEncoderVectors } from './reader-vectors.mjs'
import { openSandbox } from './sandbox.mjs'
import { someOf, withFewer } from './sets.mjs'
import { seeded } from './workload.mjs'

const USAGE = `Usage: npm run fit:fusion -- DIR [--sets A,B] [--questions N] [--records N] [--scores FILE]
DIR must hold at least two question sets. With --questions so many of each are fitted on, with --records each has so
many at most: those that answer, and a sample of the others. The weights of all sets are written to FILE.`
const SEED = 7
const ROUNDS = 1_000
/** Share of the weights that a draw changes. */
const CHANGED = 0.4
/** Factor by which a set's loss against lexical ranking or the graph outweighs another's gain. */
const LOSS = 2
/** Initial step size of each weight. The steps shrink after each draw without a gain. */
const STEPS = { always: 0.7, names: 1.5, nearest: 2, spread: 3, sure: 1.5, agreed: 1.5, found: 1 }
const PLACE_STEP = 0.25
const NARROWING = 0.997
const TEXT_CHARS_MAX = 2_000

const { sets, questionsMax, recordsMax, scoresFile, fail } = readArguments(USAGE)
const asked = sets.filter(({ kind }) => kind !== 'merged')
if (asked.length < 2) fail()
const reader = await openEncoderVectors()
const random = seeded(SEED)
const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())

/** @typedef {typeof FUSION} Weights @typedef {(weights: Weights) => number} Case */

/**
 * Returns the scores of a set's questions: lexically, by the graph, and as functions of the weights.
 * @param {import('./sets.mjs').QuestionSet} whole
 */
async function casesOf(whole) {
  const set = withFewer({ ...whole, questions: someOf(whole.questions, questionsMax) }, recordsMax)
  const { graph, rows, analyse, indexOf } = await openSandbox(set.records)
  const texts = set.records.map((record) => vectorTexts(record, TEXT_CHARS_MAX, ENCODER_SIZES))
  const vectors = await reader.vectors(texts.flat())
  let next = 0
  const vectorsOf = texts.map((own) => own.map(() => vectors[next++] ?? new Float32Array()))
  const questions = await reader.vectors(set.questions.map(({ text }) => text))
  return set.questions.map(({ text, gold }, at) => {
    const query = analyse(text)
    const vector = questions[at] ?? new Float32Array()
    const of = (/** @type {readonly { id: string }[]} */ found) =>
      set.measures[0]?.of(
        gold,
        found.map(({ id }) => indexOf(id)),
      ) ?? 0
    const ranked = graph.rank(query, null, NEAR_MAX)
    const all = rows.map(({ id }) => {
      const own = vectorsOf[indexOf(id)] ?? []
      return { id, likeness: Math.max(0, ...own.map((each) => cosine(vector, each))) }
    })
    all.sort((one, other) => other.likeness - one.likeness)
    const known = new Set(ranked.map(({ id }) => id))
    const near = all.filter(
      ({ id, likeness }, place) => known.has(id) || (place < NEAR_MAX && likeness >= SIMILARITY_MIN),
    )
    const likeness = new Map(near.map((each) => [each.id, each.likeness]))
    const reach = graph.nameWeight(query, null)
    return {
      words: of(graph.rankLexical(query, null, NEAR_MAX)),
      graph: of(ranked),
      vectors: of(all.slice(0, NEAR_MAX)),
      /** @type {Case} */
      fused: (weights) => of(fuseNear(ranked, likeness, reach, weights).map((id) => ({ id }))),
    }
  })
}

/** @type {Map<string, Awaited<ReturnType<typeof casesOf>>>} */
const cases = new Map()
for (const found of asked) {
  for (const set of found.read()) cases.set(set.name, [...(cases.get(set.name) ?? []), ...(await casesOf(set))])
}

/** Returns the value of weights for some sets. @param {readonly string[]} names @param {Weights} weights */
function worthOf(names, weights) {
  return mean(
    names.map((name) => {
      const own = cases.get(name) ?? []
      const [fused, words, graph] = [
        mean(own.map((each) => each.fused(weights))),
        mean(own.map((each) => each.words)),
        mean(own.map((each) => each.graph)),
      ]
      return fused + LOSS * Math.min(0, fused - Math.max(words, graph))
    }),
  )
}

/** Draws weights near the given ones. @param {Weights} weights @param {number} scale @returns {Weights} */
function drawNear({ share, graphPlace, nearPlace }, scale) {
  const moved = (/** @type {number} */ value, /** @type {number} */ step) =>
    random() < CHANGED ? value + normal() * step * scale : value
  const within = (/** @type {number} */ value) => Math.min(1, Math.max(0, value))
  const names = /** @type {(keyof typeof STEPS)[]} */ (Object.keys(STEPS))
  const drawn = names.map((name) => [name, moved(share[name], STEPS[name])])
  return {
    share: Object.fromEntries(drawn),
    graphPlace: within(moved(graphPlace, PLACE_STEP)),
    nearPlace: within(moved(nearPlace, PLACE_STEP)),
  }
}

/** Fits the weights for some sets. @param {readonly string[]} names */
function fitOn(names) {
  let best = {
    share: { always: 0, names: 0, nearest: 0, spread: 0, sure: 0, agreed: 0, found: 0 },
    graphPlace: 0.5,
    nearPlace: 0.5,
  }
  let worth = worthOf(names, best)
  let scale = 1
  for (let round = 0; round < ROUNDS; round += 1) {
    const drawn = drawNear(best, scale)
    const own = worthOf(names, drawn)
    if (own > worth) [best, worth] = [drawn, own]
    else scale *= NARROWING
  }
  return best
}

const names = [...cases.keys()]
const ofAll = fitOn(names)
printLine('set (questions)', '', ['words', 'graph', 'vectors', 'now', 'others', 'all'], '')
for (const name of names) {
  const own = cases.get(name) ?? []
  const elsewhere = fitOn(names.filter((other) => other !== name))
  const ways = [FUSION, elsewhere, ofAll].map((weights) => mean(own.map((each) => each.fused(weights))))
  const plain = /** @type {const} */ (['words', 'graph', 'vectors']).map((way) => mean(own.map((each) => each[way])))
  printLine(`${name} (${own.length})`, '', percents([...plain, ...ways]), '')
}
if (scoresFile) writeFileSync(scoresFile, `${JSON.stringify({ weights: ofAll }, null, 2)}\n`)
else console.log(JSON.stringify(ofAll))
await reader.close()
