import { FIELD_ROLES } from '../lexicon/work.ts'
import { normaliseType } from '../resolve/declarations.ts'
import type { ReadRecord } from '../resolve/record-content.ts'
import { oneLine } from '../text/characters.ts'
import { isDayOrMoment } from '../text/civil-date.ts'
import { isKnownType, nounsOfType, plural, singular } from '../text/kinds.ts'
import { CELL_UNITS, unitOf, withUnit } from './cell-units.ts'
import { type Cell, type Column, type ColumnKind, holdsTitles, type View, type ViewRow, wordsOf } from './plan.ts'
import { PHASE_COLUMN } from './query-parser/partial-parse.ts'

/** Maximum number of columns of a view. Further properties cannot be queried by name. */
const COLUMNS_MAX = 40
/** Maximum length of a value in characters. A longer text is prose and not a value. */
const VALUE_CHARS_MAX = 120
const TITLE_CHARS_MAX = 160
/** Minimum share of a column's texts that name entities of one type, for the column to contain entities. */
const ENTITY_SHARE = 0.8

/** An entity with the names that records in scope use for it. */
interface KnownEntity {
  type: string
  /** All names and logins, in words. */
  spellings: Set<string>
  /** First words of names with several words. Only people have them. */
  firstWords: Set<string>
  name: string
}

interface Entities {
  known: ReadonlyMap<string, KnownEntity>
  bySpelling: ReadonlyMap<string, string[]>
  people: View['people']
}

/** Yields to the event loop if a pause is due. */
type Pause = () => Promise<void> | undefined

/** Creates a typed view for each record type, from the contents of the records. Calls `pause` often. */
export async function buildViews(
  records: readonly ReadRecord[],
  names: ReadonlyMap<string, { name: string; type: string; aliases: string[] }>,
  pause: Pause,
): Promise<View[]> {
  const known = await knownEntities(records, names, pause)
  const byType = new Map<string, ReadRecord[]>()
  for (const record of records) addTo(byType, normaliseType(record.content.type), record)
  const views: View[] = []
  const types = new Set(byType.keys())
  for (const [type, own] of byType) views.push(await buildView(type, types, own, known, pause))
  return views
}

function addTo<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key)
  if (list) list.push(value)
  else lists.set(key, [value])
}

async function knownEntities(
  records: readonly ReadRecord[],
  names: ReadonlyMap<string, { name: string; type: string; aliases: string[] }>,
  pause: Pause,
): Promise<Entities> {
  const known = new Map<string, KnownEntity>()
  for (const [id, { name, type, aliases }] of names) {
    await pause()
    const spellings = new Set([name, ...aliases].map(joined).filter(Boolean))
    const firstWords = type === 'person' ? [...spellings].flatMap((each) => each.split(' ').slice(0, -1)[0] ?? []) : []
    known.set(id, { type, name, spellings, firstWords: new Set(firstWords) })
  }
  for (const { things } of records) {
    await pause()
    for (const { thing, entityId } of things) {
      const login = thing.given.identifiers.login
      for (const each of [login ?? []].flat()) known.get(entityId ?? '')?.spellings.add(joined(each))
    }
  }
  const bySpelling = new Map<string, string[]>()
  const people = { labels: new Map<string, string>(), spellings: new Map<string, Set<string>>() }
  for (const [id, { type, name, spellings, firstWords }] of known) {
    await pause()
    for (const spelling of spellings) addTo(bySpelling, spelling, id)
    if (type !== 'person') continue
    people.labels.set(id, name)
    for (const spelling of [...spellings, ...firstWords]) addSpelling(people.spellings, spelling, id)
  }
  return { known, bySpelling, people }
}

function addSpelling(spellings: Map<string, Set<string>>, words: string, cell: string): void {
  if (words) spellings.set(words, (spellings.get(words) ?? new Set()).add(cell))
}

function joined(text: string): string {
  return wordsOf(text).join(' ')
}

async function buildView(
  type: string,
  types: ReadonlySet<string>,
  records: readonly ReadRecord[],
  entities: Entities,
  pause: Pause,
): Promise<View> {
  const named = new Set(records.flatMap(({ content }) => Object.keys(content.properties ?? {})))
  named.delete(CELL_UNITS)
  const keys = [...named].slice(0, COLUMNS_MAX)
  const declared = declaredNames(keys)
  const occurred = records.map(({ content }) => timeOf(content.occurred_at))
  const columns: Column[] = [
    await authorColumn(records, entities.known, pause),
    { ...plainColumn('occurred_at', 'time', occurred), words: ['date'] },
  ]
  for (const key of keys) {
    await pause()
    const column = await propertyColumn(key, records, entities, pause)
    if (column) columns.push(column)
  }
  for (const name of declared) {
    await pause()
    const column = await propertyColumn(name, records.map(withDeclared), entities, pause)
    // Words for phases can also be words for states, which have priority.
    if (column) columns.push(name === PHASE_COLUMN ? { ...column, spellings: new Map() } : column)
  }
  const rows: ViewRow[] = []
  for (const { id, content, things } of records) {
    await pause()
    rows.push({
      recordId: id,
      citedId: things.find(({ thing }) => thing.role === 'own')?.entityId ?? id,
      externalId: content.external_id,
      title: titleOf(content.title ?? content.text ?? content.external_id),
      occurredAt: content.occurred_at ?? null,
    })
  }
  const nouns = [...nounsOf(type, types), ...titleNouns(columns, rows)]
  return { type, nouns, columns, rows, people: entities.people }
}

