import { type Static, Type as T } from '@cairnstore/contract'
import { checkAll } from '../../../base/check.ts'
import { isPath, mappingProblem } from '../json/field-mapping.ts'

const closed = { additionalProperties: false } as const
const Text = T.String({ minLength: 1, maxLength: 1024 })
const Values = T.Unsafe<Record<string, unknown>>({ type: 'object' })
const Templates = T.Unsafe<Record<string, string>>({ type: 'object', additionalProperties: { type: 'string' } })

/** Paging of a tool: by the cursor at the path `next`, or else by page numbers from 1. */
const Pages = T.Object(
  {
    argument: Text,
    next: T.Optional(Text),
    /** Path to false on the last page, where a cursor is returned nevertheless. */
    more: T.Optional(Text),
    /** Items per page. With page numbers, a page with fewer items is the last one. */
    size: T.Optional(T.Integer({ minimum: 1 })),
  },
  closed,
)

/** A second call for each new or changed item: its text, or further records. */
const Details = T.Object(
  {
    tool: Text,
    arguments: Values,
    /** Makes the call only if the item has a larger number, or one of these values, at the path. */
    only_if: T.Optional(
      T.Object({ path: Text, above: T.Optional(T.Number()), one_of: T.Optional(T.Array(Text)) }, closed),
    ),
    pages: T.Optional(Pages),
    /** Path to the text of the item in the result. */
    text: T.Optional(Text),
    /** Mapping of the entries of the result to records. */
    map: T.Optional(Values),
    computed: T.Optional(Templates),
  },
  closed,
)

/** One list of a server. */
const Listing = T.Object(
  {
    /** Identifies the list within the profile. It must not change. */
    part: T.String({ pattern: '^[a-z_]{1,32}$' }),
    tool: Text,
    arguments: Values,
    /** Path to the list of items; without it the result is the list. */
    items: T.Optional(Text),
    pages: Pages,
    changes: T.Optional(
      T.Object(
        {
          /** The argument for changes since a time, and its value with the placeholder `{since}`. */
          argument: T.Optional(Text),
          value: T.Optional(Text),
          /** True if the most recently changed item comes first, so that reading stops at the first older one. */
          newest_first: T.Optional(T.Literal(true)),
        },
        closed,
      ),
    ),
    /** Templates of values that are added to each item under `computed`. */
    computed: T.Optional(Templates),
    map: Values,
    details: T.Optional(Details),
  },
  closed,
)

const ProfileSchema = T.Object(
  {
    name: T.String({ pattern: '^[a-z_]{1,32}$' }),
    title: Text,
    /** Addresses of the server. `{name}` stands for one segment of the path. */
    urls: T.Array(T.String({ pattern: '^https://[a-z0-9.-]+/[^?#]*$' }), { minItems: 1 }),
    client: Text,
    /** What a user must say: a description and a pattern for each value. */
    parameters: T.Unsafe<Record<string, { description: string; pattern: string }>>({
      type: 'object',
      additionalProperties: {
        type: 'object',
        required: ['description', 'pattern'],
        properties: { description: Text, pattern: Text },
        ...closed,
      },
    }),
    read_resources: T.Boolean(),
    /** Days after which a list is read whole again, which detects deletions. */
    whole_days: T.Integer({ minimum: 1 }),
    listings: T.Array(Listing, { minItems: 1 }),
    limits: T.Array(Text),
    documentation: T.Array(
      T.Object(
        {
          url: T.String({ pattern: '^https://' }),
          /** Date of the page, or null and the day on which it was read. */
          date: T.Unsafe<string | null>({ type: ['string', 'null'], format: 'date' }),
          read: T.Optional(T.String({ format: 'date' })),
          what: Text,
        },
        closed,
      ),
      { minItems: 1 },
    ),
  },
  closed,
)

/** Description of a public MCP server: how its lists are read, paged and mapped to records. */
export type Profile = Static<typeof ProfileSchema>
export type Listing = Static<typeof Listing>
export type Details = Static<typeof Details>

/** A profile with the values of its parameters, one set for each place that is imported. */
export interface ActiveProfile {
  readonly profile: Profile
  readonly places: readonly Readonly<Record<string, string>>[]
}

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

/** Returns the arguments of a call. One whose value is missing makes the call impossible: undefined. */
export function fillArguments(
  templates: Readonly<Record<string, unknown>>,
  lookUp: (name: string) => unknown,
): Record<string, unknown> | undefined {
  const filled = Object.entries(templates).map(([name, template]) => [name, fill(template, lookUp)] as const)
  return filled.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(filled)
}
