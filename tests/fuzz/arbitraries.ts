import { Ajv } from 'ajv'
import ajvFormats from 'ajv-formats'
import fc from 'fast-check'

/** Part of JSON Schema that the contract uses. */
export interface Schema {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  minLength?: number
  maxLength?: number
  pattern?: string
  format?: string
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  maxProperties?: number
  'x-free-form'?: { maxBytes: number; maxDepth: number }
}

/** Returns the existing ids for a field of this name; undefined if the field contains no id. */
export type KnownIds = (field: string) => readonly string[] | undefined

/** Marker in every invalid text. It detects replies that repeat a rejected value. */
export const REJECTED = 'rejected5k1w'

const CHARS_MAX = 40
const LONG_CHARS_MAX = 70_000
const ITEMS_MAX = 4
const LONG_ITEMS_MAX = 300

const ajv = new Ajv({ strict: false })
ajvFormats.default(ajv)

/** Returns true if a value is valid, apart from the size limit of free-form objects. */
export function isValid(schema: Schema, value: unknown): boolean {
  return ajv.validate(schema, value)
}

/** Returns valid values of a schema, including those at its bounds. */
export function validOf(schema: Schema, known: KnownIds, field = ''): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((each) => validOf(each, known, field)))
  const each = [schema.type ?? []].flat().map((type) => validOfType(type, schema, known, field))
  return each.length === 0 ? fc.jsonValue({ maxDepth: 2, noUnicodeString: false }).map(withoutNul) : fc.oneof(...each)
}

function validOfType(type: string, schema: Schema, known: KnownIds, field: string): fc.Arbitrary<unknown> {
  if (type === 'null') return fc.constant(null)
  if (type === 'boolean') return fc.boolean()
  if (type === 'string') return validText(schema, known(field))
  if (type === 'integer') return validInteger(schema)
  if (type === 'number') return fc.double({ min: schema.minimum ?? -1e6, max: schema.maximum ?? 1e6, noNaN: true })
  if (type === 'array') return validArray(schema, known, field)
  return validObject(schema, known)
}

const MOMENTS = [
  '2026-03-14T09:26:53Z',
  '2026-03-14t09:26:53.123456789+05:30',
  '2016-12-31T23:59:60Z',
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00+23:59',
  '9999-12-31T23:59:59.999-23:59',
  '2026-03-14 09:26:53Z',
  '2026-03-14T09:26:53-05',
]
const DAYS = ['2026-02-28', '2024-02-29', '0000-01-01', '0001-01-01', '9999-12-31', '1582-10-10']

function validText(schema: Schema, ids: readonly string[] | undefined): fc.Arbitrary<string> {
  const { minLength: min = 0, maxLength: max = CHARS_MAX, pattern, format } = schema
  if (format === 'date') return fc.constantFrom(...DAYS)
  if (format === 'date-time') return fc.constantFrom(...MOMENTS).filter((text) => isValid(schema, text))
  if (pattern !== undefined && pattern !== '\\S') {
    // A lookahead cannot be converted to a generator.
    const texts = pattern.includes('(?') ? fc.stringMatching(/^[\w.-]{1,40}$/) : fc.stringMatching(new RegExp(pattern))
    return texts.filter((text) => isValid(schema, text))
  }
  const short = fc
    .string({ unit: 'binary', minLength: Math.max(0, min - 1), maxLength: Math.min(max, CHARS_MAX) - 1 })
    .map((text) => `${withoutNul(text)}x`)
  const bounds = [min, max].filter((length) => length > 0 && length <= LONG_CHARS_MAX)
  const atBounds = fc.constantFrom(...bounds.flatMap((length) => ['a'.repeat(length), '😀'.repeat(length)]), 'x')
  const texts = fc.oneof({ arbitrary: short, weight: 4 }, { arbitrary: atBounds, weight: 1 })
  return ids === undefined ? texts : fc.oneof({ arbitrary: fc.constantFrom(...ids), weight: 4 }, texts)
}

function validInteger({ minimum = -(2 ** 31), maximum = 2 ** 31 }: Schema): fc.Arbitrary<number> {
  return fc.oneof(fc.integer({ min: minimum, max: maximum }), fc.constantFrom(minimum, maximum))
}

