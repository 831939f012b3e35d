// Stores the corpus statistics of a scope in a dataset and reads them on demand. Measures ranking candidates without a
// full graph that could count.
import { readAnalysis } from './product.mjs'

const { connect, Index } = await import('@lancedb/lancedb')

/** Maximum rounds of reading missing counts; later rounds read almost nothing. */
const ROUNDS_MAX = 6
const NOTHING = { degree: 0, lowerCase: 0, nameLike: 0, isDeclared: false }

/** @typedef {import('@cairnstore/engine/rank').CountsOf} CountsOf */
/** @typedef {typeof NOTHING} Counted */

/** Writes the counts of a sandbox, keyed by `t` or `n` and the hash of a term or a name, with an index. */
export async function keepCounts(
  /** @type {import('./sandbox.mjs').Sandbox} */ { graph, rows },
  /** @type {string} */ folder,
) {
  const all = graph.counts(null)
  /** @type {Map<string, Counted & { word: string }>} */
  const counted = new Map()
  const ignore = () => undefined
  const sink = {
    length: ignore,
    term: (/** @type {number} */ hash) => {
      const word = `t${hash}`
      if (!counted.has(word)) counted.set(word, { word, ...NOTHING, ...all.term(hash) })
    },
    key: (/** @type {number} */ hash) => {
      const word = `n${hash}`
      if (counted.has(word)) return
      const { degree, nameLike, isDeclared } = all.key(hash)
      counted.set(word, { word, ...NOTHING, degree, nameLike, isDeclared })
    },
    entries: ignore,
    entry: ignore,
    turn: ignore,
  }
  for (const { analysis } of rows) readAnalysis(analysis, sink, () => sink)
  const table = await (await connect(folder)).createTable('counts', [...counted.values()])
  await table.createIndex('word', { config: Index.btree() })
  return { count: counted.size, open: () => openCounts(table, all) }
}

/** Opens the counts of one question: known ones, and missing ones to be read. */
function openCounts(
  /** @type {import('@lancedb/lancedb').Table} */ table,
  /** @type {import('@cairnstore/engine/rank').ScopeCounts} */ { records, averageLength },
) {
  /** @type {Map<string, Counted>} */
  const known = new Map()
  /** @type {Set<string>} */
  const missing = new Set()
  let readMs = 0
  let rounds = 0
  const find = (/** @type {string} */ word) => {
    const counted = known.get(word)
    if (!counted) missing.add(word)
    return counted ?? NOTHING
  }
  const counts = {
    records,
    averageLength,
    term: (/** @type {number} */ hash) => find(`t${hash}`),
    key: (/** @type {number} */ hash) => find(`n${hash}`),
  }
  const readMissing = async () => {
    const fromMs = performance.now()
    const words = [...missing]
    missing.clear()
    for (const word of words) known.set(word, NOTHING)
    const where = `word in (${words.map((word) => `'${word}'`).join(',')})`
    const read = await table.query().where(where).toArray()
    for (const { word, degree, lowerCase, nameLike, isDeclared } of read) {
      known.set(word, { degree: Number(degree), lowerCase: Number(lowerCase), nameLike: Number(nameLike), isDeclared })
    }
    readMs += performance.now() - fromMs
    rounds += 1
  }
  return {
    /** @type {CountsOf} */
    of: () => counts,
    spent: () => ({ readMs, rounds, asked: known.size }),
    /** Ranks repeatedly until no requested count is missing. */
    settle: async (/** @type {import('./sandbox.mjs').Graph} */ graph, /** @type {() => any} */ rank) => {
      let ranked = rank()
      for (let round = 0; missing.size > 0 && round < ROUNDS_MAX; round += 1) {
        await readMissing()
        graph.clearCaches()
        ranked = rank()
      }
      return ranked
    },
  }
}