/** Returns the name of the column with the titles of the rows, in singular and plural. */
function titleNouns(columns: readonly Column[], rows: readonly ViewRow[]): string[][] {
  const titled = columns.filter((column) => holdsTitles(column, rows))
  return titled.flatMap(({ words }) => [words, [...words.slice(0, -1), plural(words.at(-1) ?? '')]])
}

/** Returns the declared fields that become columns: those whose usual names are not among the properties. */
function declaredNames(keys: readonly string[]): string[] {
  const known = new Set(keys.map((key) => key.toLowerCase()))
  const isDeclared = (names: readonly string[]) => names.some((name) => known.has(name))
  const others = { owner: FIELD_ROLES.owner, due: FIELD_ROLES.due, kind: ['kind'] }
  return [PHASE_COLUMN, ...Object.entries(others).flatMap(([name, names]) => (isDeclared(names) ? [] : [name]))].filter(
    (name) => !known.has(name),
  )
}

/** Returns a copy whose properties are the declared fields. */
function withDeclared(record: ReadRecord): ReadRecord {
  const { phase, owner, due, kind } = record.content
  const name = typeof owner === 'string' ? owner : owner?.name
  const properties = {
    ...(phase && { phase }),
    ...(name && { owner: name }),
    ...(due && { due }),
    ...(kind && { kind }),
  }
  return { ...record, content: { ...record.content, properties } }
}

/**
 * Returns the nouns for rows of a type, in singular and plural. A noun that is the name of another existing type is
 * left out.
 */
export function nounsOf(type: string, types: ReadonlySet<string>): string[][] {
  const nouns = nounsOfType(type).filter((noun) => {
    const named = noun.replaceAll(' ', '_')
    return named === type || !types.has(named)
  })
  return nouns.flatMap((noun) => {
    const words = wordsOf(noun)
    const last = words.at(-1) ?? ''
    const head = words.find((word) => singular(word))
    const single = head && singular(head)
    // Files are named in the plural, often with a period or a place: "jobs_q4", "orders_north".
    if (head && single && !types.has(single) && (head === type || !types.has(head))) return [[single], [head], words]
    const isHeadShared = words.length < 2 || isKnownType(type) || [...types].some((other) => isNamedAfter(other, last))
    const heads = isHeadShared ? [] : [[last], [plural(last)]]
    return [words, [...words.slice(0, -1), plural(last)], ...heads]

    function isNamedAfter(other: string, noun: string): boolean {
      return other !== type && (other === noun || other.endsWith(`_${noun}`))
    }
  })
}

/** Returns a text as one short line for display. A text that is already one short line is unchanged. */
export function titleOf(text: string): string {
  const line = oneLine(text.slice(0, 4 * TITLE_CHARS_MAX))
  return line.length <= TITLE_CHARS_MAX ? line : `${line.slice(0, TITLE_CHARS_MAX - 1)}…`
}

function plainColumn(name: string, kind: ColumnKind, cells: readonly Cell[]): Column {
  return { name, words: wordsOf(name), kind, isPerson: false, labels: new Map(), spellings: new Map(), cells }
}

function authorColumn(
  records: readonly ReadRecord[],
  known: ReadonlyMap<string, KnownEntity>,
  pause: Pause,
): Promise<Column> {
  const authors = records.map(({ things }) => things.find(({ thing }) => thing.role === 'author'))
  const cells = authors.map((author, at) => {
    // A person's own record declares its author as the record itself and not as an author.
    const own = author ?? records[at]?.things.find(({ thing }) => thing.role === 'own' && thing.type === 'person')
    return own?.entityId ?? own?.thing.names[0]?.text ?? null
  })
  return textColumn({ ...plainColumn('author', 'text', cells), isPerson: true }, known, pause)
}

