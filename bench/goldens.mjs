// Records the product's output for many questions and texts as comparable lines: bytes of text analyses, parsed
// questions, rankings, query plans for rows, answers and briefs. Equal products give equal lines.
import { createHash } from 'node:crypto'
import { fillSandbox, openProgram, TODAY, withoutIds } from './program.mjs'
import { openRows, openSandbox } from './sandbox.mjs'
import { findSets } from './sets.mjs'
import { readWorkspaces } from './wordings.mjs'

/** Number of records ranked per question. */
const DEPTH = 10
/** Number of records that a brief is composed from. */
const PINNED = 5
/** Number of texts per set whose analyses are recorded. */
const ANALYSES_PER_SET = 500
/** Sets for which briefs are recorded; loading the others takes too long. */
const BRIEFED = ['2wiki', 'hotpotqa', 'musique', 'stackfaq', 'cranfield', 'locomo']

/** @typedef {{ kind: string, key: string, value: unknown }} Golden */

/** @param {Uint8Array | string} bytes */
function digest(bytes) {
  return createHash('sha256').update(bytes).digest('hex')
}

/**
 * Returns at most `count` items of a list, evenly spaced.
 * @template T
 * @param {readonly T[]} list
 * @param {number} count
 */
function spaced(list, count) {
  if (list.length <= count) return list
  return Array.from({ length: count }, (_, at) => /** @type {T} */ (list[Math.floor((at * list.length) / count)]))
}

/**
 * Returns the number of questions per set so that all sets together give `sample`; small sets give all they have.
 * @param {readonly number[]} sizes
 * @param {number} sample
 */
function quotaOf(sizes, sample) {
  let quota = 0
  const total = () => sizes.reduce((sum, size) => sum + Math.min(size, quota), 0)
  while (total() < sample && quota < Math.max(...sizes)) quota += 1
  return quota
}

/**
 * Yields everything that is recorded, kind by kind.
 * @param {string} folder  folder of public question sets
 * @param {number} sample  number of their questions
 * @param {(what: string) => void} report  called with the current step
 * @returns {AsyncGenerator<Golden>}
 */
export async function* goldens(folder, sample, report) {
  const workspaces = await readWorkspaces()
  for (const workspace of workspaces) yield* plansOf(workspace)
  const found = findSets(folder).filter(({ kind }) => kind !== 'merged')
  const sizes = found.map((each) => each.read().reduce((sum, { questions }) => sum + questions.length, 0))
  const quota = quotaOf(sizes, sample)
  const program = await openProgram()
  try {
    for (const workspace of workspaces) {
      report(workspace.name)
      yield* answersOf(program.call, workspace)
    }
    for (const [at, each] of found.entries()) {
      report(each.name)
      const share = Math.min(1, quota / (sizes[at] ?? 1))
      for (const [part, set] of each.read().entries()) {
        const questions = spaced(set.questions, Math.round(share * set.questions.length))
        const label = `${set.name}${part > 0 ? ` ${part + 1}` : ''}`
        yield* rankingsOf(label, set.records, questions)
        if (!BRIEFED.some((name) => set.name.startsWith(name))) continue
        const sandbox = await fillSandbox(program.call, label, [{ provider: 'bench', records: set.records }])
        const asked = questions.map(({ text, reference }) => ({ text, day: reference ?? TODAY }))
        yield* briefsOf(program.call, sandbox, label, asked)
      }
    }
  } finally {
    await program.close()
  }
}

/**
 * @param {string} name
 * @param {readonly import('./sandbox.mjs').Sent[]} records
 * @param {readonly import('./sets.mjs').Asked[]} questions
 * @returns {AsyncGenerator<Golden>}
 */
async function* rankingsOf(name, records, questions) {
  const { graph, rows, analyse, ask, indexOf } = await openSandbox(records)
  for (const { id, analysis } of spaced(rows, ANALYSES_PER_SET)) {
    const key = `${name}/${records[indexOf(id)]?.external_id}`
    yield { kind: 'analyses', key, value: { bytes: analysis.length, digest: digest(analysis) } }
  }
  const shown = (/** @type {{ id: string, score: number }[]} */ ranked) =>
    ranked.map(({ id, score }) => [records[indexOf(id)]?.external_id, score])
  for (const { id, text, reference } of questions) {
    const key = `${name}/${id}`
    const analysed = analyse(text)
    const { question, ...read } = await ask(text, reference)
    yield {
      kind: 'questions',
      key,
      value: { digest: digest(JSON.stringify(analysed)), ...toJson(read), asked: digest(JSON.stringify(question)) },
    }
    yield {
      kind: 'rankings',
      key,
      value: {
        words: shown(graph.rankLexical(analysed, null, DEPTH)),
        ranked: shown(graph.rank(question, null, DEPTH, read.times)),
      },
    }
  }
}

