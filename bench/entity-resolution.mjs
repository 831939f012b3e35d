// Measures unsupervised record linkage. Every set is ingested as records through the HTTP API with the same settings,
// and the resulting entities are read from the export.
// Usage: npm run bench:er -- DIR, where DIR holds the sets.
import { existsSync } from 'node:fs'
import { client, makeSandbox, startCairn, waitForJob } from './cairn-process.mjs'
import { readSets } from './er-sets.mjs'
import { tfidfPairs } from './er-tfidf.mjs'
import { vetoedTogether } from './er-vetoes.mjs'

const FLOOR_COSINES = [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7, 0.8]
const SETTLE_POLL_MS = 500
const SETTLE_MS_MAX = 1_800_000

const folder = process.argv[2]
const only = process.argv[3]
if (!folder || !existsSync(folder)) {
  console.error('Usage: npm run bench:er -- DIR [part of a set’s name]\nDIR must hold sets for entity resolution.')
  process.exit(1)
}
const sets = readSets(folder).filter(({ name }) => !only || name.includes(only))
if (sets.length === 0) {
  console.error(`${folder} holds no set that is known.`)
  process.exit(1)
}

const cairn = await startCairn()
const call = client(cairn)
try {
  const head = [
    'set'.padEnd(24),
    'things',
    'precision',
    'where labels see',
    'recall',
    '   F1',
    'F1 test',
    'wrong',
    'unknown',
    'vetoed',
    'suggested',
    'of them wrong',
    'F1 accepted',
    'published',
    'TF-IDF',
    'seconds',
  ]
  console.log(head.join('  '))
  for (const set of sets) await measure(set)
} finally {
  await cairn.stop()
}

/** @param {import('./er-sets.mjs').Set} set */
async function measure(set) {
  const sandbox = await makeSandbox(call, set.name)
  const startedAt = performance.now()
  const ids = new Map()
  for (const table of set.tables) {
    const source = await call('POST', `${sandbox.storage}/sources`, { provider: 'bench', name: table.name })
    const lines = table.records.map(({ id, title, ...properties }) =>
      JSON.stringify({ external_id: id, type: set.type, title, properties }),
    )
    const path = `${sandbox.storage}/sources/${source.data_source_id}/records`
    await waitForJob(call, sandbox.storage, (await call('POST', path, lines.join('\n'))).job_id)
    ids.set(source.data_source_id, table.name)
  }
  await settled(sandbox)
  const seconds = (performance.now() - startedAt) / 1000
  const entities = await groupsOf(sandbox, ids)
  const groups = entities.map(([, members]) => members)
  const merged = [...pairsOf(groups)]
  const found = compare(set, merged)
  const seen = whereLabelsSee(set, merged)
  const suggested = await suggestedPairs(set, sandbox, entities)
  const proposed = compare(set, suggested)
  const accepted = 2 * (found.right + proposed.right)
  const floor = bestFloor(set)
  const share = (value) => (Number.isFinite(value) ? value.toFixed(4) : '-')
  const things = set.tables.reduce((sum, table) => sum + table.records.length, 0)
  const cells = [
    set.name.padEnd(24),
    String(things).padStart(6),
    share(found.precision).padStart(9),
    share(seen.precision).padStart(16),
    share(found.recall).padStart(6),
    share(found.f1),
    (set.split ? share(found.testF1) : '').padStart(7),
    share(1 - found.precision).padStart(6),
    String(merged.length - seen.pairs).padStart(7),
    String(vetoedTogether(set, groups)).padStart(6),
    String(proposed.right + proposed.wrong).padStart(9),
    String(proposed.wrong).padStart(13),
    share(accepted / (found.right + found.wrong + proposed.right + set.gold.size)).padStart(11),
    set.published.padStart(9),
    share(floor).padStart(6),
    seconds.toFixed(1).padStart(7),
  ]
  console.log(cells.join('  '))
}

/** Returns the F1 of the TF-IDF baseline at the threshold that is best for the labels, which a user would not know. */
function bestFloor(set) {
  const pairs = tfidfPairs(set)
  const scores = FLOOR_COSINES.map((min) => {
    const found = compare(
      set,
      pairs.filter(({ cosine }) => cosine >= min).map(({ pair }) => pair),
    )
    return set.split ? found.testF1 : found.f1
  })
  return Math.max(...scores.filter(Number.isFinite))
}

