// Measures the contribution of embeddings on each set in this process: lexical only, the graph, the vectors, and both
// fused as in `discover`. The model is the built-in encoder, or a local server with an `/embeddings` endpoint.
// Usage: npm run bench:meaning -- DIR [URL] [--sets A,B] [--half development|other|all] [--questions N] [--records N]
import { readArguments } from './arguments.mjs'
import { pairedChange } from './bootstrap.mjs'
import { NEAR_MAX, nearest } from './nearest.mjs'
import { ENCODER_SIZES, fuseNear, vectorTexts } from './product.mjs'
import { mean, percents } from './quality/measures.mjs'
import { describe, printLine } from './quality/ranking.mjs'
import { openEncoderVectors } from './reader-vectors.mjs'
import { openSandbox } from './sandbox.mjs'
import { halfOf, someOf, withFewer } from './sets.mjs'

const USAGE = `Usage: npm run bench:meaning -- DIR [URL] [--sets A,B] [--half development|other|all]
         [--questions N] [--records N]
DIR must hold question sets; URL is the base of an /embeddings interface on loopback, as http://127.0.0.1:8000/v1;
without one the reader makes the vectors, and keeps them by the text's digest in a temporary folder.
With --questions so many of each set are asked, a sample; with --records it has so many at most: those that answer
them, and a sample of the others.`
/** Maximum texts per request and maximum characters per text. */
const BATCH = 32
const TEXT_CHARS_MAX = 2_000
const REQUEST_MS = 600_000

const { sets, half, names, recordsMax, questionsMax, fail } = readArguments(USAGE)
const [url = ''] = names
const isOwn = url === ''
if (sets.length === 0 || (!isOwn && !/^http:\/\/(127\.0\.0\.1|localhost|\[::1\])[:/]/.test(url))) fail()
const reader = isOwn ? await openEncoderVectors() : undefined

/** Returns the unit vectors of texts, in order. @param {readonly string[]} texts */
async function embed(texts) {
  if (reader) return reader.vectors(texts)
  /** @type {Float32Array[]} */
  const vectors = []
  for (let from = 0; from < texts.length; from += BATCH) {
    const response = await fetch(`${url}/embeddings`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'bench', input: texts.slice(from, from + BATCH) }),
      signal: AbortSignal.timeout(REQUEST_MS),
    })
    if (!response.ok) throw new Error(`${url} answered ${response.status}`)
    const { data } = /** @type {{ data: { index: number, embedding: number[] }[] }} */ (await response.json())
    for (const { embedding } of data.sort((one, other) => one.index - other.index)) {
      const length = Math.hypot(...embedding) || 1
      vectors.push(Float32Array.from(embedding, (value) => value / length))
    }
  }
  return vectors
}

/** Returns the first measure of every question for each way. @param {import('./sets.mjs').QuestionSet} whole */
async function scoresOf(whole) {
  const asked = someOf(halfOf(whole.questions, half), questionsMax)
  const set = withFewer({ ...whole, questions: asked }, recordsMax)
  const { graph, rows, analyse, indexOf } = await openSandbox(set.records)
  const texts = set.records.map((record) => vectorTexts(record, TEXT_CHARS_MAX, isOwn ? ENCODER_SIZES : undefined))
  const vectors = await embed(texts.flat())
  let next = 0
  const vectorsOf = texts.map((own) => own.map(() => vectors[next++] ?? new Float32Array()))
  const all = rows.map(({ id }) => ({ id, vectors: vectorsOf[indexOf(id)] ?? [] }))
  const questions = await embed(set.questions.map(({ text }) => text))
  const [measure] = set.measures
  return set.questions.map(({ text, gold }, at) => {
    const question = analyse(text)
    const ranked = graph.rank(question, null, NEAR_MAX)
    const asked = questions[at] ?? new Float32Array()
    const near = nearest(asked, all)
    const own = ranked.map(({ id }) => ({ id, vectors: vectorsOf[indexOf(id)] ?? [] }))
    const likeness = new Map([...nearest(asked, own, -1), ...near].map((each) => [each.id, each.likeness]))
    const both = fuseNear(ranked, likeness, graph.nameWeight(question, null)).map((id) => ({ id }))
    const ways = [graph.rankLexical(question, null, NEAR_MAX), ranked, near, both]
    return ways.map(
      (found) =>
        measure?.of(
          gold,
          found.map((/** @type {{ id: string }} */ { id }) => indexOf(id)),
        ) ?? 0,
    )
  })
}

printLine('set (questions)', 'measure', ['words', 'graph', 'vectors', 'both'], 'change, 95 % interval')
for (const found of sets) {
  /** @type {Map<string, { measure: string, scores: number[][] }>} */
  const byName = new Map()
  for (const set of found.read()) {
    const known = byName.get(set.name) ?? { measure: set.measures[0]?.name ?? '', scores: [] }
    byName.set(set.name, { ...known, scores: [...known.scores, ...(await scoresOf(set))] })
  }
  for (const [name, { measure, scores }] of byName) {
    const column = (/** @type {number} */ way) => scores.map((each) => each[way] ?? 0)
    const figures = percents([0, 1, 2, 3].map((way) => mean(column(way))))
    printLine(`${name} (${scores.length})`, measure, figures, describe(pairedChange(column(1), column(3))))
  }
}
await reader?.close()
