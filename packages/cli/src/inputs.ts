import { parseArgs } from 'node:util'
import type { Operation } from '@cairnstore/contract'
import { usageFailure } from './output.ts'

/** Part of JSON Schema that the command line interprets. */
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

/** One input of a command: an operand if the operation requires it, else an option. */
export interface CommandField {
  /** Wire name. */
  name: string
  place: 'path' | 'query' | 'body'
  isRequired: boolean
  shape: FieldSchema
}

/** Input of an operation: path, query and body values by their wire names. */
export type OperationInput = Readonly<Record<string, unknown>>

const LIMIT: FieldSchema = { type: 'integer', description: 'Maximum number of rows. Default: all.' }

/** Returns every input of an operation in its order, except the cursor, because lists request all pages themselves. */
export function fieldsOf({ params, query, body }: Operation): CommandField[] {
  const fields = [...fieldsIn('path', params), ...fieldsIn('query', query), ...fieldsIn('body', body?.json)]
  return fields
    .filter(({ name }) => name !== 'cursor')
    .map((field) => (field.place === 'query' && field.name === 'limit' ? { ...field, shape: LIMIT } : field))
}

/** Splits the inputs into operands and options. Leaves out the fields in `filled`. */
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

/** Returns the name of the reply field that holds the rows of a list; undefined if there is none. */
export function listFieldOf({ reply }: Operation): string | undefined {
  const { properties = {} } = (reply?.json ?? {}) as FieldSchema
  return Object.keys(properties).find((each) => properties[each]!.type === 'array')
}

export function rowsOf(operation: Operation): FieldSchema | undefined {
  const { items, properties = {} } = (operation.reply?.json ?? {}) as FieldSchema
  const name = listFieldOf(operation)
  return items ?? (name === undefined ? undefined : properties[name]!.items)
}

/** Returns the command line form of a field: `USER_ID` for an operand, `--owner-id` for an option. */
export function spelled(field: CommandField): string {
  const { name, isRequired } = field
  if (!isRequired) return `--${optionName(name)}`
  return optionTypeOf(field) === 'LIST' ? `${name.toUpperCase()}…` : name.toUpperCase()
}

export function optionName(name: string): string {
  return name.replaceAll('_', '-')
}

/** Returns the allowed values of an enumerated field; empty for other fields. */
export function choicesOf({ shape }: CommandField): string[] {
  const listed = shape.enum ?? shape.anyOf?.flatMap((each) => each.enum ?? []) ?? []
  return listed.filter((choice) => choice !== null)
}

/** Returns the value type of a field on the command line. */
export function optionTypeOf({ shape }: CommandField): OptionType {
  const types = [shape.type ?? []].flat()
  if (types.includes('integer') || types.includes('number')) return 'NUMBER'
  if (types.includes('boolean')) return 'FLAG'
  if (types.includes('array')) return shape.items?.type === 'string' ? 'LIST' : 'JSON'
  return types.includes('object') && !types.includes('string') ? 'JSON' : 'TEXT'
}

/** Converts operands and options to an operation's input. Throws a usage Failure for a value of the wrong type. */
export function toOperationInput(
  operation: Operation,
  operands: string[],
  options: Options,
  filled: readonly string[] = [],
): OperationInput {
  const input: Record<string, unknown> = {}
  const { given, options: optional } = partsOf(operation, filled)
  const whole = `Expected: ${given.map(spelled).join(' ') || 'no operands'}.`
  const missing = given[operands.length]
  const last = given.at(-1)
  const takesRest = last !== undefined && optionTypeOf(last) === 'LIST'
  const extra = operands[given.length]
  if (missing) throw usageFailure(`${spelled(missing)} is missing. ${whole}`)
  if (extra !== undefined && !takesRest) throw usageFailure(`Unexpected operand "${extra}". ${whole}`)
  for (const [at, field] of given.entries()) {
    input[field.name] = takesRest && field === last ? operands.slice(at) : toValue(field, operands[at]!)
  }
  for (const field of optional) {
    const value = options[optionName(field.name)]
    if (value !== undefined) input[field.name] = typeof value === 'string' ? toValue(field, value) : value
  }
  return input
}

function toValue(field: CommandField, text: string): unknown {
  // An empty path segment or dots would address a different resource.
  if (field.place === 'path' && /^\.{0,2}$/.test(text))
    throw usageFailure(`${spelled(field)} must not be empty or consist of dots.`)
  const choices = choicesOf(field)
  if (choices.length > 0 && !choices.includes(text)) {
    throw usageFailure(`${spelled(field)} must be one of ${choices.join(', ')}.`)
  }
  const form = optionTypeOf(field)
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

/** Option values: a text, several texts, or true for a flag. */
export type Options = Record<string, string | boolean | string[] | undefined>

/** Operands and options that follow the words of a command. */
export interface ParsedArguments {
  operands: string[]
  options: Options
}

/** Value type of an option. A flag has no value. */
export type OptionType = 'TEXT' | 'NUMBER' | 'JSON' | 'LIST' | 'FLAG'

/** Options that every command accepts, before or after its words. */
export const GLOBAL_OPTIONS: Readonly<Record<string, { form: OptionType; meaning: string }>> = {
  json: { form: 'FLAG', meaning: 'Print JSON, also for errors.' },
  quiet: { form: 'FLAG', meaning: 'Print only the result and errors: no progress, no hints.' },
  profile: { form: 'TEXT', meaning: 'Use this profile, regardless of the environment.' },
}

/** Option that every command inside a sandbox accepts. */
export const SANDBOX_OPTION = {
  form: 'TEXT',
  meaning: 'The sandbox, by id or name. Default: that of the profile.',
} as const

/** Separates the global options before `--` from the other arguments. Throws a usage Failure for an empty profile. */
export function takeGlobals(args: readonly string[]): { rest: string[]; globals: Options } {
  const rest: string[] = []
  const globals: Options = {}
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at]!
    if (arg === '--') return { rest: [...rest, ...args.slice(at)], globals }
    if (arg === '--json') globals.json = true
    else if (arg === '--quiet' || arg === '-q') globals.quiet = true
    else if (arg.startsWith('--profile=')) globals.profile = arg.slice('--profile='.length)
    else if (arg === '--profile') {
      at += 1
      globals.profile = args[at] ?? ''
    } else rest.push(arg)
  }
  if (globals.profile === '') throw usageFailure('--profile needs the name of a profile.')
  return { rest, globals }
}

/** Parses the arguments after the words of a command. Throws a usage Failure for an unknown option. */
export function parseArguments(
  words: readonly string[],
  forms: Readonly<Record<string, OptionType>>,
  args: string[],
  globals: Options,
): ParsedArguments {
  const options = Object.entries(forms).map(([name, form]) => [
    name,
    { type: form === 'FLAG' ? ('boolean' as const) : ('string' as const), multiple: form === 'LIST' },
  ])
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { ...Object.fromEntries(options), help: { type: 'boolean', short: 'h' } },
    })
    return { operands: positionals, options: { ...(values as Options), ...globals } }
  } catch (error) {
    throw usageFailure(`${(error as Error).message}. \`cairn ${words.join(' ')} --help\` shows the usage.`)
  }
}
