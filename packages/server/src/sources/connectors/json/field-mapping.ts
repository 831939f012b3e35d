import { isObject, moment } from '../pick.ts'
import { type Entity, entity, type MappedRecord, type RelationDraft, toRecord, withdrawal } from '../to-record.ts'

/** Source of a value: a path, or a constant for every record. */
type ValueSource = string | { value: string | number | boolean }

/** Source of an entity: a path to its name, or its parts. */
type EntityFields =
  | string
  | {
      type?: ValueSource
      name: ValueSource
      aliases?: ValueSource
      identifiers?: Record<string, ValueSource>
      /** Path to the list that the other paths start from. */
      each?: string
    }

/** `mapping` in adapter_config. Paths start at one record; `records` is the path to the records in the body. */
export interface FieldMapping {
  records?: string
  external_id: ValueSource
  type?: ValueSource
  title?: ValueSource
  text?: ValueSource
  url?: ValueSource
  occurred_at?: ValueSource
  updated_at?: ValueSource
  author?: EntityFields
  participants?: EntityFields | EntityFields[]
  entities?: EntityFields | EntityFields[]
  relations?: { subject: EntityFields; predicate: ValueSource; object: EntityFields }[]
  properties?: Record<string, ValueSource>
  /** Path to a true value, or to one of these values, if the record was deleted. */
  deleted?: string | { path: string; equals: unknown[] }
}

const FIELDS = ['external_id', 'type', 'title', 'text', 'url', 'occurred_at', 'updated_at'] as const
const ENTITY_FIELDS = ['author', 'participants', 'entities'] as const
const KNOWN = new Set<string>(['records', ...FIELDS, ...ENTITY_FIELDS, 'relations', 'properties', 'deleted'])

/** Returns a sentence about the first error in a mapping, without its values; undefined if there is none. */
export function mappingProblem(mapping: unknown): string | undefined {
  if (!isObject(mapping)) return 'mapping must be an object.'
  const unknown = Object.keys(mapping).some((key) => !KNOWN.has(key))
  if (unknown) return `mapping may have ${[...KNOWN].join(', ')}.`
  if (mapping.records !== undefined && !isPath(mapping.records)) return 'mapping.records must be a path.'
  if (mapping.external_id === undefined) return 'mapping.external_id is required.'
  for (const name of FIELDS) {
    if (mapping[name] !== undefined && !isField(mapping[name])) return `mapping.${name} must be a path or {"value": …}.`
  }
  for (const name of ENTITY_FIELDS) {
    const wrong = [mapping[name] ?? []].flat().some((one) => !isEntityFields(one))
    if (wrong) return `mapping.${name} must be a path to a name, or {"name": …, "identifiers": {…}}.`
  }
  if (!isRecordOf(mapping.properties, isField)) return 'mapping.properties must be an object of paths.'
  if (!isRelations(mapping.relations)) return 'mapping.relations must be a list of {"subject", "predicate", "object"}.'
  return isDeletion(mapping.deleted) ? undefined : 'mapping.deleted must be a path or {"path": …, "equals": […]}.'
}

function isRelations(value: unknown): boolean {
  if (value === undefined) return true
  const isRelation = (one: unknown) =>
    isObject(one) && isEntityFields(one.subject) && isField(one.predicate) && isEntityFields(one.object)
  return Array.isArray(value) && value.every(isRelation)
}

function isDeletion(value: unknown): boolean {
  return value === undefined || isPath(value) || (isObject(value) && isPath(value.path) && Array.isArray(value.equals))
}

function isEntityFields(value: unknown): boolean {
  if (typeof value === 'string') return isPath(value)
  return (
    isObject(value) &&
    isField(value.name) &&
    (value.type === undefined || isField(value.type)) &&
    (value.aliases === undefined || isField(value.aliases)) &&
    (value.each === undefined || isPath(value.each)) &&
    isRecordOf(value.identifiers, isField)
  )
}

function isRecordOf(value: unknown, isGood: (value: unknown) => boolean): boolean {
  return value === undefined || (isObject(value) && Object.values(value).every(isGood))
}

function isField(value: unknown): boolean {
  return isPath(value) || (isObject(value) && ['string', 'number', 'boolean'].includes(typeof value.value))
}

/** Returns true if a value is a path into JSON. */
export function isPath(value: unknown): boolean {
  return typeof value === 'string' && stepsOf(value) !== undefined
}

/** Returns the records that a mapping finds in a body. */
export function mapFields(mapping: FieldMapping, body: unknown): MappedRecord[] {
  const found = mapping.records === undefined ? [body] : valuesAt(body, mapping.records)
  return found.flat().flatMap((item) => recordOf(mapping, item) ?? [])
}

