// Measures Lance's full-text index as a candidate generator for the graph: build time, size, search time, and recall of
// the graph's own results. Its words are the terms and names that the graph ranks by, as numbers. A graph of only the
// candidates then ranks them, compared with the full graph: with the candidates' own corpus statistics, and with those
// of the whole scope, which are read on demand from a dataset.
// Usage: npm run bench:candidates -- DIR [--sets A,B] [--questions N] [--limits N,N], with the question sets of
// bench:quality; or `npm run bench:candidates -- --records 100000`: made-up records.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { bytesOf, graphOf, MIB, nameWord, openIndex, SCOPES, wordsAsked } from './candidate-index.mjs'
import { keepCounts } from './kept-counts.mjs'
import { openSandbox } from './sandbox.mjs'
import { findSets, someOf } from './sets.mjs'
import { quantiles } from './timing.mjs'
import { openWorkload } from './workload.mjs'

const TOP = 10
/** Number of best records whose names are also searched for, rarest first. This corresponds to a hop in the graph. */
const WALKED_FROM = 5
const NAMES_OF_EACH = 20
/** Minimum number of records that share a name for it to link them; the maximum is that of the graph. */
const HELD_MIN = 2
const HELD_MAX = 256
/**
 * Variants of candidate ranking: source of the corpus statistics, and a second search for the names of the best
 * records.
 */
const WAYS = [
  { name: 'counts of their own', isCounted: false, isWalked: false },
  { name: 'counts of the scope', isCounted: true, isWalked: false },
  { name: 'and names of the best', isCounted: true, isWalked: true },
]
const PERCENT = 100

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sets: { type: 'string' },
    questions: { type: 'string', default: '150' },
    records: { type: 'string' },
    limits: { type: 'string', default: '100,300,1000' },
  },
})
const questionsMax = Number(values.questions)
const limits = values.limits.split(',').map(Number)
if (values.records) await measureMadeUp(Number(values.records))
else for (const found of findSets(positionals[0], values.sets?.split(',') ?? [])) await measureFound(found)

/** @typedef {import('./sandbox.mjs').Sandbox} Sandbox */
/** @typedef {import('./sandbox.mjs').Graph} Graph */
/** @typedef {{ question: any, times: any, gold?: ReadonlyMap<number, number> }} Read */
/** @typedef {import('./candidate-index.mjs').Opened} Opened */

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
    const before = bytesOf(folder)
    const kept = await keepCounts(sandbox, folder)
    console.log(`  counts: ${kept.count} in ${((bytesOf(folder) - before) / MIB).toFixed(1)} MiB`)
    for (const way of WAYS) {
      for (const limit of limits) await measureLimit(opened, { sandbox, kept, read, whole, limit, scoreOf, way })
    }
    await measureChanges(opened, { sandbox, read })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** @typedef {{ sandbox: Sandbox, kept: Awaited<ReturnType<typeof keepCounts>>, read: Read[],
 *   whole: { id: string }[][], limit: number, way: typeof WAYS[number],
 *   scoreOf(lists: { id: string }[][]): string }} Measuring */

/** Finds candidates with the index and ranks them. Measures the total time. */
async function measureLimit(
  /** @type {Opened} */ opened,
  /** @type {Measuring} */ { sandbox, kept, read, whole, limit, way, scoreOf },
) {
  /** @type {number[][]} */
  const [allMs, found] = [[], []]
  const lists = []
  const spent = []
  for (const [at, { question, times }] of read.entries()) {
    const counts = way.isCounted ? kept.open() : undefined
    const rank = async (/** @type {Graph} */ graph, /** @type {number} */ count) => {
      const ranked = () => graph.rank(question, null, count, times)
      return counts ? await counts.settle(graph, ranked) : ranked()
    }
    const fromMs = performance.now()
    let ids = await opened.search(wordsAsked(question), limit, 'live')
    let graph = graphOf(opened, sandbox, ids, counts?.of)
    if (counts && way.isWalked) {
      const best = (await rank(graph, WALKED_FROM)).flatMap(({ id }) => opened.byId.get(id) ?? [])
      const leading = () => best.flatMap(({ keys }) => namesLeading(keys, counts.of()))
      const names = new Set(await counts.settle(graph, leading))
      const beside = await opened.search([...names].map(nameWord).join(' '), limit, 'live')
      ids = [...new Set([...ids, ...beside])]
      graph = graphOf(opened, sandbox, ids, counts.of)
    }
    lists.push(await rank(graph, TOP))
    allMs.push(performance.now() - fromMs)
    if (counts) spent.push(counts.spent())
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
    `  ${way.name}, ${limit}`.padEnd(35),
    scoreOf(lists).padEnd(16),
    `${shownMs(allMs)}, ${figures}${way.isCounted ? `; ${shownSpent(spent)}` : ''}`,
  )
}

/** Returns the names of a record that link to other records, rarest first. */
function namesLeading(
  /** @type {readonly number[]} */ keys,
  /** @type {import('@cairnstore/engine/rank').ScopeCounts} */ counts,
) {
  return keys
    .map((key) => ({ key, ...counts.key(key) }))
    .filter(({ degree, nameLike, isDeclared }) => {
      const isName = isDeclared || nameLike >= HELD_MIN
      return isName && degree >= HELD_MIN && degree <= HELD_MAX
    })
    .sort((one, other) => one.degree - other.degree)
    .slice(0, NAMES_OF_EACH)
    .map(({ key }) => key)
}

/** Measures searches within a scope, with rows outside the index, and with deleted rows. */
async function measureChanges(
  /** @type {Opened} */ { table, search, byId },
  /** @type {{ sandbox: Sandbox, read: Read[] }} */ { read },
) {
  const limit = limits[0] ?? 0
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

function mean(/** @type {number[]} */ values) {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
}

function percent(/** @type {number} */ share) {
  return (PERCENT * share).toFixed(1)
}

function shownSpent(/** @type {{ asked: number, rounds: number, readMs: number }[]} */ spent) {
  const asked = mean(spent.map((each) => each.asked)).toFixed(0)
  const rounds = mean(spent.map((each) => each.rounds)).toFixed(1)
  const { p50, p95 } = quantiles(spent.map(({ readMs }) => readMs))
  return `${asked} counts in ${rounds} readings, p50 ${p50.toFixed(1)} p95 ${p95.toFixed(1)} ms`
}

function shownMs(/** @type {number[]} */ spent) {
  const { p50, p95 } = quantiles(spent)
  return `p50 ${p50.toFixed(1)} p95 ${p95.toFixed(1)} ms`
}
