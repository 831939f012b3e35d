import { type Static, type TArray, type TProperties, type TSchema, Type } from 'typebox'

/** Schema builders, re-exported so that each schema file needs one import. */
export { type Static, type TSchema, Type }

/** Annotations of a schema in the published document. */
export interface Notes {
  description?: string
  examples?: unknown[]
  default?: unknown
}

/** Returns the schema of a string from a closed list. */
export function Choice<const L extends readonly string[]>(list: L, notes: Notes = {}) {
  return Type.Unsafe<L[number]>({ type: 'string', enum: [...list], ...notes })
}

/** Returns the schema with null allowed, as a list of types: one message per invalid value, no coercion to null. */
export function Nullable<S extends TSchema>(schema: S) {
  const { type, enum: list, ...rest } = schema as S & { type: string | string[]; enum?: string[] }
  const types = [...[type].flat(), 'null']
  return Type.Unsafe<Static<S> | null>({ ...rest, type: types, ...(list && { enum: [...list, null] }) })
}

/** Returns the schema of a field that may be omitted or null. Both mean the same. */
export function Maybe<S extends TSchema>(schema: S) {
  return Type.Optional(Nullable(schema))
}

const NAME_CHARS_MAX = 255
const OPAQUE_ID_CHARS_MAX = 255
/** Maximum size of a free-form object as JSON, in bytes. */
export const FREE_FORM_BYTES_MAX = 16 * 1024
const FREE_FORM_DEPTH_MAX = 32

/** Returns the schema of a label: 1 to 255 characters, not blank, stored unchanged. */
export function Name(description: string) {
  return Type.String({ minLength: 1, maxLength: NAME_CHARS_MAX, pattern: '\\S', description })
}

const EMAIL_CHARS_MAX = 254

/** Schema of an email address: text around one `@`, without spaces or control characters. */
export const Email = Type.String({
  minLength: 3,
  maxLength: EMAIL_CHARS_MAX,
  pattern: '^[^\\s@\\u0000-\\u001f\\u007f]+@[^\\s@\\u0000-\\u001f\\u007f]+$',
  description: 'An e-mail address.',
})

/** Returns the schema of a caller's own identifier, which is echoed and never interpreted. */
export function Opaque(description: string) {
  return Type.String({ minLength: 1, maxLength: OPAQUE_ID_CHARS_MAX, description })
}

/** Returns the schema of a caller's free-form object: at most 16 KiB as JSON, 32 levels deep, finite numbers only. */
export function FreeForm(description: string) {
  return Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    'x-free-form': { maxBytes: FREE_FORM_BYTES_MAX, maxDepth: FREE_FORM_DEPTH_MAX },
    description,
  })
}

/** Returns the schema of a free-form object in a response, without validation. */
export function Anything(description: string) {
  return Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, description })
}

/** Returns the schema of a time (RFC 3339). Responses always use UTC with `Z`. */
export function Moment(description: string) {
  return Type.String({ format: 'date-time', description, examples: ['2026-03-14T09:26:53Z'] })
}

/** Returns the schema of a time (RFC 3339) or a day, which means its start in UTC. Null means unknown. */
export function MomentOrDay(description: string) {
  return Type.Unsafe<string | null>(momentOrDay(['string', 'null'], description))
}

/** Returns the same schema without null, for query parameters that may be omitted. */
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
  original: 'ori',
  member: 'mem',
  session: 'ses',
  invitation: 'inv',
  group: 'grp',
  groupRole: 'grl',
} as const

export type IdKind = keyof typeof ID_PREFIXES

/** Id of one kind. Ids of different kinds are different types. */
export type Id<K extends IdKind> = `${(typeof ID_PREFIXES)[K]}_${string}`

/** Pattern after the prefix of an id: 26 characters of base32hex. The time comes first, so that ids sort by age. */
export const ID_TAIL = '[0-9a-v]{26}'

/** Returns the schema of an id of the given kinds in a path. A malformed id gives 404, like an unknown one. */
export function PathId<const K extends IdKind>(description: string, ...kinds: K[]) {
  const prefixes = kinds.map((kind) => ID_PREFIXES[kind]).join('|')
  return Type.Unsafe<Id<K>>({ type: 'string', pattern: `^(?:${prefixes})_${ID_TAIL}$`, description })
}

