import { readFileSync } from 'node:fs'

const FILES = ['chat', 'code-host', 'tracker']
const folder = new URL('../../examples/workspace/', import.meta.url)

/** All emails, logins and names of each person in the example's records. */
const PEOPLE = {
  'Ingrid Solberg': ['ingrid@norhaven.example', 'ingrid'],
  'Priya Raman': ['priya.raman@norhaven.example', 'praman'],
  'Alexander Lindqvist': ['alex.lindqvist@norhaven.example', 'alindq'],
  'Alexandra Okafor': ['alex.okafor@norhaven.example', 'lexokafor', 'okafor'],
  'Tomas Brandao': ['tomas.brandao@norhaven.example', 'tbrandao'],
  'Yuki Tanabe': ['yuki.tanabe@norhaven.example', 'yuki@tanabe.example', 'yukitanabe-dev'],
  'Fatima El Amin': ['fatima.elamin@norhaven.example', 'felamin'],
  'Marek Dvořák': ['marek.dvorak@norhaven.example', 'marek.d', 'Marek (dispatch)'],
  'Joost Hendriks': ['joost.hendriks@norhaven.example'],
  'Samantha Whitlock': ['sam.whitlock@norhaven.example', 'samw'],
  'Bamidele Adeyemi': ['dele.adeyemi@norhaven.example', 'bamidele-a'],
  Lookout: ['lookout-bot'],
}
/** Counted name of each person, by every spelling. */
export const nameOf = new Map(Object.entries(PEOPLE).flatMap(([name, ids]) => [name, ...ids].map((id) => [id, name])))

const records = FILES.flatMap((file) =>
  readFileSync(new URL(`${file}.ndjson`, folder), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line)),
)

/** A record of the example as a flat row: its properties plus `id`, `at` (creation time) and `by` (author). */
export interface Row {
  id: string
  at: string
  by: string | undefined
  mergedBy: string | undefined
  labels: string[]
  repository: string | undefined
  project: string | undefined
  channel: string
  state: string
  priority: string
  team: string
  verdict: string
  health: string
  assignee?: string
  cycle?: string
  issue?: string
  due_date?: string
  completed_at?: string
  merged_at?: string
  estimate?: number
  additions: number
  deletions: number
}

function rows(type: string): Row[] {
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
      // The project was renamed.
      project: record.properties?.project === 'Customer Portal' ? 'Harbour' : record.properties?.project,
    }))
}

/** The example workspace as flat rows. */
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

type Found = readonly Row[]
type Of<T> = (row: Row) => T

/** Expected answer: a number, external ids of rows, numbers by name, or the names with the most. */
export interface Expected {
  value?: number
  ids?: string[]
  groups?: Record<string, number>
  best?: string[]
}

/** The answer, then three wordings of the question. */
export type RowQuestion = [Expected, string, string, string]

/** Returns true if a time or day is within two days, both included. */
export function within(moment: string | undefined, from: string, to = from): boolean {
  return moment !== undefined && moment.slice(0, 10) >= from && moment.slice(0, 10) <= to
}

export const count = (list: Found): Expected => ({ value: list.length })
export const list = (found: Found): Expected => ({ ids: found.map((row) => row.id).sort() })

/** Counts rows by value; a list counts for each of its values. */
export function tally(found: Found, by: Of<string | string[] | undefined>): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const row of found) {
    for (const name of [by(row)].flat()) if (name !== undefined) counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

export const groups = (found: Found, by: Of<string | string[] | undefined>): Expected => ({ groups: tally(found, by) })

/** Returns the names with the highest or lowest count, and that count. */
export function winners(counts: Record<string, number>, pick = Math.max): Expected {
  const value = pick(...Object.values(counts))
  const best = Object.keys(counts).filter((name) => counts[name] === value)
  return { best: best.sort(), value }
}

export const most = (found: Found, by: Of<string | undefined>): Expected => winners(tally(found, by))
export const fewest = (found: Found, by: Of<string | undefined>): Expected => winners(tally(found, by), Math.min)

/** Returns the rows with the greatest or least value. */
export function extreme(found: Found, of: Of<string | number | undefined>, isGreatest = true): Expected {
  const known = found.flatMap((row) => {
    const value = of(row)
    return value === undefined ? [] : [{ id: row.id, value }]
  })
  const values = known.map(({ value }) => value).sort((one, other) => (one < other ? -1 : 1))
  const wanted = isGreatest ? values.at(-1) : values[0]
  const ids = known.filter(({ value }) => value === wanted).map(({ id }) => id)
  return { ids: ids.sort() }
}

export function sum(found: Found, of: Of<number | undefined>): Expected {
  return { value: found.reduce((total, row) => total + (of(row) ?? 0), 0) }
}

export function average(found: Found, of: Of<number | undefined>): Expected {
  const values = found.flatMap((row) => of(row) ?? [])
  return { value: values.reduce((total, value) => total + value, 0) / values.length }
}
