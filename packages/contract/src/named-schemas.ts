import * as nouns from './nouns.ts'
import { Done } from './schema.ts'

type Json = Record<string, unknown>

/** The schemas of objects that have a name, by the names of their properties, by which most are told apart. */
export type NamedSchemas = ReadonlyMap<string, readonly { name: string; text: string; schema: Json }[]>

/** Every exported schema of an object by the name it is exported under. */
export function namedSchemas(): NamedSchemas {
  const names = new Map<string, { name: string; text: string; schema: Json }[]>()
  for (const [name, schema] of Object.entries({ ...nouns, Done } as unknown as Record<string, Json>)) {
    const key = /^[A-Z][a-z]/.test(name) && keyOf(schema)
    if (key) names.set(key, [...(names.get(key) ?? []), { name, text: canonical(schema), schema }])
  }
  return names
}

/** The names of an object's properties; undefined for what is no schema of an object that has some. */
function keyOf(schema: Json): string | undefined {
  const { properties } = schema as { properties?: Json }
  return properties && schema.type === 'object' ? Object.keys(properties).sort().join() : undefined
}

/** The name of a schema that says the same as a named one. A copy, as an optional field's is, has its name too. */
function nameOf(schema: Json, names: NamedSchemas): string | undefined {
  const key = keyOf(schema)
  const alike = key === undefined ? undefined : names.get(key)
  if (!alike) return undefined
  const text = canonical(schema)
  return alike.find((each) => each.text === text)?.name
}

/** Equal schemas give equal texts, whatever the order in which they were written. */
function canonical(schema: unknown): string {
  return JSON.stringify(schema, (_, value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  )
}

/** A schema as plain JSON, with references in place of the named schemas in it. */
export function toSchema(schema: unknown, names: NamedSchemas): unknown {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return copy(schema, names)
  const name = nameOf(schema as Json, names)
  if (name !== undefined) return referTo(name)
  const { type, ...rest } = schema as Json
  const bare = Array.isArray(type) && type.length === 2 && type.includes('null') && { ...rest, type: 'object' }
  const nullable = bare && nameOf(bare, names)
  return nullable ? { anyOf: [referTo(nullable), { type: 'null' }] } : copy(inBranches(schema as Json), names)
}

/** The keywords that say something of one type alone. */
const OF_TYPE: Record<string, readonly string[]> = {
  string: ['minLength', 'maxLength', 'pattern', 'format', 'enum'],
  array: ['items', 'minItems', 'maxItems'],
  object: ['properties', 'required', 'additionalProperties', 'patternProperties', 'maxProperties', 'x-free-form'],
}

/** One schema for each type of a list that has objects or arrays in it: generators lose the parts of such lists. */
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
    Object.entries(inWords(value as Json)).map(([key, entry]) => [
      key,
      key === 'properties' ? propertiesOf(entry as Json, names) : toSchema(entry, names),
    ]),
  )
}

/** A property may be called like a keyword of schemas, so that properties are never read as one. */
function propertiesOf(properties: Json, names: NamedSchemas): Json {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, toSchema(schema, names)]))
}

/**
 * A schema whose default stands in its description. Generators take a field with a default for one that is always
 * there, also in what a caller sends.
 */
function inWords(schema: Json): Json {
  const { default: value, ...rest } = schema
  if (value === undefined || typeof schema.type === 'undefined') return schema
  const text = `\`${typeof value === 'string' ? value : JSON.stringify(value)}\` when omitted.`
  return { ...rest, description: rest.description ? `${rest.description} ${text}` : text }
}

/** The named schemas to which these paths lead, by name. */
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