/** Waits until record linkage has processed everything. */
async function settled({ storage }) {
  const until = performance.now() + SETTLE_MS_MAX
  while (performance.now() < until) {
    const { resolution } = await call('GET', `${storage}/entities?limit=1`)
    if (resolution === 'settled') return
    await new Promise((resolve) => setTimeout(resolve, SETTLE_POLL_MS))
  }
  throw new Error('The things were not compared in time.')
}

/** Returns each entity's id with its mentions as `table|id`. */
async function groupsOf(sandbox, tables) {
  const text = await call('GET', `${sandbox.storage}/export`)
  const groups = new Map()
  for (const line of text.split('\n')) {
    if (!line) continue
    const { kind, source_id: source, external_id: id, canonical_ids: canonical } = JSON.parse(line)
    if (kind !== 'record') continue
    const [entity] = canonical
    groups.set(entity, [...(groups.get(entity) ?? []), `${tables.get(source)}|${id}`])
  }
  return [...groups]
}

/**
 * Returns the suggested pairs, with one mention of each entity: a correct pair if there is one, because a user is asked
 * about entities.
 */
async function suggestedPairs(set, { storage }, groups) {
  const members = new Map(groups)
  const pairs = []
  for (let cursor = ''; cursor !== undefined; ) {
    const page = await call('GET', `${storage}/merge-suggestions?limit=1000${cursor && `&cursor=${cursor}`}`)
    for (const { entities } of page.merge_suggestions) {
      const [ours, theirs] = entities.map(({ canonical_id: id }) => members.get(id) ?? [])
      const all = ours.flatMap((one) => theirs.map((other) => [one, other].sort().join('~')))
      const pair = all.find((each) => set.gold.has(each)) ?? all.find((each) => set.labels?.has(each)) ?? all[0]
      if (pair) pairs.push(pair)
    }
    cursor = page.next_cursor
  }
  return pairs
}

/**
 * Returns the precision over pairs that the labels cover: labeled pairs, here or in another set of the same entities,
 * and pairs with a mention that has a match. The labels say nothing about other pairs.
 */
function whereLabelsSee({ gold, labels, labelledElsewhere }, pairs) {
  const partnered = new Set([...gold].flatMap((pair) => pair.split('~')))
  const isRight = (pair) => gold.has(pair) || labelledElsewhere?.has(pair)
  const isSeen = (pair) => (labels ? labels.has(pair) : pair.split('~').some((thing) => partnered.has(thing)))
  const seen = pairs.filter((pair) => isRight(pair) || isSeen(pair))
  return { pairs: seen.length, precision: seen.filter(isRight).length / seen.length }
}

/** @param {string[][]} groups */
function* pairsOf(groups) {
  for (const group of groups) {
    const members = group.toSorted()
    for (let i = 0; i < members.length; i++) {
      for (let j = i + 1; j < members.length; j++) yield `${members[i]}~${members[j]}`
    }
  }
}

/**
 * Returns precision and recall over pairs. If a set labels only some pairs, the others do not count.
 * @param {import('./er-sets.mjs').Set} set
 * @param {Iterable<string>} pairs
 */
function compare({ gold, labels, split }, pairs) {
  let right = 0
  let wrong = 0
  const test = { right: 0, wrong: 0 }
  for (const pair of pairs) {
    const isTrue = gold.has(pair)
    if (!isTrue && labels && !labels.has(pair)) continue
    if (isTrue) right += 1
    else wrong += 1
    if (split?.get(pair) === 'test') test[isTrue ? 'right' : 'wrong'] += 1
  }
  const ofTest = split ? [...gold].filter((pair) => split.get(pair) === 'test').length : 0
  return {
    right,
    wrong,
    precision: right / (right + wrong),
    recall: right / gold.size,
    f1: f1(right, wrong, gold.size),
    testF1: f1(test.right, test.wrong, ofTest),
  }
}

function f1(right, wrong, all) {
  return (2 * right) / (right + wrong + all)
}
