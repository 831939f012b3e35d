// Reads the public question sets of a folder in one form: records, questions with their gold, and measures. A set is
// recognized by its files, so additional sets in the folder are found too.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { anyFound, ndcg, recall } from './quality/measures.mjs'
import { readConversations } from './talks.mjs'

/** Maximum folder depth that is searched for sets. */
const LEVELS_MAX = 3
const GRADED_DEPTH = 10
const MEMORY_DEPTH = 5
/** Sets that are also queried, like the multi-hop ones, with the records of all of them in one sandbox. */
const MERGED = ['clapnq', 'scifact-train', 'stackfaq']

/**
 * A question: gold by record index, reference date, kind within its set, and answer.
 * @typedef {{ id: string, text: string, gold: ReadonlyMap<number, number>, reference?: string, group?: string,
 *   answer?: string }} Asked
 * A measure of a question from the indexes of the records found, best first; from 0 to 1.
 * @typedef {{ name: string, of(gold: ReadonlyMap<number, number>, ranked: readonly number[]): number }} Measure
 * A list of records that is queried in one sandbox. Sets with the same name and several lists are counted together.
 * @typedef {{ name: string, kind: Kind, records: readonly import('./sandbox.mjs').Sent[], questions: readonly Asked[],
 *   unanswerable: readonly Asked[], measures: readonly Measure[], depth: number }} QuestionSet
 * @typedef {'multihop' | 'graded' | 'talks' | 'memory'} Kind
 * An existing set that has not been read.
 * @typedef {{ name: string, kind: Kind | 'merged', read(): QuestionSet[] }} FoundSet
 * @typedef {'all' | 'development' | 'other'} Half
 */

/** Measures for the sets of each kind; the first is the primary one. */
const MEASURES = {
  multihop: { depths: [5, 2, 10], name: 'R', of: recall },
  graded: { depths: [GRADED_DEPTH], name: 'nDCG', of: ndcg },
  talks: { depths: [10, 5, 25], name: 'R', of: recall },
  memory: { depths: [MEMORY_DEPTH], name: 'any', of: anyFound },
}

/**
 * @param {string} name
 * @param {Kind} kind
 * @param {QuestionSet['records']} records
 * @param {readonly Asked[]} questions
 * @param {readonly Asked[]} [unanswerable]  questions that no record of the set answers
 * @returns {QuestionSet}
 */
function toSet(name, kind, records, questions, unanswerable = []) {
  const { depths, name: measure, of } = MEASURES[kind]
  const measures = depths.map((depth) => ({
    name: `${measure}@${depth}`,
    of: (/** @type {Asked['gold']} */ gold, /** @type {readonly number[]} */ ranked) => of(gold, ranked, depth),
  }))
  const answerable = questions.filter(({ gold }) => gold.size > 0)
  return { name, kind, records, questions: answerable, unanswerable, measures, depth: Math.max(...depths) }
}

/**
 * Reads the lines of a JSON-lines file, compressed or not.
 * @param {string} path
 */
