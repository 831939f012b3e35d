import { nameIn } from './methods-of.mjs'

/** @typedef {import('./methods-of.mjs').Schema} Schema */

/** First line of every generated file of the Python client. */
export const HEAD = '# Made by `npm run clients` of the contract. A test compares it.\n'
/** Reserved words of Python. */
export const KEYWORDS = [
  'from',
  'class',
  'global',
  'import',
  'in',
  'is',
  'not',
  'or',
  'and',
  'pass',
  'def',
  'async',
  'await',
  'with',
]
/** Attributes of the model base class, which fields may not be named after. */
const OF_MODELS = ['schema', 'json', 'dict', 'copy', 'validate', 'construct', 'model_config', 'model_fields']
const PRIMITIVES = { string: 'str', integer: 'int', number: 'float', boolean: 'bool', null: 'None' }

/**
 * Returns the names of the schemas that these refer to, directly or indirectly, in the document's order.
 * @param {unknown[]} from @param {Record<string, Schema>} schemas
 */
export function reached(from, schemas) {
  const found = new Set()
  const visit = (/** @type {unknown} */ value) => {
    for (const [, name = ''] of JSON.stringify(value ?? null).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (found.has(name)) continue
      found.add(name)
      visit(schemas[name])
    }
  }
  visit(from)
  return Object.keys(schemas).filter((name) => found.has(name))
}

/** @param {string} name */
function camel(name) {
  return name.replace(/(?:^|_)(\w)/g, (_, letter) => letter.toUpperCase())
}

/** @param {unknown} value */
function literal(value) {
  if (value === true) return 'True'
  if (value === false) return 'False'
  return value === null ? 'None' : JSON.stringify(value)
}

/** @param {string[]} types */
export function union(types) {
  const all = [...new Set(types.flatMap((type) => type.split(' | ')))]
  return [...all.filter((type) => type !== 'None'), ...all.filter((type) => type === 'None')].join(' | ')
}

/**
 * Returns the type of a schema. In a reply, objects without a name get one (`named`).
 * @typedef {{ isReply: boolean, named: (schema: Schema) => string, refer: (name: string) => string }} Way
 * @param {Schema} schema @param {Way} way @returns {string}
 */
export function typeOf(schema, way) {
  const name = nameIn(schema)
  if (name) return way.refer(name)
  if (schema.const !== undefined) return `Literal[${literal(schema.const)}]`
  if (schema.enum) return enumType(schema.enum, way)
  if (schema.anyOf && !schema.type) return union(schema.anyOf.map((/** @type {Schema} */ each) => typeOf(each, way)))
  const types = [schema.type ?? []].flat()
  return types.length === 0 ? 'Any' : union(types.map((type) => plainType(type, schema, way)))
}

/**
 * Returns the type of an enumeration. In replies it allows any string, because a newer service may return unknown
 * values. @param {unknown[]} values @param {Way} way
 */
function enumType(values, { isReply }) {
  const known = values.filter((value) => value !== null)
  const listed = `Literal[${known.map(literal).join(', ')}]`
  return union([listed, ...(isReply ? ['str'] : []), ...(known.length < values.length ? ['None'] : [])])
}

/** @param {string} type @param {Schema} schema @param {Way} way @returns {string} */
function plainType(type, schema, way) {
  if (type === 'array') {
    const item = schema.items ? typeOf(schema.items, way) : 'Any'
    return way.isReply ? `list[${item}]` : `Sequence[${item}]`
  }
  if (type === 'string') {
    const formats = [schema.format, ...(schema.anyOf ?? []).map((/** @type {Schema} */ { format }) => format)]
    if (way.isReply) return schema.format === 'date-time' ? 'datetime' : 'str'
    return formats.includes('date-time') ? 'str | datetime | date' : formats.includes('date') ? 'str | date' : 'str'
  }
  if (type !== 'object') return PRIMITIVES[/** @type {keyof typeof PRIMITIVES} */ (type)]
  if (schema.properties && Object.keys(schema.properties).length > 0) return way.named(schema)
  const [pattern] = Object.values(schema.patternProperties ?? {})
  const value = pattern ?? (typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined)
  return `${way.isReply ? 'dict' : 'Mapping'}[str, ${value ? typeOf(value, way) : 'Any'}]`
}

