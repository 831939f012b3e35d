import fc from 'fast-check'
import { type Ids, missingLike, type Param } from '../harness/tenant.ts'
import { brokenOf, isValid, type KnownIds, REJECTED, type Schema, validOf } from './arbitraries.ts'

/** A parameter of an operation in the OpenAPI document. */
interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  schema: Schema
}

/** An operation of the OpenAPI document with all references resolved. */
export interface DocumentedOperation {
  operationId: string
  parameters: Parameter[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, { content?: Record<string, unknown> }>
}

/** A request before ids are filled into its path. */
export interface FuzzRequest {
  /**
   * Part of the request that is invalid: nothing, one rule of its body or query, an id in its path, its cursor, or
   * unknown.
   */
  wrong: 'nothing' | 'body' | 'query' | 'path' | 'cursor' | 'unknown'
  /** Ids that replace the known ones. */
  ids: Partial<Ids>
  query: string
  /** Index of the known cursor to use; 0 for none. */
  pick: number
  headers: Record<string, string>
  body: unknown
}

const PICKS_MAX = 40
const JUNK_IDS = ['x', '%00', '%2e%2e%2fx', 'a%2fb', '%zz', "'--", `${REJECTED}`, 'x'.repeat(500)]
const WAITS = ['wait=0', 'wait=1', 'respond-async', 'wait=-1', 'wait=x', '']
const VERSIONS = ['*', '"1"', 'junk', 'W/"1"']
const KEYS = ['key-1', 'key-2', '"quoted"', 'k'.repeat(255)]

/** Values of the headers that the service interprets. */
export type HeaderValues = Readonly<Record<string, readonly string[]>>

const HEADERS: HeaderValues = {
  prefer: WAITS,
  'idempotency-key': KEYS,
  'if-match': VERSIONS,
  'if-none-match': VERSIONS,
}

/**
 * Generates requests of an operation: valid ones, ones that break one rule, and ones with an unknown id in the path.
 */
export function requestsOf(
  operation: DocumentedOperation,
  ids: Ids,
  known: KnownIds,
  moreHeaders: HeaderValues,
): fc.Arbitrary<FuzzRequest> {
  const schema = operation.requestBody?.content['application/json']?.schema
  const query = queryOf(operation)
  const body = schema === undefined ? fc.constant(undefined) : validOf(schema, known)
  const isPaged = 'cursor' in (query.properties ?? {})
  const valid = {
    ids: fc.constant({}),
    query: queryText(validOf(query, known)),
    pick: fc.constant(0),
    headers: headersOf(operation, { ...HEADERS, ...moreHeaders }),
    body,
  }
  const pick = isPaged ? fc.nat(PICKS_MAX) : fc.constant(0)
  const kinds = [{ weight: 4, arbitrary: fc.record({ ...valid, pick, wrong: fc.constant('nothing' as const) }) }]
  const add = (wrong: FuzzRequest['wrong'], change: object, weight: number) =>
    kinds.push({ weight, arbitrary: fc.record({ ...valid, ...change, wrong: fc.constant(wrong as 'nothing') }) })
  const brokenBody = schema && brokenOf(schema, known)
  if (brokenBody) add('body', { body: brokenBody, headers: fc.constant({}) }, 4)
  const brokenQuery = brokenQueryOf(query, known)
  if (brokenQuery) add('query', { query: brokenQuery, headers: fc.constant({}) }, 2)
  const names = operation.parameters.filter((each) => each.in === 'path').map(({ name }) => name as Param)
  if (isPaged) add('cursor', { pick: fc.nat(PICKS_MAX), headers: fc.constant({}) }, 2)
  if (names.length > 0) add('path', { ids: fc.constantFrom(...names).chain((name) => wrongId(name, ids)) }, 1)
  return fc.oneof(...kinds)
}

function wrongId(name: Param, ids: Ids): fc.Arbitrary<Partial<Ids>> {
  const others = Object.values(ids).filter((id) => id.slice(0, 3) !== ids[name].slice(0, 3))
  const wrong = [...JUNK_IDS, missingLike(ids[name]), ids[name].toUpperCase(), `${ids[name]}x`, ...others]
  return fc.constantFrom(...wrong).map((id) => ({ [name]: id }))
}

/** Returns the query parameters as one object schema. */
function queryOf({ parameters }: DocumentedOperation): Schema {
  const all = parameters.filter((each) => each.in === 'query')
  return {
    type: 'object',
    properties: Object.fromEntries(all.map(({ name, schema }) => [name, schema])),
    required: all.filter(({ required }) => required).map(({ name }) => name),
  }
}

function queryText(values: fc.Arbitrary<unknown>): fc.Arbitrary<string> {
  return values.map((all) => encode(Object.entries(all as object)))
}

/**
 * Parameters that are not generated. Valid cursors come from replies and are added when the request is sent. No sandbox
 * is shared here, so `as_user` would always fail.
 */
const NOT_MADE_UP = ['cursor', 'as_user']

function encode(pairs: [string, unknown][]): string {
  return pairs
    .filter(([name]) => !NOT_MADE_UP.includes(name))
    .map(([name, value]) => `${name}=${encodeURIComponent(plain(value))}`)
    .join('&')
}

/** Formats a number for a query, without an exponent. */
function plain(value: unknown): string {
  return typeof value === 'number' && !Number.isInteger(value) ? value.toFixed(6) : String(value)
}

/** Generates a query with one parameter that is missing, invalid, or repeated. */
function brokenQueryOf(query: Schema, known: KnownIds): fc.Arbitrary<string> | undefined {
  const others = (name: string) =>
    validOf({ ...query, properties: { ...query.properties, [name]: { const: undefined } } }, known).map((all) => {
      const { [name]: _, ...rest } = all as Record<string, unknown>
      return Object.entries(rest)
    })
  const broken = Object.entries(query.properties ?? {}).flatMap(([name, schema]) => {
    const isText = [schema.type].flat().includes('string')
    const values = brokenOf(schema, known)?.filter((value) =>
      isText ? typeof value === 'string' : ['string', 'number'].includes(typeof value) && !isValid(schema, value),
    )
    const twice = others(name).map((rest) => encode([...rest, [`${name}`, 'a'], [`${name}`, 'b']]))
    const hasBroken = !isText || schema.enum || schema.minLength || schema.maxLength
    const one = fc
      .tuple(others(name), values ?? fc.constant(''))
      .map(([rest, value]) => encode([...rest, [name, value]]))
    return NOT_MADE_UP.includes(name) ? [] : hasBroken && values ? [one, twice] : [twice]
  })
  const missing = (query.required ?? []).map((name) => others(name).map(encode))
  return broken.length + missing.length > 0 ? fc.oneof(...broken, ...missing) : undefined
}

function headersOf(operation: DocumentedOperation, values: HeaderValues): fc.Arbitrary<Record<string, string>> {
  const names = operation.parameters.filter((each) => each.in === 'header').map(({ name }) => name.toLowerCase())
  const each = names.map((name) => [name, fc.constantFrom(...(values[name] ?? ['junk']))] as const)
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.record(Object.fromEntries(each), { requiredKeys: [] }) },
  ) as fc.Arbitrary<Record<string, string>>
}
