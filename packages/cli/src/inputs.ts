import { parseArgs } from 'node:util'
import type { Operation } from '@cairnstore/contract'
import { usageFailure } from './output.ts'

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

/** What was given to options: a text, several of them, or that a flag is there. */
export type Options = Record<string, string | boolean | string[] | undefined>

/** What was typed after the words of a command. */
export interface Typed {
  operands: string[]
  options: Options
}

/** How the value of an option is written; a flag has none. */
export type Form = 'TEXT' | 'NUMBER' | 'JSON' | 'LIST' | 'FLAG'

/** What every command takes, before its words or after them. */
export const GLOBAL_OPTIONS: Readonly<Record<string, { form: Form; meaning: string }>> = {
  json: { form: 'FLAG', meaning: 'Print JSON, also of a failure.' },
  quiet: { form: 'FLAG', meaning: 'Print only the result and errors: no progress, no hints.' },
  profile: { form: 'TEXT', meaning: 'Use this profile of the configuration file, whatever the environment says.' },
}

/** The options of a command, with those of every command inside a sandbox. */
export const SANDBOX_OPTION = {
  form: 'TEXT',
  meaning: 'The sandbox, by id or name; that of the profile when omitted.',
} as const

/**
 * The arguments without the options that every command takes, and those options. They may stand anywhere before `--`.
 * Throws a usage Failure for a profile that is not named.
 */
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

/** What follows the words of a command; throws a usage Failure for an option that it has not. */
export function parseTyped(
  words: readonly string[],
  forms: Readonly<Record<string, Form>>,
  args: string[],
  globals: Options,
): Typed {
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
    throw usageFailure(`${(error as Error).message}. \`cairn ${words.join(' ')} --help\` shows what it takes.`)
  }
}
