import { checkAll } from '../../../base/check.ts'
import { isPath, mappingProblem } from '../json/field-mapping.ts'
import { type Listing, type Profile, ProfileSchema } from '../mcp-profile.ts'

const check = checkAll(ProfileSchema, [])

/** Returns a profile. Throws an Error that names the first problem. */
export function parseProfile(value: unknown): Profile {
  const [problem] = check(value)
  if (problem) throw new Error(`profile: ${problem.loc.join('.')}: ${problem.msg}`)
  const profile = value as Profile
  const [unreadable] = Object.entries(profile.parameters).filter(([, { pattern }]) => !isPattern(pattern))
  if (unreadable) throw new Error(`profile ${profile.name}: ${unreadable[0]}: the pattern is no regular expression`)
  const found = profile.listings.map((listing) => problemIn(profile, listing)).find((one) => one !== undefined)
  if (found) throw new Error(`profile ${profile.name}: ${found}`)
  if (profile.documentation.some(({ date, read }) => !(date ?? read)))
    throw new Error(`profile ${profile.name}: documentation needs a date, or the day on which it was read`)
  return profile
}

function problemIn({ parameters }: Profile, listing: Listing): string | undefined {
  const { part, map, details, items, pages, changes } = listing
  const paths = [items, pages.next, pages.more, details?.only_if?.path, details?.pages?.next, details?.text]
  const wrong = paths.find((path) => path !== undefined && !isPath(path))
  if (wrong) return `${part}: ${wrong} is not a path`
  const mapping = mappingProblem(map) ?? (details?.map && mappingProblem(details.map))
  if (mapping) return `${part}: ${mapping}`
  const placeholders = Object.values(listing.arguments).flatMap((one) => placeholdersIn(one))
  const unknown = placeholders.find((name) => !Object.hasOwn(parameters, name))
  if (unknown) return `${part}: {${unknown}} is not a parameter`
  if (
    (changes?.argument === undefined) !== (changes?.value === undefined) ||
    changes?.value?.includes('{since}') === false
  )
    return `${part}: changes needs an argument and a value with {since}`
  if (details && (details.text === undefined) === (details.map === undefined))
    return `${part}: details needs either text or map`
  return undefined
}

function isPattern(pattern: string): boolean {
  try {
    return new RegExp(pattern) instanceof RegExp
  } catch {
    return false
  }
}

const PLACEHOLDER = /\{([^{}]+)\}/g

function placeholdersIn(value: unknown): string[] {
  return typeof value === 'string' ? [...value.matchAll(PLACEHOLDER)].map((match) => match[1]!) : []
}

/**
 * Returns a value with its placeholders replaced. A text that is one placeholder becomes the value itself, so a number
 * stays a number. Returns undefined if a value is missing, or if it has control characters or is too long for an id.
 */
export function fill(template: unknown, lookUp: (name: string) => unknown): unknown {
  if (typeof template !== 'string') return template
  const names = placeholdersIn(template)
  const values = new Map(names.map((name) => [name, lookUp(name)]))
  if (![...values.values()].every(isPlain)) return undefined
  const [only] = names
  if (only !== undefined && template === `{${only}}`) return values.get(only)
  return template.replace(PLACEHOLDER, (_, name: string) => String(values.get(name)))
}

const VALUE_CHARS_MAX = 512
/** Line breaks and other control characters, which are not part of any id. */
const CONTROL = /\p{Cc}/u

function isPlain(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  return typeof value === 'string' && value !== '' && value.length <= VALUE_CHARS_MAX && !CONTROL.test(value)
}

/** Returns the arguments of a call; undefined if the value of one is missing. */
export function fillArguments(
  templates: Readonly<Record<string, unknown>>,
  lookUp: (name: string) => unknown,
): Record<string, unknown> | undefined {
  const filled = Object.entries(templates).map(([name, template]) => [name, fill(template, lookUp)] as const)
  return filled.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(filled)
}
