import { type Static, type TArray, type TProperties, type TSchema, Type } from 'typebox'

/** The building blocks of every schema, one import for the nouns. */
export { type Static, type TSchema, Type }

/** What annotates a schema in the published document. */
export interface Notes {
  description?: string
  examples?: unknown[]
  default?: unknown
}

/** A string that is one of a closed list. */
export function Choice<const L extends readonly string[]>(list: L, notes: Notes = {}) {
  return Type.Unsafe<L[number]>({ type: 'string', enum: [...list], ...notes })
}

/**
 * The same schema with null allowed. The type is written as a list, not as a union of schemas, so that a rejected value
 * gets one message and nothing is coerced to null.
 */
export function Nullable<S extends TSchema>(schema: S) {
  const { type, enum: list, ...rest } = schema as S & { type: string | string[]; enum?: string[] }
  const types = [...[type].flat(), 'null']
  return Type.Unsafe<Static<S> | null>({ ...rest, type: types, ...(list && { enum: [...list, null] }) })
}

/** A field that may be left out, or null, which says the same. */
export function Maybe<S extends TSchema>(schema: S) {
  return Type.Optional(Nullable(schema))
}

const NAME_CHARS_MAX = 255
const OPAQUE_ID_CHARS_MAX = 255
/** The largest free-form object as JSON, in bytes. */
export const FREE_FORM_BYTES_MAX = 16 * 1024
const FREE_FORM_DEPTH_MAX = 32

/** A label given by a person: 1 to 255 characters, not only spaces, kept exactly as given. */
export function Name(description: string) {
  return Type.String({ minLength: 1, maxLength: NAME_CHARS_MAX, pattern: '\\S', description })
}

const EMAIL_CHARS_MAX = 254

/** An e-mail address: what is before and after one `@`, without spaces or control characters. */
export const Email = Type.String({
  minLength: 3,
  maxLength: EMAIL_CHARS_MAX,
  pattern: '^[^\\s@\\u0000-\\u001f\\u007f]+@[^\\s@\\u0000-\\u001f\\u007f]+$',
  description: 'An e-mail address.',
})

/** A string of the caller's own system, echoed and never interpreted. */
export function Opaque(description: string) {
  return Type.String({ minLength: 1, maxLength: OPAQUE_ID_CHARS_MAX, description })
}

/** A free-form object of the caller's: at most 16 KiB as JSON, 32 levels deep, finite numbers only. */
export function FreeForm(description: string) {
  return Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    'x-free-form': { maxBytes: FREE_FORM_BYTES_MAX, maxDepth: FREE_FORM_DEPTH_MAX },
    description,
  })
}

/** A free-form object in a reply, where nothing is left to check. */
export function Anything(description: string) {
  return Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, description })
}

/** A moment, RFC 3339. Replies always print UTC with `Z`. */
export function Moment(description: string) {
  return Type.String({ format: 'date-time', description, examples: ['2026-03-14T09:26:53Z'] })
}

/** A point in time as RFC 3339, or a day, which stands for its first moment in UTC; null when it is not known. */
export function MomentOrDay(description: string) {
  return Type.Unsafe<string | null>(momentOrDay(['string', 'null'], description))
}

/** The same where it is left out when there is none, as in the query of an address. */
export function GivenMomentOrDay(description: string) {
  return Type.Unsafe<string>(momentOrDay('string', description))
}

function momentOrDay(type: string | readonly string[], description: string) {
  return {
    type,
    anyOf: [
      { type, format: 'date-time' },
      { type, format: 'date' },
    ],
    description,
    examples: ['2026-03-14T09:26:53Z', '2026-03-14'],
  }
}

/** The prefixes of the ids that are made here. */
export const ID_PREFIXES = {
  sandbox: 'sbx',
  source: 'src',
  project: 'prj',
  entity: 'ent',
  record: 'rec',
  connection: 'con',
  key: 'key',
  job: 'job',
  delivery: 'dlv',
  webhook: 'whk',
  message: 'msg',
  merge: 'mrg',
  suggestion: 'sug',
  account: 'acct',
  answer: 'ans',
  member: 'mem',
  session: 'ses',
  invitation: 'inv',
  group: 'grp',
  groupRole: 'grl',
} as const

/** A kind of thing that has an id made here. */
export type IdKind = keyof typeof ID_PREFIXES

/** The id of one kind of thing; ids of two kinds do not mix. */
export type Id<K extends IdKind> = `${(typeof ID_PREFIXES)[K]}_${string}`

/** What follows the prefix of an id: 26 characters of base32hex, time first, so that ids sort by age. */
export const ID_TAIL = '[0-9a-v]{26}'

