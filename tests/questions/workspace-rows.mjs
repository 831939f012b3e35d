import { readFileSync } from 'node:fs'

const FILES = ['chat', 'code-host', 'tracker']
const folder = new URL('../../examples/workspace/', import.meta.url)

/** Each person by every email, login and name that the example's records write. */
const PEOPLE = {
  'Ingrid Solberg': ['ingrid@norhaven.example', 'ingrid'],
  'Priya Raman': ['priya.raman@norhaven.example', 'praman'],
  'Alexander Lindqvist': ['alex.lindqvist@norhaven.example', 'alindq'],
  'Alexandra Okafor': ['alex.okafor@norhaven.example', 'lexokafor', 'okafor'],
  'Tomas Brandao': ['tomas.brandao@norhaven.example', 'tbrandao'],
  'Yuki Tanabe': ['yuki.tanabe@norhaven.example', 'yuki@tanabe.example', 'yukitanabe-dev'],
  'Fatima El Amin': ['fatima.elamin@norhaven.example', 'felamin'],
  'Marek Dvořák': ['marek.dvorak@norhaven.example', 'marek.d'],
  'Joost Hendriks': ['joost.hendriks@norhaven.example'],
  'Samantha Whitlock': ['sam.whitlock@norhaven.example', 'samw'],
  'Bamidele Adeyemi': ['dele.adeyemi@norhaven.example', 'bamidele-a'],
  Lookout: ['lookout-bot'],
}
const nameOf = new Map(Object.entries(PEOPLE).flatMap(([name, ids]) => [name, ...ids].map((id) => [id, name])))

const records = FILES.flatMap((file) =>
  readFileSync(new URL(`${file}.ndjson`, folder), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line)),
)

/** Rows of one type: properties beside `id`, `at` (when it was made), `by` (the author) and `about` (declared names). */
function rows(type) {
  return records
    .filter((record) => record.type === type)
    .map((record) => ({
      ...record.properties,
      id: record.external_id,
      at: record.occurred_at,
      by: nameOf.get(record.author.identifiers.email) ?? nameOf.get(record.author.identifiers.login),
      mergedBy: nameOf.get(record.properties?.merged_by),
      repository: record.properties?.repository?.split('/')[1],
      labels: record.properties?.labels ?? [],
      // The project had two names, one after the other.
      project: record.properties?.project === 'Customer Portal' ? 'Harbour' : record.properties?.project,
    }))
}

/** The example workspace as plain rows. */
export const workspace = {
  messages: rows('message'),
  issues: rows('issue'),
  pulls: rows('pull_request'),
  reviews: rows('review'),
  commits: rows('commit'),
  comments: rows('comment'),
  people: rows('user'),
  projects: rows('project'),
  cycles: rows('cycle'),
  updates: rows('project_update'),
}

/** Whether a moment or day lies within two days, both included. */
export const within = (moment, from, to = from) => moment?.slice(0, 10) >= from && moment?.slice(0, 10) <= to

export const count = (list) => ({ value: list.length })
export const list = (found) => ({ ids: found.map((row) => row.id).sort() })

/** How many rows there are of each value; a list counts for each of its values. */
export function tally(found, by) {
  const counts = {}
  for (const row of found) {
    for (const name of [by(row)].flat()) if (name !== undefined) counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

export const groups = (found, by) => ({ groups: tally(found, by) })

/** The names with the most, or with the fewest, and how many these have. */
export function winners(counts, pick = Math.max) {
  const value = pick(...Object.values(counts))
  return {
    best: Object.keys(counts)
      .filter((name) => counts[name] === value)
      .sort(),
    value,
  }
}

export const most = (found, by) => winners(tally(found, by))
export const fewest = (found, by) => winners(tally(found, by), Math.min)

/** The rows whose value is the greatest, or the least. */
export function extreme(found, of, isGreatest = true) {
  const known = found.filter((row) => of(row) !== undefined)
  const values = known.map(of).sort((one, other) => (one < other ? -1 : 1))
  const value = isGreatest ? values.at(-1) : values[0]
  return {
    ids: known
      .filter((row) => of(row) === value)
      .map((row) => row.id)
      .sort(),
  }
}

export const sum = (found, of) => ({ value: found.reduce((total, row) => total + (of(row) ?? 0), 0) })
export function average(found, of) {
  const values = found.map(of).filter((value) => value !== undefined)
  return { value: values.reduce((total, value) => total + value, 0) / values.length }
}