/**
 * Converts a value to plain JSON, with infinite numbers as text.
 * @param {unknown} value
 */
function toJson(value) {
  const replacer = (/** @type {string} */ _, /** @type {unknown} */ each) =>
    typeof each === 'bigint' || (typeof each === 'number' && !Number.isFinite(each)) ? String(each) : each
  return JSON.parse(JSON.stringify(value, replacer))
}

/**
 * @param {import('./wordings.mjs').Workspace} workspace
 * @returns {AsyncGenerator<Golden>}
 */
async function* plansOf({ name, day, sources, wordings }) {
  const origins = sources.flatMap(({ provider, records }) => records.map((record) => ({ provider, record })))
  const originOf = (/** @type {number} */ at) => {
    const { provider = '' } = origins[at] ?? {}
    return { sourceId: `src_${provider}`, provider }
  }
  const sandbox = await openSandbox(
    origins.map(({ record }) => record),
    originOf,
  )
  const plansFor = await openRows(sandbox)
  for (const { id, analysis } of sandbox.rows) {
    yield { kind: 'analyses', key: `${name}/${id}`, value: { bytes: analysis.length, digest: digest(analysis) } }
  }
  for (const wording of wordings) {
    yield { kind: 'plans', key: `${name}/${wording}`, value: toJson(plansFor(wording, day)) }
  }
}

/**
 * Yields the answers from rows to the wordings of a workspace.
 * @param {import('./program.mjs').Call} call
 * @param {import('./wordings.mjs').Workspace} workspace
 * @returns {AsyncGenerator<Golden>}
 */
async function* answersOf(call, { name, day, sources, wordings }) {
  const sandbox = await fillSandbox(call, name, sources)
  for (const query of wordings) {
    const asked = { query, preset: 'sql', reference_date: day }
    const reply = await call('POST', `${sandbox.query}/search`, asked)
    const { answer, columns, rows, total_rows: total, warnings, citations } = withoutIds(reply, new Map())
    const value = { answer, columns, rows, total, warnings, cited: cited(citations) }
    yield { kind: 'answers', key: `${name}/${query}`, value }
  }
  const questions = wordings.map((text) => ({ text, day }))
  yield* briefsOf(call, sandbox, name, questions)
}

/** @param {{ name: string, relevance: number }[]} citations */
function cited(citations) {
  return citations.map(({ name, relevance }) => [name, relevance])
}

/**
 * Yields the results of `discover`, and the brief on the first of them with its statements.
 * @param {import('./program.mjs').Call} call
 * @param {{ query: string }} sandbox
 * @param {string} name
 * @param {readonly { text: string, day: string }[]} asked
 * @returns {AsyncGenerator<Golden>}
 */
async function* briefsOf(call, sandbox, name, asked) {
  for (const { text: query, day } of asked) {
    const of = { query, reference_date: day }
    const { header, items } = await call('POST', `${sandbox.query}/discover`, { ...of, limit: DEPTH })
    /** @type {Map<string, string>} */
    const keys = new Map()
    for (const { record_id: id, external_id: key } of items) keys.set(id, key)
    const found = items.map((/** @type {any} */ item) => [item.external_id, item.score, digest(item.summary)])
    const key = `${name}/${query}`
    if (items.length === 0) {
      yield { kind: 'briefs', key, value: { header, found } }
      continue
    }
    const tuples = items.slice(0, PINNED).map((/** @type {{ canonical_ids: string[] }} */ item) => item.canonical_ids)
    const reply = await call('POST', `${sandbox.query}/interpret`, { ...of, items: tuples, explain: true })
    const { brief, statements, citations } = withoutIds(reply, keys)
    yield { kind: 'briefs', key, value: { header, found, brief, statements, cited: cited(citations) } }
  }
}