export function readLines(path) {
  const bytes = readFileSync(path)
  const unpacked = path.endsWith('.gz') ? gunzipSync(bytes) : path.endsWith('.br') ? brotliDecompressSync(bytes) : bytes
  return unpacked
    .toString('utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

/** @param {string} folder */
function corpusOf(folder) {
  return ['corpus.jsonl', 'corpus.jsonl.gz'].map((name) => join(folder, name)).find((path) => existsSync(path))
}

/**
 * @param {string} folder
 * @param {string} name
 */
function readMultihop(folder, name) {
  const passages = readLines(corpusOf(folder) ?? '')
  const indexes = new Map(passages.map(({ idx }, at) => [idx, at]))
  const records = passages.map(({ idx, title, text }) => ({
    external_id: `${name}/${idx}`,
    type: 'passage',
    title,
    text,
  }))
  const questions = readLines(join(folder, 'questions.jsonl')).map(
    ({ id, question, answer, gold_idx: gold, type }) => ({
      id: String(id),
      text: question,
      answer,
      group: type,
      gold: goldOf(indexes, new Map(gold.map((/** @type {number} */ idx) => [idx, 1]))),
    }),
  )
  return [toSet(name, 'multihop', records, questions)]
}

/**
 * @template T
 * @param {ReadonlyMap<T, number>} indexes
 * @param {ReadonlyMap<T, number>} grades
 */
function goldOf(indexes, grades) {
  return new Map([...grades].flatMap(([id, grade]) => (indexes.has(id) ? [[indexes.get(id) ?? 0, grade]] : [])))
}

/**
 * @param {string} folder
 * @param {string} name
 */
function readGraded(folder, name) {
  const documents = readLines(corpusOf(folder) ?? '')
  const indexes = new Map(documents.map(({ id }, at) => [id, at]))
  const records = documents.map(({ id, title, text }) => ({
    external_id: id,
    type: 'document',
    ...(title && { title }),
    text,
  }))
  /** @type {Map<string, Map<string, number>>} */
  const grades = new Map()
  for (const line of readFileSync(join(folder, 'qrels.tsv'), 'utf8').trim().split('\n')) {
    const [query = '', document = '', grade] = line.split('\t')
    if (Number(grade) > 0) grades.set(query, (grades.get(query) ?? new Map()).set(document, Number(grade)))
  }
  const judged = existsSync(join(folder, 'questions.jsonl')) ? readLines(join(folder, 'questions.jsonl')) : []
  const answers = new Map(judged.map(({ id, answer }) => [id, answer]))
  const questions = readLines(join(folder, 'queries.jsonl')).map(({ id, text }) => ({
    id,
    text,
    gold: goldOf(indexes, grades.get(id) ?? new Map()),
    ...(answers.get(id) && { answer: String(answers.get(id)) }),
  }))
  const unanswerable = judged.flatMap(({ id, question, answerable }) =>
    answerable === false ? [{ id, text: question, gold: new Map() }] : [],
  )
  return [toSet(name, 'graded', records, questions, unanswerable)]
}

/** @param {string} folder @param {string} name */
function readTalks(folder, name) {
  return readConversations(join(folder, 'conversations.json')).map(({ records, questions }) =>
    toSet(
      name,
      'talks',
      records,
      questions,
      questions.filter(({ group }) => group === 'adversarial'),
    ),
  )
}

/**
 * Reads chats with an assistant; each is one record with the turns as lines.
 * @param {string} folder
 * @param {string} name
 */
function readMemory(folder, name) {
  const sessions = sessionFiles(folder).flatMap((file) => readLines(join(folder, file)))
  const indexes = new Map(sessions.map(({ id }, at) => [id, at]))
  const records = sessions.map(({ id, date, turns }) => ({
    external_id: id,
    type: 'conversation',
    text: turns.map(([who, said]) => `${who}: ${said}`).join('\n'),
    ...(date && { occurred_at: readDate(date) }),
  }))
  const questions = readLines(join(folder, 'questions.jsonl')).map(({ id, type, question, date, answer, ...gold }) => ({
    id,
    text: question,
    group: type,
    answer: String(answer ?? ''),
    reference: readDate(date).slice(0, 'YYYY-MM-DD'.length),
    gold: goldOf(indexes, new Map(gold.answer_session_ids.map((/** @type {string} */ session) => [session, 1]))),
  }))
  const unanswerable = questions.filter(({ id }) => /_abs$/.test(id))
  return [toSet(name, 'memory', records, questions, unanswerable)]
}

/** @param {string} folder */
function sessionFiles(folder) {
  return readdirSync(folder)
    .filter((name) => /^sessions\..*jsonl/.test(name))
    .sort()
}

/** Converts "2023/05/30 (Tue) 21:39" to a UTC time. @param {string} text */
function readDate(text) {
  return new Date(`${text.replace(/\(.*\)/, '')} UTC`).toISOString()
}

/**
 * Combines the records of all sets into one sandbox.
 * @param {readonly FoundSet[]} found
 */
function readMerged(found) {
  const sets = found.flatMap((each) => each.read())
  const records = sets.flatMap(({ name, records: own }) =>
    own.map((record) => ({ ...record, external_id: `${name}/${record.external_id}` })),
  )
  let from = 0
  return sets.map((set) => {
    const start = from
    from += set.records.length
    const questions = set.questions.map((question) => ({
      ...question,
      gold: new Map([...question.gold].map(([at, grade]) => [at + start, grade])),
    }))
    return { ...set, name: `merged/${set.name}`, records, questions }
  })
}

/** Returns the reader for a folder's set; undefined if it contains none. @param {string} folder */
function readerOf(folder) {
  const has = (/** @type {string} */ name) => existsSync(join(folder, name))
  if (has('conversations.json')) return { kind: /** @type {const} */ ('talks'), read: readTalks }
  if (corpusOf(folder) && has('qrels.tsv')) return { kind: /** @type {const} */ ('graded'), read: readGraded }
  if (!has('questions.jsonl')) return undefined
  if (corpusOf(folder)) return { kind: /** @type {const} */ ('multihop'), read: readMultihop }
  return sessionFiles(folder).length > 0 ? { kind: /** @type {const} */ ('memory'), read: readMemory } : undefined
}

/** @param {string} folder @param {number} levels @returns {FoundSet[]} */
function setsUnder(folder, levels) {
  const reader = readerOf(folder)
  const name = basename(folder)
  if (reader) return [{ name, kind: reader.kind, read: () => reader.read(folder, name) }]
  if (levels === 0) return []
  const inside = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  return inside.flatMap((entry) => setsUnder(join(folder, entry.name), levels - 1))
}

/**
 * Finds the sets of a folder by name, plus `merged`. With names, returns only those that start with one of them.
 * @param {string | undefined} folder
 * @param {readonly string[]} [names]
 */
export function findSets(folder, names = []) {
  if (!folder || !existsSync(folder)) return []
  const found = setsUnder(folder, LEVELS_MAX).sort((one, other) => (one.name < other.name ? -1 : 1))
  const together = found.filter(({ name, kind }) => kind === 'multihop' || MERGED.includes(name))
  const merged = { name: 'merged', kind: /** @type {const} */ ('merged'), read: () => readMerged(together) }
  const all = together.length > 1 ? [...found, merged] : found
  return all.filter(({ name }) => names.length === 0 || names.some((each) => name.startsWith(each)))
}

/**
 * Returns a set with at most `count` records: those that answer its questions, and a sample of the others by a hash of
 * their ids.
 * @param {QuestionSet} set
 * @param {number} count
 * @returns {QuestionSet}
 */
export function withFewer(set, count) {
  if (set.records.length <= count) return set
  const answering = new Set(set.questions.flatMap(({ gold }) => [...gold.keys()]))
  const others = set.records.flatMap(({ external_id: id }, at) => (answering.has(at) ? [] : { id, at }))
  const drawn = someOf(others, Math.max(0, count - answering.size)).map(({ at }) => at)
  const kept = [...answering, ...drawn].sort((one, other) => one - other)
  const places = new Map(kept.map((at, place) => [at, place]))
  const questions = set.questions.map((question) => ({ ...question, gold: goldOf(places, question.gold) }))
  return { ...set, questions, records: kept.flatMap((at) => set.records[at] ?? []) }
}

/**
 * Returns the questions of one half. The half of a question depends only on its id.
 * @param {readonly Asked[]} questions
 * @param {Half} half
 */
export function halfOf(questions, half) {
  if (half === 'all') return questions
  const isDevelopment = (/** @type {Asked} */ { id }) => (createHash('sha256').update(id).digest()[0] ?? 0) % 2 === 0
  return questions.filter((question) => isDevelopment(question) === (half === 'development'))
}

/**
 * Returns at most `count` items in their order, a sample by a hash of their ids.
 * @template {{ id: string }} T
 * @param {readonly T[]} things
 * @param {number} count
 */
export function someOf(things, count) {
  if (things.length <= count) return things
  const by = new Map(things.map(({ id }) => [id, createHash('sha256').update(id).digest('hex')]))
  const drawn = [...by.keys()].sort((one, other) => ((by.get(one) ?? '') < (by.get(other) ?? '') ? -1 : 1))
  const kept = new Set(drawn.slice(0, count))
  return things.filter(({ id }) => kept.has(id))
}