function recordOf(mapping: FieldMapping, item: unknown): MappedRecord | undefined {
  const id = textAt(item, mapping.external_id)
  if (id === undefined) return undefined
  const type = textAt(item, mapping.type) ?? 'record'
  const asOf = moment(textAt(item, mapping.updated_at))
  if (isDeleted(mapping.deleted, item)) return withdrawal(id, type, asOf)
  return toRecord({
    externalId: id,
    type,
    title: textAt(item, mapping.title),
    text: textAt(item, mapping.text),
    url: textAt(item, mapping.url),
    occurredAt: moment(textAt(item, mapping.occurred_at)),
    asOf,
    author: entitiesAt(item, mapping.author, 'person')[0],
    participants: entitiesAt(item, mapping.participants, 'person'),
    entities: entitiesAt(item, mapping.entities, 'topic'),
    relations: (mapping.relations ?? []).flatMap((one) => relationsAt(item, one)),
    properties: Object.fromEntries(
      Object.entries(mapping.properties ?? {}).map(([name, field]) => [name, propertyAt(item, field)]),
    ),
  })
}

function relationsAt(item: unknown, fields: NonNullable<FieldMapping['relations']>[number]): RelationDraft[] {
  const predicate = textAt(item, fields.predicate)
  const [subject] = entitiesAt(item, fields.subject, 'topic')
  if (!predicate || !subject) return []
  return entitiesAt(item, fields.object, 'topic').map((object) => ({ subject, predicate, object }))
}

function isDeleted(deletion: FieldMapping['deleted'], item: unknown): boolean {
  if (deletion === undefined) return false
  if (typeof deletion === 'string') return valuesAt(item, deletion).some((value) => value !== false && value !== '')
  return valuesAt(item, deletion.path).some((value) => deletion.equals.includes(value))
}

function entitiesAt(item: unknown, fields: EntityFields | EntityFields[] | undefined, type: string): Entity[] {
  if (fields === undefined) return []
  return [fields].flat().flatMap((one) => {
    if (typeof one === 'string') {
      return valuesAt(item, one)
        .flat()
        .flatMap((name) => entity(type, shown(name)) ?? [])
    }
    const places = one.each === undefined ? [item] : valuesAt(item, one.each).flat()
    return places.flatMap((place) => entityAt(place, one, type) ?? [])
  })
}

function entityAt(place: unknown, fields: Exclude<EntityFields, string>, type: string): Entity | undefined {
  const identifiers = Object.entries(fields.identifiers ?? {}).map(([kind, field]) => [kind, textAt(place, field)])
  const aliases = fields.aliases === undefined ? [] : allAt(place, fields.aliases).map(shown)
  return entity(textAt(place, fields.type) ?? type, textAt(place, fields.name), Object.fromEntries(identifiers), {
    aliases,
  })
}

function allAt(item: unknown, field: ValueSource): unknown[] {
  return typeof field === 'string' ? valuesAt(item, field).flat() : [field.value]
}

/** Returns the texts at a path, one per line. */
function textAt(item: unknown, field: ValueSource | undefined): string | undefined {
  if (field === undefined) return undefined
  const lines = allAt(item, field).flatMap((value) => shown(value) ?? [])
  return lines.length > 0 ? lines.join('\n') : undefined
}

function propertyAt(item: unknown, field: ValueSource): unknown {
  const values = allAt(item, field)
  return values.length > 1 ? values : values[0]
}

function shown(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}

/** Maximum number of values that one path may match. */
const FOUND_MAX = 10_000
const PATH_CHARS_MAX = 512
const STEPS_MAX = 32

/**
 * Returns the steps of a path: a JSON Pointer (`/user/name`), or keys with dots between them (`user.name`). `*`, or
 * `[]` after a key, matches every entry of a list (`items.*.name`, `items[].name`). Returns undefined for an invalid
 * path.
 */
function stepsOf(path: string): string[] | undefined {
  if (path === '' || path.length > PATH_CHARS_MAX) return undefined
  const steps = path.startsWith('/')
    ? path
        .slice(1)
        .split('/')
        .map((step) => step.replace(/~1/g, '/').replace(/~0/g, '~'))
    : path
        .replace(/^\$\.?/, '')
        .replace(/\[(?:\*)?\]/g, '.*')
        .replace(/\[(\d+)\]/g, '.$1')
        .split('.')
  const isWhole = steps.length === 1 && steps[0] === ''
  if (isWhole) return []
  return steps.length <= STEPS_MAX && steps.every((step) => step !== '') ? steps : undefined
}

/** Returns every value at the path, in order. */
export function valuesAt(value: unknown, path: string): unknown[] {
  let found = [value]
  for (const step of stepsOf(path) ?? []) {
    found = found.flatMap((one) => entered(one, step)).slice(0, FOUND_MAX)
  }
  return found.filter((one) => one !== undefined && one !== null)
}

function entered(value: unknown, step: string): unknown[] {
  if (value === null || typeof value !== 'object') return []
  if (step === '*') return Array.isArray(value) ? value : Object.values(value)
  return Object.hasOwn(value, step) ? [(value as Record<string, unknown>)[step]] : []
}