async function propertyColumn(
  key: string,
  records: readonly ReadRecord[],
  { known, bySpelling }: Entities,
  pause: Pause,
): Promise<Column | undefined> {
  const rawValues = records.map(({ content: { properties = {} } }) =>
    Object.hasOwn(properties, key) ? (properties[key] ?? null) : null,
  )
  const units = records.map(({ content }) => unitOf(content.properties, key))
  const [unit, ...others] = new Set(units.filter((each) => each !== undefined))
  // Numbers with different units must not be compared or added.
  const values = others.length > 0 ? rawValues.map((value, at) => withUnit(value, units[at])) : rawValues
  const kind = kindOf(values.filter((value) => value !== null))
  if (kind === undefined) return undefined
  const times = kind === 'time' ? values.map((value) => timeOf(value as string | null)) : undefined
  const isMeasured = kind === 'number' && unit !== undefined
  const column = { ...plainColumn(key, kind, times ?? (values as Cell[])), ...(isMeasured && { unit }) }
  if (kind === 'time' || kind === 'number' || kind === 'flag') return column
  const entities = await entitiesNamed(values.flat() as (string | null)[], known, bySpelling, pause)
  if (!entities) return textColumn(column, known, pause)
  const toId = (value: string) => entities.get(value) ?? value
  const cells = values.map(
    (value): Cell => (value === null ? null : [value].flat().map((each) => toId(each as string))),
  )
  const isPerson = [...entities.values()].some((id) => known.get(id)?.type === 'person')
  // The latest spelling is the current name of the entity.
  const latest = records.map(({ content }, at) => ({ at, time: content.occurred_at ?? '' }))
  latest.sort((one, other) => (one.time < other.time ? -1 : 1))
  const shown = new Map(
    latest.flatMap(({ at }) =>
      [values[at] ?? []].flat().map((each) => [toId(each as string), each as string] as const),
    ),
  )
  const single = (cell: Cell): Cell => (cell as string[] | null)?.[0] ?? null
  return textColumn({ ...column, isPerson, cells: kind === 'list' ? cells : cells.map(single) }, known, pause, shown)
}

function kindOf(values: readonly unknown[]): ColumnKind | undefined {
  const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= VALUE_CHARS_MAX
  if (values.length === 0) return undefined
  if (values.every((value) => typeof value === 'number')) return 'number'
  if (values.every((value) => typeof value === 'boolean')) return 'flag'
  if (values.every((value) => isText(value) && timeOf(value) !== null)) return 'time'
  if (values.every(isText)) return 'text'
  return values.every((value) => Array.isArray(value) && value.every(isText)) ? 'list' : undefined
}

function timeOf(value: string | null | undefined): number | null {
  if (!value || !isDayOrMoment(value)) return null
  const ms = Date.parse(value)
  return Number.isNaN(ms) ? null : ms
}

/** Returns the entity that each text names, if nearly all of them name entities of one type. */
async function entitiesNamed(
  values: readonly (string | null)[],
  known: ReadonlyMap<string, KnownEntity>,
  bySpelling: ReadonlyMap<string, string[]>,
  pause: Pause,
): Promise<Map<string, string> | undefined> {
  const texts = [...new Set(values.filter((value) => value !== null))]
  const byType = new Map<string, Map<string, string>>()
  for (const text of texts) {
    await pause()
    const ids = bySpelling.get(joined(text)) ?? []
    for (const type of new Set(ids.map((id) => known.get(id)!.type))) {
      const ofType = ids.filter((id) => known.get(id)!.type === type)
      if (ofType.length !== 1) continue
      const found = byType.get(type) ?? new Map<string, string>()
      byType.set(type, found.set(text, ofType[0]!))
    }
  }
  const best = [...byType.values()].sort((one, other) => other.size - one.size)[0]
  return best && best.size >= texts.length * ENTITY_SHARE ? best : undefined
}

async function textColumn(
  column: Column,
  known: ReadonlyMap<string, KnownEntity>,
  pause: Pause,
  shown: ReadonlyMap<string, string> = new Map(),
): Promise<Column> {
  const labels = new Map<string, string>()
  const spellings = new Map<string, Set<string>>()
  const spell = (words: string, cell: string) => addSpelling(spellings, words, cell)
  for (const cell of new Set(column.cells.flat())) {
    await pause()
    if (typeof cell !== 'string') continue
    const entity = known.get(cell)
    const text = entity && column.isPerson ? entity.name : (shown.get(cell) ?? entity?.name ?? cell)
    labels.set(cell, text.replaceAll('_', ' '))
    spell(joined(text), cell)
    // A path is also known by its last segment.
    if (text.includes('/')) spell(joined(text.slice(text.lastIndexOf('/') + 1)), cell)
    for (const spelling of entity?.spellings ?? []) spell(spelling, cell)
    for (const first of entity?.firstWords ?? []) spell(first, cell)
  }
  return { ...column, labels, spellings }
}