/** @param {string | undefined} text @param {string} indent */
export function docstring(text, indent) {
  if (!text) return ''
  const line = text.replaceAll('\\', '\\\\').replaceAll('"""', "'''").replaceAll('\n', ' ')
  // A quote directly before the end would belong to the delimiter.
  return `${indent}"""${line}${line.endsWith('"') ? ' ' : ''}"""\n`
}

/** @param {Record<string, Schema>} schemas @param {string[]} names */
export function modelsFile(schemas, names) {
  /** @type {string[]} */
  const classes = []
  /** @type {string[]} */
  const aliases = []
  const write = (/** @type {string} */ name, /** @type {Schema} */ schema) => {
    const lines = Object.entries(schema.properties).map(([field, each]) => {
      const type = typeOf(each, wayOf(`${name}${camel(field)}`))
      const isNeeded = (schema.required ?? []).includes(field)
      const shown = KEYWORDS.includes(field) || OF_MODELS.includes(field) ? `${field}_` : field
      const alias = shown === field ? '' : `alias="${field}"`
      const whole = isNeeded ? type : union([type, 'None'])
      const value = alias ? ` = Field(${isNeeded ? '' : 'None, '}${alias})` : isNeeded ? '' : ' = None'
      return `    ${shown}: ${whole}${value}\n${docstring(each.description, '    ')}`
    })
    classes.push(`class ${name}(Model):\n${docstring(schema.description, '    ')}${lines.join('')}`)
  }
  const wayOf = (/** @type {string} */ inner) => ({
    isReply: true,
    refer: (/** @type {string} */ name) => (name === 'Error' ? 'ErrorBody' : name),
    named: (/** @type {Schema} */ schema) => {
      write(inner, schema)
      return inner
    },
  })
  for (const name of names) {
    const schema = /** @type {Schema} */ (schemas[name])
    const shown = name === 'Error' ? 'ErrorBody' : name
    if (schema.properties && schema.type === 'object') write(shown, schema)
    else {
      // Evaluated when the module is loaded, because models look it up by name.
      const types = typeOf(schema, wayOf(`${shown}Fields`)).split(' | ')
      aliases.push(`${shown}: TypeAlias = Union[${types.join(', ')}]\n`)
    }
  }
  const [ofTypes, alias] = aliases.length > 0 ? [', Union', '\nfrom typing_extensions import TypeAlias'] : ['', '']
  return `${HEAD}"""What the service replies. Fields that a newer service adds are kept."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal${ofTypes}

from pydantic import BaseModel, ConfigDict, Field${alias}


class Model(BaseModel):
    model_config = ConfigDict(extra="allow", populate_by_name=True, protected_namespaces=())


${[...classes, ...aliases].join('\n\n')}`
}

/** @param {Record<string, Schema>} schemas @param {string[]} names */
export function paramsFile(schemas, names) {
  /** @type {string[]} */
  const parts = []
  const write = (/** @type {string} */ name, /** @type {Schema} */ schema) => {
    const fields = Object.entries(schema.properties).map(([field, each]) => {
      const type = typeOf(each, wayOf(`${name}${camel(field)}`))
      return [field, (schema.required ?? []).includes(field) ? `Required[${type}]` : type, each.description]
    })
    if (fields.some(([field = '']) => KEYWORDS.includes(field))) throw new Error(`${name} has a keyword for a field.`)
    const lines = fields.map(([field, type, about]) => `    ${field}: ${type}\n${docstring(about, '    ')}`)
    parts.push(`class ${name}(TypedDict, total=False):\n${docstring(schema.description, '    ')}${lines.join('')}`)
  }
  const wayOf = (/** @type {string} */ inner) => ({
    isReply: false,
    refer: (/** @type {string} */ name) => name,
    named: (/** @type {Schema} */ schema) => {
      write(inner, schema)
      return inner
    },
  })
  /** @type {string[]} */
  const aliases = []
  for (const name of names) {
    const schema = /** @type {Schema} */ (schemas[name])
    if (schema.properties && schema.type === 'object') write(name, schema)
    else if (schema.properties) {
      write(`${name}Fields`, schema)
      aliases.push(`${name}: TypeAlias = "${union(['str', `${name}Fields`])}"\n`)
    }
  }
  return `${HEAD}"""What the service is asked, as dictionaries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any, Literal

from typing_extensions import Required${aliases.length > 0 ? ', TypeAlias' : ''}, TypedDict

${[...parts, ...aliases].map((part) => `\n${part}`).join('\n')}`
}
