// Public record linkage data sets as tables of mentions with their matching pairs.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

/**
 * @typedef {{ id: string, title: string } & Record<string, unknown>} Thing
 * @typedef {{
 *   name: string, type: string, tables: { name: string, records: Thing[] }[], gold: globalThis.Set<string>,
 *   labels?: globalThis.Set<string>, split?: Map<string, string>, published: string, floor: number,
 *   labelledElsewhere?: globalThis.Set<string>
 * }} Set
 */

/** Two tables with all matching pairs: folder, type, name field, and published results. */
const WHOLE = [
  { folder: 'ccer/D1-restaurants', type: 'restaurant', name: 'name', published: '-' },
  { folder: 'ccer/D2-abt-buy', type: 'product', name: 'name', published: '.947' },
  { folder: 'ccer/D3-amazon-google', type: 'product', name: 'title', published: '-' },
  { folder: 'ccer/D4-dblp-acm', type: 'paper', name: 'title', published: '.96' },
]
/** Two tables, or pairs of them, with labels for some pairs. */
const LABELLED = [
  { folder: 'deepmatcher/beer', type: 'beer', name: 'Beer_Name', published: '-' },
  { folder: 'deepmatcher/fodors-zagats', type: 'restaurant', name: 'name', published: '1.00' },
  { folder: 'deepmatcher/dblp-acm', type: 'paper', name: 'title', published: '.96' },
]
/** Fields that contain the label. */
const LABELS = new Set(['class', 'Entity Id', 'rec_id'])

/** @param {string} folder @returns {Set[]} */
export function readSets(folder) {
  const sets = []
  for (const each of WHOLE) if (existsSync(join(folder, each.folder))) sets.push(readWhole(folder, each))
  for (const each of LABELLED) if (existsSync(join(folder, each.folder))) sets.push(readLabelled(folder, each))
  const [here, elsewhere] = ['D1-restaurants', 'deepmatcher fodors-zagats'].map((name) =>
    sets.find((set) => set.name === name),
  )
  if (here && elsewhere) here.labelledElsewhere = labelledElsewhere(here, elsewhere)
  if (existsSync(join(folder, 'dirty/cora'))) sets.push(readCora(folder))
  for (const [number, published] of [
    ['1', '-'],
    ['3', '.994'],
  ]) {
    if (existsSync(join(folder, `febrl/dataset${number}.jsonl.gz`))) sets.push(readFebrl(folder, number, published))
  }
  return sets
}

function lines(path) {
  const found = existsSync(path) ? readFileSync(path) : gunzipSync(readFileSync(`${path}.gz`))
  return found.toString('utf8').split('\n').filter(Boolean)
}

const objects = (path) => lines(path).map((line) => JSON.parse(line))

/** Converts a row to a mention. Its name becomes the title, and empty fields are dropped. */
function toThing(row, id, title) {
  const properties = Object.entries(row).filter(([key, value]) => !LABELS.has(key) && key !== 'id' && value !== '')
  const text = String(title ?? '').trim()
  // A mention needs a name; the other fields replace a missing one.
  const called = text || properties.map(([, value]) => value).join(' ')
  return { ...Object.fromEntries(properties), id, title: called.slice(0, 2048) }
}

const without = (row, field) => Object.fromEntries(Object.entries(row).filter(([key]) => key !== field))

/** Returns a row with the ontology prefix removed from its field names. */
const withoutOntology = (row) =>
  Object.fromEntries(Object.entries(row).map(([key, value]) => [key.split('#').at(-1), value]))

function readWhole(folder, { folder: at, type, name, published }) {
  const table = (letter) => ({
    name: letter,
    records: objects(join(folder, at, `${letter}.jsonl`))
      .map(withoutOntology)
      .map((row) => toThing(without(row, name), row.id, row[name])),
  })
  const gold = new Set(
    lines(join(folder, at, 'gold.tsv'))
      .slice(1)
      .map((line) => pairOf(...line.split('\t'))),
  )
  return { name: at.split('/')[1], type, tables: [table('A'), table('B')], gold, published }
}

const pairOf = (one, other) => `A|${one}~B|${other}`

