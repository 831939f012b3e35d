import * as nouns from './nouns.ts'
import { Done } from './schema.ts'

type Json = Record<string, unknown>

/** Named object schemas, grouped by their property names for fast comparison. */
export type NamedSchemas = ReadonlyMap<string, readonly { name: string; text: string; schema: Json }[]>

/** Returns all exported object schemas with their export names. */
export function namedSchemas(): NamedSchemas {
  const names = new Map<string, { name: string; text: string; schema: Json }[]>()
  for (const [name, schema] of Object.entries({ ...nouns, Done } as unknown as Record<string, Json>)) {
    const key = /^[A-Z][a-z]/.test(name) && keyOf(schema)
    if (key) names.set(key, [...(names.get(key) ?? []), { name, text: canonical(schema), schema }])
  }
  return names
}

/** Returns the sorted property names of an object schema; undefined for any other schema. */
function keyOf(schema: Json): string | undefined {
  const { properties } = schema as { properties?: Json }
  return properties && schema.type === 'object' ? Object.keys(properties).sort().join() : undefined
}

/** Returns the name of an equal named schema, also for a copy, such as that of an optional field. */
function nameOf(schema: Json, names: NamedSchemas): string | undefined {
  const key = keyOf(schema)
  const candidates = key === undefined ? undefined : names.get(key)
  if (!candidates) return undefined
  const text = canonical(schema)
  return candidates.find((each) => each.text === text)?.name
}

/** Returns canonical JSON with sorted keys, so that equal schemas give equal texts. */
function canonical(schema: unknown): string {
  return JSON.stringify(schema, (_, value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  )
}

/** Returns a schema as plain JSON, with references in place of named schemas. */
export function toSchema(schema: unknown, names: NamedSchemas): unknown {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return copy(schema, names)
  const name = nameOf(schema as Json, names)
  if (name !== undefined) return referTo(name)
  const { type, ...rest } = schema as Json
  const bare = Array.isArray(type) && type.length === 2 && type.includes('null') && { ...rest, type: 'object' }
  const nullable = bare && nameOf(bare, names)
  return nullable ? { anyOf: [referTo(nullable), { type: 'null' }] } : copy(inBranches(schema as Json), names)
}

/** Keywords that apply to only one type. */
const OF_TYPE: Record<string, readonly string[]> = {
  string: ['minLength', 'maxLength', 'pattern', 'format', 'enum'],
  array: ['items', 'minItems', 'maxItems'],
  object: ['properties', 'required', 'additionalProperties', 'patternProperties', 'maxProperties', 'x-free-form'],
}

/** Splits a schema with several types into `anyOf`, because code generators drop the keywords of objects and lists. */
function inBranches(schema: Json): Json {
  const { type, ...rest } = schema
  if (!Array.isArray(type) || !type.some((each) => each === 'object' || each === 'array')) return schema
  const own = Object.values(OF_TYPE).flat()
  const kept = (is: (name: string) => boolean) => Object.fromEntries(Object.entries(rest).filter(([name]) => is(name)))
  const branches = type.map((each: string) => ({
    type: each,
    ...kept((name) => OF_TYPE[each]?.includes(name) === true),
  }))
  return { ...kept((name) => !own.includes(name)), anyOf: branches }
}

function referTo(name: string): Json {
  return { $ref: `#/components/schemas/${name}` }
}

function copy(value: unknown, names: NamedSchemas): unknown {
  if (Array.isArray(value)) return value.map((entry) => toSchema(entry, names))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(defaultSentence(value as Json)).map(([key, entry]) => [
      key,
      key === 'properties' ? propertiesOf(entry as Json, names) : toSchema(entry, names),
    ]),
  )
}

/** Converts properties by name, because a property may have the same name as a schema keyword. */
function propertiesOf(properties: Json, names: NamedSchemas): Json {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, toSchema(schema, names)]))
}

/** Moves a default into the description. Code generators treat a field with a default as always present. */
function defaultSentence(schema: Json): Json {
  const { default: value, ...rest } = schema
  if (value === undefined || typeof schema.type === 'undefined') return schema
  const text = `\`${typeof value === 'string' ? value : JSON.stringify(value)}\` if omitted.`
  return { ...rest, description: rest.description ? `${rest.description} ${text}` : text }
}

/** Returns the named schemas referenced by these paths, by name. */
export function schemasUsed(paths: unknown, names: NamedSchemas): Json {
  const byName = new Map([...names.values()].flat().map(({ name, schema }) => [name, schema]))
  const used: Json = {}
  const visit = (value: unknown) => {
    for (const [, name = ''] of JSON.stringify(value).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)) {
      const schema = byName.get(name)
      if (name in used || !schema) continue
      used[name] = copy(schema, names)
      visit(used[name])
    }
  }
  visit(paths)
  return Object.fromEntries(Object.entries(used).sort(([one], [other]) => (one < other ? -1 : 1)))
}
