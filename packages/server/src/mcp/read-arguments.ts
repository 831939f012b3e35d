import type { TSchema } from '@cairnstore/contract'
import type { Check } from '../base/check.ts'
import { parseJson } from '../base/parse-json.ts'

/** Arguments of a tool call, and their validation problems in words for a model. */
export type ReadArguments = { args: Record<string, unknown>; problems: readonly string[] }

interface ArgumentSchema {
  readonly type?: string
  readonly items?: ArgumentSchema
}

interface ToolSchema {
  readonly properties?: Readonly<Record<string, ArgumentSchema>>
  readonly required?: readonly string[]
}

const GIVEN_CHARS_MAX = 60
const UNKNOWN_MAX = 5
/** Maximum nesting depth of lists and objects in an argument. */
const DEPTH_MAX = 32
const LONE_SURROGATE = /\p{Surrogate}/u

/**
 * Parses the arguments of a tool leniently, because models make small errors. A null optional argument counts as
 * absent. An integer, boolean or list may be in a string. Everything else is validated, and each problem quotes the
 * given value.
 */
export function readArguments(schema: TSchema, check: Check, given: unknown): ReadArguments {
  const { properties = {}, required = [] } = schema as ToolSchema
  const args: Record<string, unknown> = {}
  const unknown: string[] = []
  for (const [name, value] of Object.entries(objectOf(given))) {
    const expected = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (!expected) unknown.push(`${quoted(name)} (${describe(value)})`)
    else if (value !== null || required.includes(name)) args[name] = coerced(value, expected)
  }
  const problems = check(args).map(({ loc, msg }) => `${loc.join('.')}: ${msg} Given: ${describe(at(args, loc))}.`)
  if (unknown.length > 0) {
    const taken = Object.keys(properties)
    const takes = taken.length === 0 ? 'no arguments' : taken.join(', ')
    problems.push(`Unknown argument: ${unknown.slice(0, UNKNOWN_MAX).join(', ')}. This tool accepts ${takes}.`)
  }
  return { args, problems }
}

/**
 * Returns the message with arguments that are an object, as the protocol requires. Null counts as no arguments, and a
 * JSON object in a string is parsed. Any other value is passed on under the name `arguments`, so that the tool can
 * report it.
 */
export function withArguments<M extends { method?: string | undefined; params?: unknown }>(message: M): M {
  const { method, params } = message
  if ((method !== 'tools/call' && method !== 'prompts/get') || !isObject(params)) return message
  const { arguments: given, ...rest } = params
  if (given === undefined || isObject(given)) return message
  if (given === null) return { ...message, params: rest }
  const read = typeof given === 'string' ? parsed(given) : undefined
  return { ...message, params: { ...rest, arguments: isObject(read) ? read : { arguments: given } } }
}

function objectOf(given: unknown): Record<string, unknown> {
  return isObject(given) ? given : {}
}

/** Converts a string to the expected type. Returns the value unchanged if that is not possible. */
function coerced(value: unknown, { type, items }: ArgumentSchema): unknown {
  if (typeof value !== 'string') return value
  switch (type) {
    case 'integer':
      return /^-?\d{1,15}$/.test(value.trim()) ? Number(value) : value
    case 'boolean':
      return value === 'true' ? true : value === 'false' ? false : value
    case 'array':
      return listOf(value, items)
    default:
      return value
  }
}

/** Parses a list in a string. It is JSON or, if the items are strings, comma-separated. */
function listOf(value: string, items: ArgumentSchema | undefined): unknown {
  const read = parsed(value)
  if (Array.isArray(read)) return read
  if (items?.type !== 'string') return value
  return value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

/** Parses JSON. Returns undefined for invalid JSON and for values that are not allowed in a request body. */
function parsed(text: string): unknown {
  const value = parseJson(text)
  return isPlain(value, 1) ? value : undefined
}

function isPlain(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return !value.includes('\0') && !LONE_SURROGATE.test(value)
  if (typeof value !== 'object' || value === null) return true
  if (depth > DEPTH_MAX) return false
  return Object.entries(value).every(([key, inner]) => isPlain(key, depth) && isPlain(inner, depth + 1))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function at(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce((inner: unknown, key) => (inner as Record<string | number, unknown> | undefined)?.[key], value)
}

/** Describes a value by its type and a short excerpt. */
function describe(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (typeof value === 'object') return 'an object'
  return `the ${typeof value} ${quoted(String(value))}`
}

function quoted(text: string): string {
  const characters = [...text.slice(0, 2 * GIVEN_CHARS_MAX)]
  const isLong = characters.length > GIVEN_CHARS_MAX || text.length > 2 * GIVEN_CHARS_MAX
  return JSON.stringify(isLong ? `${characters.slice(0, GIVEN_CHARS_MAX).join('')}…` : text)
}
