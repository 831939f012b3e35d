// Measures ranking quality while only some records are embedded: lexical only, the graph, and the graph fused with the
// existing vectors. The embedded records are drawn at random, or are the first ones in order of arrival.
// Usage: npm run bench:half-embedded -- DIR [--sets A,B] [--half development|other|all] [--questions N] [--records N]
import { createHash } from 'node:crypto'
import { readArguments } from './arguments.mjs'
import { NEAR_MAX, nearest, SIMILARITY_MIN } from './nearest.mjs'
import { ENCODER_SIZES, fuseNear, vectorTexts } from './product.mjs'
import { mean, percents } from './quality/measures.mjs'
import { printLine } from './quality/ranking.mjs'
import { openEncoderVectors } from './reader-vectors.mjs'
import { openSandbox } from './sandbox.mjs'
import { halfOf, someOf, withFewer } from './sets.mjs'

const USAGE = `Usage: npm run bench:half-embedded -- DIR [--sets A,B] [--half development|other|all]
         [--questions N] [--records N]
DIR must hold question sets. The encoder's vectors are kept by the text's digest in a temporary folder.
With --questions so many of each set are asked, a sample; with --records it has so many at most: those that answer
them, and a sample of the others. Exits with 1 where a part of the vectors gives less than words alone.`
const SHARES = [0, 0.25, 0.5, 0.75, 1]
/** Differences from BM25 up to this size count as noise. */
const NOISE = 0.005
const PERCENT = 100
const TEXT_CHARS_MAX = 2_000

const { sets, half, recordsMax, questionsMax, fail } = readArguments(USAGE)
if (sets.length === 0) fail()
const reader = await openEncoderVectors()

/** Returns the ids in the order of embedding, for each draw. @param {readonly { id: string }[]} rows */
function draws(rows) {
  const digest = (/** @type {string} */ id) => createHash('sha256').update(id).digest('hex')
  const keyed = rows.map(({ id }) => ({ id, key: digest(id) }))
  return {
    'at random': keyed.toSorted((one, other) => (one.key < other.key ? -1 : 1)).map(({ id }) => id),
    'by arrival': rows.map(({ id }) => id),
  }
}

/**
 * Returns the first measure of every question: by words, by the graph, and fused for each draw and share.
 * @param {import('./sets.mjs').QuestionSet} whole
 */
async function scoresOf(whole) {
  const asked = someOf(halfOf(whole.questions, half), questionsMax)
  const set = withFewer({ ...whole, questions: asked }, recordsMax)
  const { graph, rows, analyse, indexOf } = await openSandbox(set.records)
  const texts = set.records.map((record) => vectorTexts(record, TEXT_CHARS_MAX, ENCODER_SIZES))
  const vectors = await reader.vectors(texts.flat())
  let next = 0
  const vectorsOf = texts.map((own) => own.map(() => vectors[next++] ?? new Float32Array()))
  const questions = await reader.vectors(set.questions.map(({ text }) => text))
  const parts = Object.entries(draws(rows)).flatMap(([draw, ids]) =>
    SHARES.map((share) => ({ draw, share, embedded: new Set(ids.slice(0, Math.round(share * ids.length))) })),
  )
  const scored = set.questions.map(({ text, gold }, at) => {
    const of = (/** @type {readonly string[]} */ ids) => set.measures[0]?.of(gold, ids.map(indexOf)) ?? 0
    const question = analyse(text)
    const vector = questions[at] ?? new Float32Array()
    const ranked = graph.rank(question, null, NEAR_MAX)
    const reach = graph.nameWeight(question, null)
    const withVectors = (/** @type {{ id: string }} */ { id }) => ({ id, vectors: vectorsOf[indexOf(id)] ?? [] })
    const all = nearest(vector, rows.map(withVectors), -1, rows.length)
    const known = new Set(ranked.map(({ id }) => id))
    const idsOf = (/** @type {readonly { id: string }[]} */ found) => found.map(({ id }) => id)
    return {
      words: of(idsOf(graph.rankLexical(question, null, NEAR_MAX))),
      graph: of(idsOf(ranked)),
      fused: parts.map(({ embedded }) => {
        const held = all.filter(({ id }) => embedded.has(id))
        const isNear = (/** @type {number} */ likeness, /** @type {number} */ place) =>
          place < NEAR_MAX && likeness >= SIMILARITY_MIN
        const shown = held.filter(({ id, likeness }, place) => known.has(id) || isNear(likeness, place))
        const likeness = new Map(shown.map((each) => [each.id, each.likeness]))
        return of(fuseNear(ranked, likeness, reach))
      }),
    }
  })
  return { name: set.name, measure: set.measures[0]?.name ?? '', parts, scored }
}

let isBelow = false
printLine('set (questions), embedded', 'measure', ['words', 'graph', 'fused'], '')
for (const found of sets) {
  for (const set of found.read()) {
    const { name, measure, parts, scored } = await scoresOf(set)
    const [words, graph] = [mean(scored.map((each) => each.words)), mean(scored.map((each) => each.graph))]
    for (const [at, { draw, share }] of parts.entries()) {
      const fused = mean(scored.map((each) => each.fused[at] ?? 0))
      const isWorse = fused < words - NOISE
      isBelow ||= isWorse
      const label = `${name} (${scored.length}), ${PERCENT * share} % ${draw}`
      printLine(label, measure, percents([words, graph, fused]), isWorse ? 'below keywords only' : '')
    }
  }
}
await reader.close()
process.exitCode = isBelow ? 1 : 0