function readLabelled(folder, { folder: at, type, name, published }) {
  const path = join(folder, at)
  const { tables, pairs } = existsSync(join(path, 'pairs.tsv')) ? readTables(path, name) : readPairs(path, name)
  const set = { name: at.replace('/', ' '), type, tables, published }
  return {
    ...set,
    gold: new Set(pairs.filter(({ label }) => label === 1).map(({ pair }) => pair)),
    labels: new Set(pairs.map(({ pair }) => pair)),
    split: new Map(pairs.map(({ pair, split }) => [pair, split])),
  }
}

function readTables(path, name) {
  const table = (letter) => ({
    name: letter,
    records: objects(join(path, `table${letter}.jsonl`)).map((row) => toThing(without(row, name), row.id, row[name])),
  })
  const pairs = lines(join(path, 'pairs.tsv'))
    .slice(1)
    .map((line) => {
      const [split, one, other, label] = line.split('\t')
      return { split, pair: pairOf(one, other), label: Number(label) }
    })
  return { tables: [table('A'), table('B')], pairs }
}

/** Reads pairs of rows without ids. Equal rows of a side are one mention. */
function readPairs(path, name) {
  const sides = { a: new Map(), b: new Map() }
  const idOf = (side, row) => {
    const text = JSON.stringify(row)
    if (!sides[side].has(text)) sides[side].set(text, { row, id: String(sides[side].size) })
    return sides[side].get(text).id
  }
  const pairs = objects(join(path, 'pairs.jsonl')).map(({ split, a, b, label }) => ({
    split,
    pair: pairOf(idOf('a', a), idOf('b', b)),
    label,
  }))
  const table = (side) => ({
    name: side.toUpperCase(),
    records: [...sides[side].values()].map(({ row, id }) => toThing(without(row, name), id, row[name])),
  })
  return { tables: [table('a'), table('b')], pairs }
}

function readCora(folder) {
  const records = objects(join(folder, 'dirty/cora/records.jsonl')).map((row) =>
    toThing(without(row, 'title'), row['Entity Id'], row.title),
  )
  const gold = new Set(
    lines(join(folder, 'dirty/cora/gold.tsv'))
      .slice(1)
      .map((line) => within(...line.split('\t'))),
  )
  return { name: 'cora', type: 'citation', tables: [{ name: 'A', records }], gold, published: '-' }
}

/**
 * Returns the pairs that the labels of a related set confirm. Both sets were made from the same guides, and a
 * restaurant is identified by name and telephone.
 */
function labelledElsewhere(here, elsewhere) {
  const signs = (text) => text.toLowerCase().replace(/[^a-z0-9]/g, '')
  const keyOf = ({ title, phone, phone_number: number }) => `${signs(title)} ${signs(String(phone ?? number))}`
  const keys = new Map(
    elsewhere.tables.flatMap(({ name, records }) => records.map((thing) => [`${name}|${thing.id}`, keyOf(thing)])),
  )
  const one = new Set(
    [...elsewhere.gold].map((pair) =>
      pair
        .split('~')
        .map((id) => keys.get(id))
        .join('~'),
    ),
  )
  const [ours, theirs] = here.tables.map(({ name, records }) =>
    records.filter((thing) => thing.phone_number).map((thing) => ({ id: `${name}|${thing.id}`, key: keyOf(thing) })),
  )
  const isOne = (a, b) => one.has(`${a.key}~${b.key}`) || one.has(`${b.key}~${a.key}`)
  return new Set(ours.flatMap((a) => theirs.filter((b) => isOne(a, b)).map((b) => `${a.id}~${b.id}`)))
}

const within = (one, other) => [`A|${one}`, `A|${other}`].sort().join('~')

function readFebrl(folder, number, published) {
  const rows = objects(join(folder, `febrl/dataset${number}.jsonl`))
  const records = rows.map((row) => toThing(row, row.rec_id, `${row.given_name} ${row.surname}`))
  const persons = new Map()
  for (const { rec_id: id } of rows) {
    const person = id.split('-')[1]
    persons.set(person, [...(persons.get(person) ?? []), id])
  }
  const gold = new Set()
  for (const ids of persons.values()) {
    for (const [at, one] of ids.entries()) for (const other of ids.slice(at + 1)) gold.add(within(one, other))
  }
  return { name: `febrl dataset${number}`, type: 'person', tables: [{ name: 'A', records }], gold, published }
}