/** An id of the given kinds in a path. Another shape is answered with 404, like an id that was never given. */
export function PathId<const K extends IdKind>(description: string, ...kinds: K[]) {
  const prefixes = kinds.map((kind) => ID_PREFIXES[kind]).join('|')
  return Type.Unsafe<Id<K>>({ type: 'string', pattern: `^(?:${prefixes})_${ID_TAIL}$`, description })
}

/** An id in a reply. */
export function ReplyId<K extends IdKind>(_kind: K, description: string) {
  return Type.Unsafe<Id<K>>({ type: 'string', description })
}

/** An id in a body or a query string; its existence is checked, not its shape. */
export function GivenId(description: string) {
  return Type.String({ minLength: 1, maxLength: OPAQUE_ID_CHARS_MAX, description })
}

const SECRET_CHARS_MAX = 8192

/** A secret that a body may hold and no reply ever shows: 1 to 8192 characters, kept exactly as given. */
export function WriteOnly(description: string) {
  return Type.String({ minLength: 1, maxLength: SECRET_CHARS_MAX, pattern: '\\S', writeOnly: true, description })
}

/** A secret that a reply shows when it is made and never again: null when the reply is repeated. */
export function ShownOnce(description: string) {
  return Type.Unsafe<string | null>({ type: ['string', 'null'], 'x-shown-once': true, description })
}

/** The fields of a reply that hold what is shown once. */
export function shownOnce(reply: TSchema | undefined): string[] {
  const { properties = {} } = (reply ?? {}) as { properties?: Record<string, object> }
  return Object.keys(properties).filter((name) => 'x-shown-once' in properties[name]!)
}

const PAGE_ROWS_MAX = 1000

const paging = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: PAGE_ROWS_MAX, default: PAGE_ROWS_MAX, description: 'Rows in one reply.' }),
  ),
  cursor: Type.Optional(Type.String({ description: 'The `next_cursor` of the reply before, unchanged.' })),
}

const paged = {
  count: Type.Integer({ minimum: 0, description: 'Rows in this reply.' }),
  next_cursor: Type.Optional(Type.String({ description: 'Present when there are more rows.' })),
}

/** One page of a list: its rows under their name, their count, and the cursor that leads on; and what it has beside. */
export function Page<const N extends string, Row extends TSchema, More extends TProperties = Record<never, never>>(
  rows: N,
  row: Row,
  more: More = {} as More,
) {
  const named = { [rows]: Type.Array(row) } as { [K in N]: TArray<Row> }
  return Type.Object({ ...named, ...paged, ...more })
}

/** What the operations have in common that show a list in pages: their query, narrowed by these, and their reply. */
export function listing<P extends TSchema, Filters extends TProperties = Record<never, never>>(
  page: P,
  filters: Filters = {} as Filters,
) {
  const query = Type.Object({ ...filters, ...paging })
  return { query, reply: { json: page }, faults: ['invalid_cursor'] } as const
}

/** What lifecycle verbs and deletes answer. */
export const Done = Type.Object(
  { success: Type.Literal(true), message: Type.String({ description: 'What happened, in a sentence.' }) },
  { description: 'The verb took effect.' },
)
export type Done = Static<typeof Done>

/** The header by which a caller asks to wait until its data can be queried. */
export const preferHeader = {
  prefer: Type.Optional(
    Type.String({
      description:
        '`wait=N`: answer 200 with the finished job when it finishes within N seconds (at most 60), else 202. ' +
        '`wait=N, reading`: the same when its records have been read too, and so are found by what they mean.',
      examples: ['wait=10', 'wait=30, reading'],
    }),
  ),
}

/** The two headers that carry a caller-held key. */
export const encryptionHeaders = {
  'x-encryption-token': Type.Optional(
    Type.String({
      description:
        'base64(iv[12] ‖ ciphertext[32] ‖ tag[16]): the caller’s 32-byte data key, sealed under a key derived from ' +
        'the bearer token.',
    }),
  ),
  'x-encryption-key': Type.Optional(Type.String({ description: 'The caller’s 32-byte data key itself, in base64.' })),
}

/** The two headers that carry the key that is to take a caller-held key's place. */
export const newKeyHeaders = {
  'x-new-encryption-token': Type.Optional(
    Type.String({ description: 'The new data key, as `X-Encryption-Token` carries one.' }),
  ),
  'x-new-encryption-key': Type.Optional(
    Type.String({ description: 'The new data key, as `X-Encryption-Key` carries one.' }),
  ),
}
