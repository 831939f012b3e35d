import type { Problem, TSchema } from '@cairnstore/contract'
import { Ajv, type ErrorObject } from 'ajv'
import ajvFormats from 'ajv-formats'

/** Returns the validation problems of a value; none for a valid value. */
export type Check = (value: unknown) => Problem[]

interface FreeFormLimits {
  maxBytes: number
  maxDepth: number
}

const PROBLEMS_MAX = 20

const everyProblem = openAjv(true)
const firstProblem = openAjv(false)

/** Creates a check that reports all problems, at most 20, with locations below `root`. */
export function checkAll(schema: TSchema, root: string[]): Check {
  return toCheck(everyProblem, schema, root)
}

/** Creates a check that stops at the first problem, for large values. */
export function checkFirst(schema: TSchema, root: string[]): Check {
  return toCheck(firstProblem, schema, root)
}

function openAjv(allErrors: boolean): Ajv {
  const ajv = new Ajv({
    allErrors,
    strictTypes: false,
    coerceTypes: false,
    removeAdditional: false,
    useDefaults: false,
  })
  ajvFormats.default(ajv, ['date', 'date-time'])
  ajv.addKeyword({
    keyword: 'x-free-form',
    type: 'object',
    schemaType: 'object',
    validate: (limits: FreeFormLimits, value: object) => fits(limits, value),
  })
  return ajv
}

function toCheck(ajv: Ajv, schema: TSchema, root: string[]): Check {
  const validate = ajv.compile(schema)
  return (value) => (validate(value) ? NO_PROBLEMS : toProblems(validate.errors ?? [], schema, root))
}

const NO_PROBLEMS: Problem[] = []

function toProblems(errors: ErrorObject[], schema: TSchema, root: string[]): Problem[] {
  const problems = new Map<string, Problem>()
  for (const error of errors) {
    const loc = [...root, ...knownPath(schema, error)]
    const path = loc.join('/')
    if (!problems.has(path)) problems.set(path, { loc, ...describeProblem(error) })
    if (problems.size === PROBLEMS_MAX) break
  }
  return [...problems.values()]
}

/**
 * Returns the path to the problem, up to the last name in the schema. A key that the caller chose is never included.
 */
function knownPath(schema: TSchema, error: ErrorObject): (string | number)[] {
  const steps = error.instancePath.split('/').slice(1)
  if (error.keyword === 'required') steps.push(String(error.params.missingProperty))
  const path: (string | number)[] = []
  let at = schema as { properties?: Record<string, TSchema>; items?: TSchema } | undefined
  for (const step of steps) {
    if (at?.properties && Object.hasOwn(at.properties, step)) {
      path.push(step)
      at = at.properties[step]
    } else if (at?.items) {
      path.push(Number(step))
      at = at.items
    } else {
      break
    }
  }
  return path
}

const TYPE_WORDS: Record<string, string> = {
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
  null: 'null',
}

/** Returns a message and a stable type for the violated rule. They never contain the rejected value. */
function describeProblem({ keyword, params, message }: ErrorObject): { msg: string; type: string } {
  const limit = String(params.limit)
  switch (keyword) {
    case 'required':
      return { msg: 'This is required.', type: 'missing' }
    case 'type': {
      const types = [params.type].flat().map((name) => TYPE_WORDS[name] ?? name)
      return { msg: `Must be ${types.join(' or ')}.`, type: 'wrong_type' }
    }
    case 'enum':
    case 'const':
      return { msg: `Must be one of ${allowedWords(params)}.`, type: 'not_allowed' }
    case 'minLength':
      return { msg: `Must have at least ${limit} characters.`, type: 'too_short' }
    case 'maxLength':
      return { msg: `Must have at most ${limit} characters.`, type: 'too_long' }
    case 'minItems':
      return { msg: `Must have at least ${limit} entries.`, type: 'too_few' }
    case 'maxItems':
    case 'maxProperties':
      return { msg: `Must have at most ${limit} entries.`, type: 'too_many' }
    case 'minimum':
      return { msg: `Must be at least ${limit}.`, type: 'too_small' }
    case 'maximum':
      return { msg: `Must be at most ${limit}.`, type: 'too_large' }
    case 'pattern':
      return { msg: params.pattern === '\\S' ? 'Must not be blank.' : 'Has the wrong form.', type: 'wrong_form' }
    case 'format':
      return {
        msg: `Must be a real ${params.format === 'date' ? 'date, YYYY-MM-DD' : 'RFC 3339 time'}.`,
        type: 'wrong_form',
      }
    case 'x-free-form':
      return { msg: 'Must be at most 16 KiB of JSON, 32 levels deep, with finite numbers.', type: 'too_large' }
    default:
      return { msg: message ?? 'Breaks a rule.', type: keyword }
  }
}

function allowedWords(params: ErrorObject['params']): string {
  const values: unknown[] = params.allowedValues ?? [params.allowedValue]
  return values.map((value) => (typeof value === 'string' ? `"${value}"` : String(value))).join(', ')
}

function fits({ maxBytes, maxDepth }: FreeFormLimits, value: object): boolean {
  return isShallowAndFinite(value, maxDepth) && Buffer.byteLength(JSON.stringify(value)) <= maxBytes
}

function isShallowAndFinite(value: unknown, levelsLeft: number): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return true
  if (levelsLeft === 0) return false
  return Object.values(value).every((entry) => isShallowAndFinite(entry, levelsLeft - 1))
}
