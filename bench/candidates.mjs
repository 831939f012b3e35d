// What Lance's own text index gives as candidates in front of the graph: how long it takes to build, its bytes, how
// long a search takes, and how much of the graph's own answer it finds. Its words are the terms and names by which the
// graph ranks, as numbers. A graph of nothing but the candidates then ranks them, beside the graph of everything.
// Usage: npm run bench:candidates -- DIR [--sets A,B] [--questions N], with the question sets of bench:quality; or
// `npm run bench:candidates -- --records 100000`: made-up records.
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createRecordGraph, readAnalysis } from './product.mjs'
import { openSandbox } from './sandbox.mjs'
import { findSets, someOf } from './sets.mjs'
import { quantiles } from './timing.mjs'
import { openWorkload, seeded } from './workload.mjs'

const { connect, Index, MatchQuery } = await import('@lancedb/lancedb')

const LIMITS = [100, 300, 1_000]
const TOP = 10
/** The best records whose names are searched for too: what the graph's walk does at a hop. */
const WALKED_FROM = 5
const NAMES_OF_EACH = 8
const SCOPES = 10
const FREQUENCY_BITS = 63
const PERCENT = 100
const MIB = 2 ** 20
const SEED = 7

const { values: told, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sets: { type: 'string' },
    questions: { type: 'string', default: '150' },
    records: { type: 'string' },
  },
})
const questionsMax = Number(told.questions)
if (told.records) await measureMadeUp(Number(told.records))
else for (const found of findSets(positionals[0], told.sets?.split(',') ?? [])) await measureFound(found)

/** @typedef {import('./sandbox.mjs').Sandbox} Sandbox */
/** @typedef {{ question: any, times: any, gold?: ReadonlyMap<number, number> }} Read */
/** @typedef {NonNullable<Awaited<ReturnType<typeof openIndex>>>} Opened */

async function measureFound(/** @type {import('./sets.mjs').FoundSet} */ found) {
  for (const set of found.read()) {
    const sandbox = await openSandbox(set.records)
    const read = []
    for (const { text, reference, gold } of someOf(set.questions, questionsMax)) {
      read.push({ ...(await sandbox.ask(text, reference)), gold })
    }
    await measure(set.name, sandbox, read, set.measures[0])
  }
}

async function measureMadeUp(/** @type {number} */ count) {
  const workload = openWorkload()
  const sent = Array.from({ length: count }, (_, number) => workload.record(number))
  const sandbox = await openSandbox(sent)
  const read = []
  for (let at = 0; at < questionsMax; at += 1) {
    read.push(await sandbox.ask(workload.question(sent[Math.floor(workload.random() * count)])))
  }
  await measure('made up', sandbox, read, undefined)
}

