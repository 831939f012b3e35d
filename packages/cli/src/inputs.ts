import type { Operation } from '@cairnstore/contract'
import { usageFailure } from './failure.ts'
import type { Form, Options } from './typed.ts'

/** The part of JSON Schema that the command line reads. */
export interface FieldSchema {
  type?: string | string[]
  enum?: (string | null)[]
  anyOf?: Pick<FieldSchema, 'enum'>[]
  properties?: Record<string, FieldSchema>
  required?: string[]
  items?: FieldSchema
  default?: unknown
  maximum?: number
  description?: string
}

/** One value that a command takes: an operand when the operation requires it, else an option. */
export interface CommandField {
  /** Its name on the wire. */
  name: string
  place: 'path' | 'query' | 'body'
  isRequired: boolean
  shape: FieldSchema
}

/** The input of an operation: path, query and body values by their names on the wire. */
export type OperationInput = Readonly<Record<string, unknown>>

const LIMIT: FieldSchema = { type: 'integer', description: 'Show at most so many; all when omitted.' }

/** Every value that an operation takes, in its order; lists turn their pages themselves. */
export function fieldsOf({ params, query, body }: Operation): CommandField[] {
  const fields = [...fieldsIn('path', params), ...fieldsIn('query', query), ...fieldsIn('body', body?.json)]
  return fields
    .filter(({ name }) => name !== 'cursor')
    .map((field) => (field.place === 'query' && field.name === 'limit' ? { ...field, shape: LIMIT } : field))
}

/** Those that a person gives as operands, and as options, where these others are filled in. */
export function partsOf(
  operation: Operation,
  filled: readonly string[] = [],
): { given: CommandField[]; options: CommandField[] } {
  const fields = fieldsOf(operation).filter(({ name }) => !filled.includes(name))
  return {
    given: fields.filter(({ isRequired }) => isRequired),
    options: fields.filter(({ isRequired }) => !isRequired),
  }
}

function fieldsIn(place: CommandField['place'], schema: unknown): CommandField[] {
  const { properties = {}, required = [] } = (schema ?? {}) as FieldSchema
  return Object.entries(properties).map(([name, shape]) => ({
    name,
    place,
    shape,
    isRequired: required.includes(name),
  }))
}

/** The reply of a list: the name of the field that holds its rows, if one does. */
export function listFieldOf({ reply }: Operation): string | undefined {
  const { properties = {} } = (reply?.json ?? {}) as FieldSchema
  return Object.keys(properties).find((each) => properties[each]!.type === 'array')
}

/** The shape of a row of what a list answers with. */
export function rowsOf(operation: Operation): FieldSchema | undefined {
  const { items, properties = {} } = (operation.reply?.json ?? {}) as FieldSchema
  const name = listFieldOf(operation)
  return items ?? (name === undefined ? undefined : properties[name]!.items)
}

/** How a field is written on the command line: `USER_ID` when it is an operand, `--owner-id` when it is an option. */
export function spelled(field: CommandField): string {
  const { name, isRequired } = field
  if (!isRequired) return `--${optionName(name)}`
  return formOf(field) === 'LIST' ? `${name.toUpperCase()}…` : name.toUpperCase()
}

/** The name of the option that sets a field of this name. */
export function optionName(name: string): string {
  return name.replaceAll('_', '-')
}

/** What a person can choose for a field from a list; what else programs may send is not offered. */
export function choicesOf({ shape }: CommandField): string[] {
  const listed = shape.enum ?? shape.anyOf?.flatMap((each) => each.enum ?? []) ?? []
  return listed.filter((choice) => choice !== null)
}

/** How the value of a field is written. */
export function formOf({ shape }: CommandField): Form {
  const types = [shape.type ?? []].flat()
  if (types.includes('integer') || types.includes('number')) return 'NUMBER'
  if (types.includes('boolean')) return 'FLAG'
  if (types.includes('array')) return shape.items?.type === 'string' ? 'LIST' : 'JSON'
  return types.includes('object') && !types.includes('string') ? 'JSON' : 'TEXT'
}

/**
 * What operands and options ask of an operation, without what is filled in; throws a usage Failure for a value that the
 * field cannot have. The rest of the rules are the service's to say.
 */
export function toAsked(
  operation: Operation,
  operands: string[],
  options: Options,
  filled: readonly string[] = [],
): OperationInput {
  const asked: Record<string, unknown> = {}
  const { given, options: optional } = partsOf(operation, filled)
  const whole = `This takes ${given.map(spelled).join(' ') || 'no operands'}.`
  const missing = given[operands.length]
  const last = given.at(-1)
  const takesRest = last !== undefined && formOf(last) === 'LIST'
  const extra = operands[given.length]
  if (missing) throw usageFailure(`${spelled(missing)} is missing. ${whole}`)
  if (extra !== undefined && !takesRest) throw usageFailure(`"${extra}" is one too many. ${whole}`)
  for (const [at, field] of given.entries()) {
    asked[field.name] = takesRest && field === last ? operands.slice(at) : toValue(field, operands[at]!)
  }
  for (const field of optional) {
    const value = options[optionName(field.name)]
    if (value !== undefined) asked[field.name] = typeof value === 'string' ? toValue(field, value) : value
  }
  return asked
}

function toValue(field: CommandField, text: string): unknown {
  // An empty part of a path, or dots, would make it the path of something else.
  if (field.place === 'path' && /^\.{0,2}$/.test(text)) throw usageFailure(`${spelled(field)} must name something.`)
  const choices = choicesOf(field)
  if (choices.length > 0 && !choices.includes(text)) {
    throw usageFailure(`${spelled(field)} is one of ${choices.join(', ')}.`)
  }
  const form = formOf(field)
  if (form === 'NUMBER') return toNumber(field, text)
  return form === 'JSON' ? toJson(field, text) : text
}

function toNumber(field: CommandField, text: string): number {
  const value = Number(text)
  if ([field.shape.type ?? []].flat().includes('number')) {
    if (text.trim() !== '' && Number.isFinite(value)) return value
    throw usageFailure(`${spelled(field)} must be a number.`)
  }
  if (!/^-?\d+$/.test(text) || !Number.isSafeInteger(value)) {
    throw usageFailure(`${spelled(field)} must be a whole number.`)
  }
  return value
}

function toJson(field: CommandField, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const example = [field.shape.type ?? []].flat().includes('array') ? '\'["a", "b"]\'' : '\'{"team": "sales"}\''
    throw usageFailure(`${spelled(field)} must be JSON, like ${example}.`)
  }
}