function validArray(schema: Schema, known: KnownIds, field: string): fc.Arbitrary<unknown[]> {
  const { items = {}, minItems = 0, maxItems = ITEMS_MAX } = schema
  return fc.array(validOf(items, known, field), { minLength: minItems, maxLength: Math.min(maxItems, ITEMS_MAX) })
}

function validObject(schema: Schema, known: KnownIds): fc.Arbitrary<unknown> {
  const { properties = {}, required = [], additionalProperties } = schema
  const fields = Object.entries(properties).map(([name, each]) => [name, validOf(each, known, name)] as const)
  const declared = fc.record(Object.fromEntries(fields), { requiredKeys: required })
  const others = otherFields(schema, additionalProperties, known)
  return others === undefined ? declared : fc.tuple(declared, others).map(([one, more]) => ({ ...more, ...one }))
}

const FIELD_NAMES = fc.constantFrom('a', 'b', 'email', 'Ünïcode 😀', 'with space', 'toString', '')

function otherFields(schema: Schema, allowed: boolean | Schema | undefined, known: KnownIds) {
  if (schema['x-free-form'] !== undefined || allowed === true) {
    return fc.dictionary(FIELD_NAMES, fc.jsonValue({ maxDepth: 2 }).map(withoutNul))
  }
  return typeof allowed === 'object' ? fc.dictionary(FIELD_NAMES, validOf(allowed, known), { maxKeys: 3 }) : undefined
}

/** Removes NUL characters and `__proto__`, which no store can return. */
function withoutNul<T>(value: T): T {
  return JSON.parse(JSON.stringify(value).replaceAll('\\u0000', ' ').replaceAll('__proto__', 'proto')) as T
}

/** Returns values that break exactly one rule of a schema; undefined if it has none. */
export function brokenOf(schema: Schema, known: KnownIds): fc.Arbitrary<unknown> | undefined {
  // Only the service's own validator limits the size and depth of free-form objects.
  const atHere = [...brokenHere(schema).filter((value) => !isValid(schema, value)), ...tooFree(schema)]
  const inside = [...brokenFields(schema, known), ...brokenItems(schema, known)]
  const all = [...(atHere.length > 0 ? [fc.constantFrom(...atHere)] : []), ...inside]
  return all.length > 0 ? fc.oneof(...all) : undefined
}

function brokenHere(schema: Schema): unknown[] {
  const { minLength, maxLength, minimum, maximum, minItems, maxItems } = schema
  const broken: unknown[] = [REJECTED, 12, 1.5, true, null, [REJECTED], { [REJECTED]: REJECTED }]
  if (minLength !== undefined) broken.push('a'.repeat(minLength - 1), ' '.repeat(minLength))
  if (maxLength !== undefined && maxLength < LONG_CHARS_MAX) broken.push(REJECTED + 'a'.repeat(maxLength))
  if (minimum !== undefined) broken.push(minimum - 1)
  if (maximum !== undefined) broken.push(maximum + 1)
  if (minItems !== undefined && minItems > 0) broken.push([])
  if (maxItems !== undefined && maxItems < LONG_ITEMS_MAX) broken.push(Array.from({ length: maxItems + 1 }, () => 'a'))
  return broken
}

function tooFree({ 'x-free-form': limits }: Schema): unknown[] {
  if (limits === undefined) return []
  let deep: unknown = 1
  for (let level = 0; level <= limits.maxDepth; level += 1) deep = { a: deep }
  return [deep, { [REJECTED]: 'a'.repeat(limits.maxBytes) }]
}

function brokenFields(schema: Schema, known: KnownIds): fc.Arbitrary<unknown>[] {
  const { properties = {}, required = [] } = schema
  const whole = validObject(schema, known) as fc.Arbitrary<Record<string, unknown>>
  const without = required.map((name) => whole.map(({ [name]: _, ...rest }) => rest))
  const within = Object.entries(properties).flatMap(([name, each]) => {
    const broken = brokenOf(each, known)
    return broken ? [fc.tuple(whole, broken).map(([all, value]) => ({ ...all, [name]: value }))] : []
  })
  return [...without, ...within]
}

function brokenItems(schema: Schema, known: KnownIds): fc.Arbitrary<unknown>[] {
  const broken = schema.items && brokenOf(schema.items, known)
  return broken ? [fc.tuple(validArray(schema, known, ''), broken).map(([all, one]) => [...all.slice(1), one])] : []
}
