// Builds a dataset of the terms and names of records, as numbers, with Lance's full-text index, and graphs of its
// search results.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createRecordGraph, readAnalysis } from './product.mjs'
import { seeded } from './workload.mjs'

const { connect, Index, MatchQuery } = await import('@lancedb/lancedb')

/** Number of scopes of equal size into which the records are divided. */
export const SCOPES = 10
export const MIB = 2 ** 20
const FREQUENCY_BITS = 63
const SEED = 7

/** @typedef {import('./sandbox.mjs').Sandbox} Sandbox */
/** @typedef {NonNullable<Awaited<ReturnType<typeof openIndex>>>} Opened */

/** Creates a dataset of the records' words with its index. */
export async function openIndex(/** @type {Sandbox} */ sandbox, /** @type {string} */ folder) {
  const random = seeded(SEED)
  const rows = sandbox.rows.map(({ id, analysis }) => {
    const { words, keys } = wordsOf(analysis)
    return { id, live: true, scope: Math.floor(random() * SCOPES), words, keys }
  })
  const byId = new Map(rows.map((row) => [row.id, row]))
  const database = await connect(folder)
  const table = await database.createTable(
    'records',
    rows.map(({ keys: _, ...row }) => row),
  )
  const before = bytesOf(folder)
  const cpu = process.cpuUsage()
  const fromMs = performance.now()
  const config = Index.fts({
    baseTokenizer: 'whitespace',
    withPosition: false,
    stem: false,
    removeStopWords: false,
    lowercase: false,
    asciiFolding: false,
  })
  await table.createIndex('words', { config })
  const { user, system } = process.cpuUsage(cpu)
  const seconds = (performance.now() - fromMs) / 1_000
  const [text, index] = [before, bytesOf(folder) - before].map((bytes) => `${(bytes / MIB).toFixed(1)} MiB`)
  const spent = ((user + system) / 1e6).toFixed(1)
  console.log(`  index: ${index} beside ${text} of words, ${seconds.toFixed(1)} s, ${spent} s of processor`)
  /** @type {Map<number, Sandbox['entities'][number][]>} */
  const owners = new Map()
  for (const entity of sandbox.entities) {
    for (const key of entity.keys) owners.set(key, [...(owners.get(key) ?? []), entity])
  }
  const search = async (/** @type {string} */ words, /** @type {number} */ limit, /** @type {string} */ where) => {
    const query = table.query().fullTextSearch(new MatchQuery(words, 'words')).where(where).select(['id', '_score'])
    return (await query.limit(limit).toArray()).map(({ id }) => String(id))
  }
  return { table, byId, owners, search }
}

/** Returns a record's index words: its terms as often as they occur, its names, and the names separately. */
function wordsOf(/** @type {Uint8Array} */ analysis) {
  /** @type {string[]} */
  const words = []
  /** @type {Set<number>} */
  const keys = new Set()
  const ignore = () => undefined
  const sink = {
    length: ignore,
    term: (/** @type {number} */ hash, /** @type {number} */ flags) => {
      for (let left = Math.max(1, flags & FREQUENCY_BITS); left > 0; left -= 1) words.push(termWord(hash))
    },
    key: (/** @type {number} */ hash) => void keys.add(hash),
    entries: ignore,
    entry: ignore,
    turn: ignore,
  }
  readAnalysis(analysis, sink, () => sink)
  return { words: [...words, ...[...keys].map(nameWord)].join(' '), keys: [...keys] }
}

function termWord(/** @type {number} */ hash) {
  return `t${hash.toString(36)}`
}

export function nameWord(/** @type {number} */ key) {
  return `n${key.toString(36)}`
}

export function wordsAsked(/** @type {any} */ question) {
  const names = question.names.map((/** @type {{ key: number }} */ { key }) => nameWord(key))
  return [...question.terms.map((/** @type {{ hash: number }} */ { hash }) => termWord(hash)), ...names].join(' ')
}

/** Builds a graph of only these records and the entities that own their names. */
export function graphOf(
  /** @type {Opened} */ { byId, owners },
  /** @type {Sandbox} */ sandbox,
  /** @type {string[]} */ ids,
  /** @type {import('@cairnstore/engine/rank').CountsOf | undefined} */ given,
) {
  const graph = createRecordGraph(undefined, given)
  const entities = new Set(ids.flatMap((id) => byId.get(id)?.keys ?? []).flatMap((key) => owners.get(key) ?? []))
  for (const { id, type, keys } of entities) graph.putEntity({ id, type, keys })
  for (const id of ids) graph.putRecord(sandbox.rows[sandbox.indexOf(id)])
  return graph
}

/** Returns the total size of all files below a folder, in bytes. */
export function bytesOf(/** @type {string} */ folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
}
