// An in-memory sandbox, built as an ingest builds one: declared objects are resolved to entities, texts are analyzed,
// and both go into the graph. Without store and HTTP, a question takes as long as its ranking.
import {
  analyseQuestion,
  buildBatch,
  buildViews,
  computePlan,
  createRecordGraph,
  declarationsOf,
  enrichContent,
  mentionDeclarations,
  namesOf,
  parseRecord,
  passagesOf,
  plainKeyHash,
  planInConversation,
  rankingOf,
  readIntent,
  resolveMentions,
  toRecordContent,
} from './product.mjs'

const ORIGIN = { sourceId: 'src_bench', provider: 'bench' }
/** Default extraction from plain text during ingest. */
const READ = { names: true, facts: process.env.CAIRN_FACTS !== 'off' }
/** Number of digits in generated ids. They sort by creation order, as real ones do. */
const ID_DIGITS = 7
/** Reference date of a question without a date. */
const LATEST_DAY = '2026-07-31'
/** Clock for a question without a date; every benchmark gives one. */
const CLOCK = { now: () => new Date(LATEST_DAY) }
const UNLIMITED = { records: null, bytes: null }

/**
 * A record as the API accepts it.
 * @typedef {{ external_id: string, type: string, title?: string, text?: string, occurred_at?: string,
 *   author?: unknown, properties?: Record<string, unknown> }} Sent
 * @typedef {ReturnType<typeof createRecordGraph>} Graph
 * @typedef {{ graph: Graph, records: readonly Sent[], rows: { id: string, analysis: Uint8Array }[], view: unknown,
 *   analyse(text: string): unknown,
 *   ask(text: string, day?: string, history?: readonly string[]): Promise<{ text: string, question: unknown,
 *     times: unknown,
 *     notes: readonly string[] }>,
 *   indexOf(recordId: string): number }} Sandbox
 */

/** @type {WeakMap<readonly Sent[], Promise<Sandbox>>} */
const opened = new WeakMap()

/**
 * Returns the sandbox of these records. It is built once and cached as long as the list is referenced.
 * @param {readonly Sent[]} records
 * @param {(at: number) => { sourceId: string, provider: string }} [originOf] origin of each record; by default one
 *   source
 */
export function openSandbox(records, originOf = () => ORIGIN) {
  const known = opened.get(records) ?? build(records, originOf, [])
  opened.set(records, known)
  return known
}

/**
 * Builds the sandbox of these records without some ways of parsing texts. Returns undefined if no text is long enough
 * to be affected.
 * @param {readonly Sent[]} records
 * @param {readonly string[]} without
 * @returns {Promise<Sandbox> | undefined}
 */
export function openReadWithout(records, without) {
  const isLong = records.some(({ text = '' }) => passagesOf(text).length > 0)
  return isLong ? build(records, () => ORIGIN, without) : undefined
}

/**
 * @param {string} prefix
 * @param {number} number
 */
function idOf(prefix, number) {
  return `${prefix}_${String(number).padStart(ID_DIGITS, '0')}`
}

/**
 * @param {readonly Sent[]} records
 * @param {(at: number) => { sourceId: string, provider: string }} originOf
 * @param {readonly string[]} without  ways of parsing to leave out
 * @returns {Promise<Sandbox>}
 */
async function build(records, originOf, without) {
  const incoming = records.map((record, at) => {
    // All records come from the sandbox's owner, who asks.
    const content = enrichContent({ ...toRecordContent(record), from_owner: true }, READ)
    const origin = originOf(at)
    const declared = { things: declarationsOf(content, origin), mentioned: mentionDeclarations(content) }
    return { content, origin, projectId: null, deleted: false, line: at + 1, without, ...declared }
  })
  let [recordsMade, entitiesMade] = [0, 0]
  const batch = await buildBatch(incoming, {
    hash: plainKeyHash,
    known: { withKey: () => [], get: () => undefined },
    stored: () => undefined,
    supporters: () => 0,
    newRecordId: () => idOf('rec', recordsMade++),
    newEntityId: () => idOf('ent', entitiesMade++),
    quota: UNLIMITED,
    links: new Set(),
    marks: new Map(),
  })
  if (batch.records.length !== records.length) throw new Error('Two of the records have the same external_id.')
  const graph = createRecordGraph()
  for (const { id, type, keys, live, mergedInto } of batch.entities) {
    if (live && !mergedInto) graph.putEntity({ id, type, keys })
  }
  for (const row of batch.records) graph.putRecord(row)
  const view = viewOf(graph, batch.records, batch.links)
  return {
    graph,
    records,
    rows: batch.records,
    entities: batch.entities.filter(({ live, mergedInto }) => live && !mergedInto),
    view,
    analyse: (text) => analyseQuestion(text, [], plainKeyHash),
    ask: async (text, day = LATEST_DAY, history = []) => {
      const turns = history.map((content) => ({ role: 'user', content }))
      const asked = { query: text, reference_date: day, history: turns }
      const intent = await readIntent({ clock: CLOCK }, asked, view, { scope: null })
      return { ...intent, question: intent.query }
    },
    indexOf,
  }
}

/** Returns the index of a record in its list. @param {string} recordId */
function indexOf(recordId) {
  return Number(recordId.slice(recordId.indexOf('_') + 1))
}

/**
 * Returns the view that a question is parsed in. All records are in memory, so none is read from a store.
 * @param {Graph} graph
 * @param {Sandbox['rows']} rows
 * @param {readonly { subjectId: string }[]} [links]
 */
function viewOf(graph, rows, links = []) {
  return {
    graph,
    ranking: rankingOf(graph, () => undefined),
    hash: plainKeyHash,
    canonical: (/** @type {string} */ id) => id,
    rowOf: indexOf,
    cacheKey: String,
    cache: { get: (/** @type {string} */ at) => parseRecord(rows[Number(at)]) },
    entityRowsOf: () => [],
    formerIds: (/** @type {string} */ id) => [id],
    store: {
      recordsAt: async () => new Map(),
      entitiesAt: async () => new Map(),
      linksOf: async (/** @type {unknown} */ _, /** @type {readonly string[]} */ ids) =>
        links.filter(({ subjectId }) => ids.includes(subjectId)),
    },
  }
}

/**
 * Opens answering from rows in a sandbox: the query plans of a question on a day, and their results.
 * @param {Sandbox} sandbox
 */
export async function openRows({ graph, rows }) {
  const view = viewOf(graph, rows)
  const records = rows.map((row) => resolveMentions(view, parseRecord(row)))
  const views = await buildViews(records, namesOf(records), async () => undefined)
  return (/** @type {string} */ question, /** @type {string} */ day) =>
    planInConversation(views, question, [], day).map((plan) => {
      const own = views.find(({ type }) => type === plan.type)
      return { plan, cells: computePlan(plan, own) }
    })
}
