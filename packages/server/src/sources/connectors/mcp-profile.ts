import { type Static, Type as T } from '@cairnstore/contract'

const closed = { additionalProperties: false } as const
const Text = T.String({ minLength: 1, maxLength: 1024 })
const Values = T.Unsafe<Record<string, unknown>>({ type: 'object' })
const Templates = T.Unsafe<Record<string, string>>({ type: 'object', additionalProperties: { type: 'string' } })

/** Paging of a tool: by the cursor at the path `next`, or else by page numbers from 1. */
const Pages = T.Object(
  {
    argument: Text,
    next: T.Optional(Text),
    /** Path to a value that is false on the last page, for servers that return a cursor there too. */
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
    /** Makes the call only if the item has a number above `above`, or one of these values, at the path. */
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
    /** Path to the list of items. Without it, the result is the list. */
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

/** Schema of a profile. Unknown fields are errors. */
export const ProfileSchema = T.Object(
  {
    name: T.String({ pattern: '^[a-z_]{1,32}$' }),
    title: Text,
    /** URLs of the server. `{name}` matches one path segment. */
    urls: T.Array(T.String({ pattern: '^https://[a-z0-9.-]+/[^?#]*$' }), { minItems: 1 }),
    client: Text,
    /** Description and pattern of each value that the user must give. */
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
    /** Days between complete reads of a list, which detect deletions. */
    whole_days: T.Integer({ minimum: 1 }),
    listings: T.Array(Listing, { minItems: 1 }),
    limits: T.Array(Text),
    documentation: T.Array(
      T.Object(
        {
          url: T.String({ pattern: '^https://' }),
          /** Date of the page. Null if unknown; `read` is then the day on which it was read. */
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