/** Returns the schema of an id in a response. */
export function ReplyId<K extends IdKind>(_kind: K, description: string) {
  return Type.Unsafe<Id<K>>({ type: 'string', description })
}

/** Returns the schema of an id in a body or query. Its existence is checked, but not its format. */
export function GivenId(description: string) {
  return Type.String({ minLength: 1, maxLength: OPAQUE_ID_CHARS_MAX, description })
}

const SECRET_CHARS_MAX = 8192

/** Returns the schema of a secret that only requests contain: 1 to 8192 characters, stored unchanged. */
export function WriteOnly(description: string) {
  return Type.String({ minLength: 1, maxLength: SECRET_CHARS_MAX, pattern: '\\S', writeOnly: true, description })
}

/** Returns the schema of a secret that is shown only once. It is null when the response is replayed. */
export function ShownOnce(description: string) {
  return Type.Unsafe<string | null>({ type: ['string', 'null'], 'x-shown-once': true, description })
}

/** Returns the names of the fields that are shown only once. */
export function shownOnce(reply: TSchema | undefined): string[] {
  const { properties = {} } = (reply ?? {}) as { properties?: Record<string, object> }
  return Object.keys(properties).filter((name) => 'x-shown-once' in properties[name]!)
}

const PAGE_ROWS_MAX = 1000

const paging = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: PAGE_ROWS_MAX,
      default: PAGE_ROWS_MAX,
      description: 'Maximum rows in one reply.',
    }),
  ),
  cursor: Type.Optional(Type.String({ description: 'The `next_cursor` of the previous reply, unchanged.' })),
}

const paged = {
  count: Type.Integer({ minimum: 0, description: 'Rows in this reply.' }),
  next_cursor: Type.Optional(Type.String({ description: 'Present when there are more rows.' })),
}

/** Returns the schema of one page of a list: its rows under a name, their count, the next cursor and extra fields. */
export function Page<const N extends string, Row extends TSchema, More extends TProperties = Record<never, never>>(
  rows: N,
  row: Row,
  more: More = {} as More,
) {
  const named = { [rows]: Type.Array(row) } as { [K in N]: TArray<Row> }
  return Type.Object({ ...named, ...paged, ...more })
}

/** Returns the common declaration of paged lists: query with filters, response and faults. */
export function listing<P extends TSchema, Filters extends TProperties = Record<never, never>>(
  page: P,
  filters: Filters = {} as Filters,
) {
  const query = Type.Object({ ...filters, ...paging })
  return { query, reply: { json: page }, faults: ['invalid_cursor'] } as const
}

/** Response of lifecycle operations and deletions. */
export const Done = Type.Object(
  { success: Type.Literal(true), message: Type.String({ description: 'What happened, in a sentence.' }) },
  { description: 'True: the operation succeeded.' },
)
export type Done = Static<typeof Done>

/** Header with which a caller waits until its data can be queried. */
export const preferHeader = {
  prefer: Type.Optional(
    Type.String({
      description:
        '`wait=N`: reply 200 with the finished job if it finishes within N seconds (at most 60), else 202. ' +
        '`wait=N, reading`: the same, but waits until its records are embedded and can be found by meaning.',
      examples: ['wait=10', 'wait=30, reading'],
    }),
  ),
}

/** The two headers for a customer-managed key. */
export const encryptionHeaders = {
  'x-encryption-token': Type.Optional(
    Type.String({
      description:
        'base64(iv[12] ‖ ciphertext[32] ‖ tag[16]): the caller’s 32-byte data key, encrypted with a key derived from ' +
        'the bearer token.',
    }),
  ),
  'x-encryption-key': Type.Optional(Type.String({ description: 'The caller’s 32-byte data key itself, in base64.' })),
}

/** The two headers for the new key in a change of a customer-managed key. */
export const newKeyHeaders = {
  'x-new-encryption-token': Type.Optional(
    Type.String({ description: 'The new data key, in the format of `X-Encryption-Token`.' }),
  ),
  'x-new-encryption-key': Type.Optional(
    Type.String({ description: 'The new data key, in the format of `X-Encryption-Key`.' }),
  ),
}
