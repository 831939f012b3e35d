import type { Operation } from '@cairn/contract'
import { usageFailure } from './failure.ts'

/** As much of a JSON Schema as the command line reads. */
export interface Shape {
  type?: string | string[]
  enum?: (string | null)[]
  properties?: Record<string, Shape>
  required?: string[]
  items?: Shape
  default?: unknown
  maximum?: number
  description?: string
}

/** One value that a command takes: an operand when the operation requires it, else an option. */
export interface Field {
  /** Its name on the wire. */
  name: string
  place: 'path' | 'query' | 'body'
  isRequired: boolean
  shape: Shape
}

/** What is sent. */
export interface Inputs {
  path: string
  query: Record<string, string>
  body?: Record<string, unknown>
}

const LIMIT: Shape = { type: 'integer', description: 'Show at most so many; all when omitted.' }

/** Every value that an operation takes from a person, in its order; lists turn their pages themselves. */
export function fieldsOf({ params, query, body }: Operation): Field[] {
  const fields = [...fieldsIn('path', params), ...fieldsIn('query', query), ...fieldsIn('body', body?.json)]
  return fields
    .filter(({ name }) => name !== 'cursor')
    .map((field) => (field.place === 'query' && field.name === 'limit' ? { ...field, shape: LIMIT } : field))
}

function fieldsIn(place: Field['place'], schema: unknown): Field[] {
  const { properties = {}, required = [] } = (schema ?? {}) as Shape
  return Object.entries(properties).map(([name, shape]) => ({
    name,
    place,
    shape,
    isRequired: required.includes(name),
  }))
}

/** How a field is written on the command line: `USER_ID` when it is an operand, `--owner-id` when it is an option. */
export function spelled({ name, isRequired }: Field): string {
  return isRequired ? name.toUpperCase() : `--${optionName(name)}`
}

/** The name of the option that sets a field of this name. */
export function optionName(name: string): string {
  return name.replaceAll('_', '-')
}

/** What a field can be, where that is a closed list. */
export function choicesOf({ shape }: Field): string[] {
  return (shape.enum ?? []).filter((choice) => choice !== null)
}

/** How the value of a field is written. */
export function formOf({ shape }: Field): 'NUMBER' | 'JSON' | 'TEXT' {
  const types = [shape.type ?? []].flat()
  if (types.includes('integer')) return 'NUMBER'
  return types.includes('object') ? 'JSON' : 'TEXT'
}

/**
 * The request that operands and options make; throws a usage Failure for a value that the field cannot have. The rest
 * of the rules are the service's to say.
 */
export function toInputs(
  operation: Operation,
  operands: string[],
  options: Record<string, string | boolean | undefined>,
): Inputs {
  const inputs: Inputs = { path: operation.path, query: {}, ...(operation.body?.json && { body: {} }) }
  const fields = fieldsOf(operation)
  const wanted = fields.filter(({ isRequired }) => isRequired)
  const whole = `This takes ${wanted.map(spelled).join(' ') || 'no operands'}.`
  const missing = wanted[operands.length]
  const extra = operands[wanted.length]
  if (missing) throw usageFailure(`${spelled(missing)} is missing. ${whole}`)
  if (extra !== undefined) throw usageFailure(`"${extra}" is one too many. ${whole}`)
  const left = [...operands]
  for (const field of fields) {
    const text = field.isRequired ? left.shift() : options[optionName(field.name)]
    if (typeof text === 'string') place(field, text, inputs)
  }
  return inputs
}

function place(field: Field, text: string, inputs: Inputs): void {
  const value = toValue(field, text)
  if (field.place === 'body') inputs.body = { ...inputs.body, [field.name]: value }
  else if (field.place === 'query') inputs.query[field.name] = text
  else inputs.path = inputs.path.replace(`:${field.name}`, () => toSegment(field, text))
}

/** A part of a path. An empty one, or dots, would make it the path of something else. */
function toSegment(field: Field, text: string): string {
  if (text === '' || text === '.' || text === '..') throw usageFailure(`${spelled(field)} must name something.`)
  try {
    return encodeURIComponent(text)
  } catch {
    throw usageFailure(`${spelled(field)} is not text.`)
  }
}

function toValue(field: Field, text: string): unknown {
  const choices = choicesOf(field)
  if (choices.length > 0 && !choices.includes(text)) {
    throw usageFailure(`${spelled(field)} is one of ${choices.join(', ')}.`)
  }
  const form = formOf(field)
  if (form === 'NUMBER') {
    const value = Number(text)
    if (!/^-?\d+$/.test(text) || !Number.isSafeInteger(value)) {
      throw usageFailure(`${spelled(field)} must be a whole number.`)
    }
    return value
  }
  return form === 'JSON' ? toObject(field, text) : text
}

function toObject(field: Field, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw usageFailure(`${spelled(field)} must be JSON, like '{"team": "sales"}'.`)
  }
}