async function measure(
  /** @type {string} */ name,
  /** @type {Sandbox} */ sandbox,
  /** @type {Read[]} */ read,
  /** @type {import('./sets.mjs').Measure | undefined} */ scored,
) {
  console.log(`\n${name}: ${sandbox.rows.length} records, ${read.length} questions`)
  const folder = mkdtempSync(join(tmpdir(), 'cairn-candidates-'))
  try {
    const opened = await openIndex(sandbox, folder)
    /** @type {number[]} */
    const wholeMs = []
    const whole = read.map(({ question, times }) => {
      const fromMs = performance.now()
      const ranked = sandbox.graph.rank(question, null, TOP, times)
      wholeMs.push(performance.now() - fromMs)
      return ranked
    })
    const scoreOf = (/** @type {{ id: string }[][]} */ lists) => {
      if (!scored) return ''
      const each = read.map(({ gold = new Map() }, at) =>
        scored.of(
          gold,
          (lists[at] ?? []).map(({ id }) => sandbox.indexOf(id)),
        ),
      )
      return `${scored.name} ${percent(mean(each))}`
    }
    console.log(`  the whole graph                  ${scoreOf(whole).padEnd(16)} ${shownMs(wholeMs)}`)
    for (const isWalked of [false, true]) {
      for (const limit of LIMITS) await measureLimit(opened, { sandbox, read, whole, limit, scoreOf, isWalked })
    }
    await measureChanges(opened, { sandbox, read })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** A dataset of the records' words, and its index. */
async function openIndex(/** @type {Sandbox} */ sandbox, /** @type {string} */ folder) {
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
  const owners = new Map(sandbox.entities.flatMap((entity) => entity.keys.map((key) => [key, entity])))
  const search = async (/** @type {string} */ words, /** @type {number} */ limit, /** @type {string} */ where) => {
    const query = table.query().fullTextSearch(new MatchQuery(words, 'words')).where(where).select(['id', '_score'])
    return (await query.limit(limit).toArray()).map(({ id }) => String(id))
  }
  return { table, byId, owners, search }
}

/** The terms and names of a record as words of the index, a term as often as it stands there, and the names alone. */
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

function nameWord(/** @type {number} */ key) {
  return `n${key.toString(36)}`
}

function wordsAsked(/** @type {any} */ question) {
  const names = question.names.map((/** @type {{ key: number }} */ { key }) => nameWord(key))
  return [...question.terms.map((/** @type {{ hash: number }} */ { hash }) => termWord(hash)), ...names].join(' ')
}

/** @typedef {{ sandbox: Sandbox, read: Read[], whole: { id: string }[][], limit: number, isWalked: boolean,
 *   scoreOf(lists: { id: string }[][]): string }} Measuring */

/** Finds candidates by the index and ranks them; what it takes is the time of all of that. */
async function measureLimit(
  /** @type {Opened} */ opened,
  /** @type {Measuring} */ { sandbox, read, whole, limit, isWalked, scoreOf },
) {
  /** @type {number[][]} */
  const [allMs, found] = [[], []]
  const lists = []
  for (const [at, { question, times }] of read.entries()) {
    const fromMs = performance.now()
    let ids = await opened.search(wordsAsked(question), limit, 'live')
    let graph = graphOf(opened, sandbox, ids)
    if (isWalked) {
      const best = graph.rank(question, null, WALKED_FROM, times)
      const keys = best.flatMap(({ id }) => opened.byId.get(id)?.keys.slice(0, NAMES_OF_EACH) ?? [])
      const beside = await opened.search([...new Set(keys)].map(nameWord).join(' '), limit, 'live')
      ids = [...new Set([...ids, ...beside])]
      graph = graphOf(opened, sandbox, ids)
    }
    lists.push(graph.rank(question, null, TOP, times))
    allMs.push(performance.now() - fromMs)
    const held = new Set(ids)
    const top = whole[at] ?? []
    if (top.length > 0) found.push(top.filter(({ id }) => held.has(id)).length / top.length)
  }
  const same = lists.map((list, at) => {
    const top = whole[at] ?? []
    return top.length === 0 ? 1 : top.filter(({ id }) => list.some((other) => other.id === id)).length / top.length
  })
  const figures = `of its ten ${percent(mean(found))} found, ${percent(mean(same))} ranked`
  console.log(
    `  ${isWalked ? 'and names of the best' : 'words'}, ${limit}`.padEnd(35),
    scoreOf(lists).padEnd(16),
    `${shownMs(allMs)}, ${figures}`,
  )
}

/** A graph of nothing but these records and what they declare. */
function graphOf(/** @type {Opened} */ { byId, owners }, /** @type {Sandbox} */ sandbox, /** @type {string[]} */ ids) {
  const graph = createRecordGraph()
  const entities = new Set(ids.flatMap((id) => byId.get(id)?.keys ?? []).flatMap((key) => owners.get(key) ?? []))
  for (const { id, type, keys } of entities) graph.putEntity({ id, type, keys })
  for (const id of ids) graph.putRecord(sandbox.rows[sandbox.indexOf(id)])
  return graph
}

/** Searches within a scope, with rows that are in no index, and with rows that are removed. */
async function measureChanges(
  /** @type {Opened} */ { table, search, byId },
  /** @type {{ sandbox: Sandbox, read: Read[] }} */ { read },
) {
  const limit = LIMITS[1] ?? 0
  const searchAll = async (/** @type {string} */ where) => {
    const spent = []
    const lists = []
    for (const { question } of read) {
      const fromMs = performance.now()
      lists.push(await search(wordsAsked(question), limit, where))
      spent.push(performance.now() - fromMs)
    }
    return { spent, lists }
  }
  const plain = await searchAll('live')
  console.log(`  a search, ${limit}`.padEnd(51), shownMs(plain.spent))
  const scoped = await searchAll('live and scope = 3')
  const outside = scoped.lists.flat().filter((id) => byId.get(id)?.scope !== 3).length
  const fewer = scoped.lists.filter((list, at) => {
    const held = (plain.lists[at] ?? []).filter((id) => byId.get(id)?.scope === 3)
    return held.some((id) => !list.includes(id))
  }).length
  console.log(
    `  in a scope of a tenth`.padEnd(51),
    `${shownMs(scoped.spent)}, ${outside} of another scope, ${fewer} of ${read.length} lacking what all have`,
  )
  const moved = [...byId.values()].filter((_, at) => at % SCOPES === 0)
  const gone = new Set(moved.filter((_, at) => at % 2 === 0).map(({ id }) => id))
  await table.delete(`id in (${moved.map(({ id }) => `'${id}'`).join(',')})`)
  const added = moved.filter(({ id }) => !gone.has(id)).map(({ keys: _, ...row }) => row)
  await table.add(added)
  const changed = await searchAll('live')
  const shown = changed.lists.flat().filter((id) => gone.has(id)).length
  const same = changed.lists.map((list, at) => {
    const before = (plain.lists[at] ?? []).filter((id) => !gone.has(id))
    const held = new Set(list)
    return before.length === 0 ? 1 : before.filter((id) => held.has(id)).length / before.length
  })
  console.log(
    `  a twentieth removed, another in no index`.padEnd(51),
    `${shownMs(changed.spent)}, ${shown} removed found, ${percent(mean(same))} of what was found before`,
  )
}

function bytesOf(/** @type {string} */ folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
}

function mean(/** @type {number[]} */ values) {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
}

function percent(/** @type {number} */ share) {
  return (PERCENT * share).toFixed(1)
}

function shownMs(/** @type {number[]} */ spent) {
  const { p50, p95 } = quantiles(spent)
  return `p50 ${p50.toFixed(1)} p95 ${p95.toFixed(1)} ms`
}
