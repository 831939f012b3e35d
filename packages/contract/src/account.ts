import { CHANGE, CREATE, operation, READ } from './operation.ts'
import { GivenId, Maybe, Moment, Name, PathId, ReplyId, ShownOnce, type Static, Type as T } from './schema.ts'

const KEY_LIFE_DAYS_MAX = 3650

const UserId = T.String({ description: 'The platform account: `acct_…`, or the subject of the account’s tokens.' })

/** The caller's own account. */
export const Profile = T.Object({
  user_id: UserId,
  display_name: T.Unsafe<string | null>({ type: ['string', 'null'], description: 'The account’s name for people.' }),
  sandbox_id: Maybe(
    ReplyId(
      'sandbox',
      'The primary sandbox, used by the ingest shorthand: the one that you set, else your only active one.',
    ),
  ),
  project_id: Maybe(ReplyId('project', 'The default project of the ingest shorthand.')),
})
export type Profile = Static<typeof Profile>

/** A change of the caller's account; an omitted field keeps its value. */
export const UpdateProfile = T.Object({
  display_name: Maybe(Name('The account’s name for people; null keeps it.')),
  sandbox_id: Maybe(GivenId('A sandbox that you own or can write to; null for none of your choice.')),
  project_id: Maybe(GivenId('A project of that sandbox; null for none.')),
})
export type UpdateProfile = Static<typeof UpdateProfile>

/** What a new API key is made from. */
export const CreateApiKey = T.Object({
  name: Name('A label, for you.'),
  expires_in_days: Maybe(
    T.Integer({
      minimum: 1,
      maximum: KEY_LIFE_DAYS_MAX,
      description: 'Days until it stops working; never when omitted.',
    }),
  ),
})
export type CreateApiKey = Static<typeof CreateApiKey>

const keyFields = {
  id: ReplyId('key', 'The key’s id, to revoke it by.'),
  name: T.String(),
  key_prefix: T.String({ description: 'The first characters of the key, to recognise it by.' }),
  expires_at: Maybe(Moment('When it stops working.')),
  created_at: Moment('When it was made.'),
}

/** A new API key, with its plaintext, which is never shown again. */
export const CreatedApiKey = T.Object({
  ...keyFields,
  key: ShownOnce('The key itself, shown this once.'),
  warning: T.String({ description: 'That the key is shown only here.' }),
})
export type CreatedApiKey = Static<typeof CreatedApiKey>

/** An API key as it is listed. */
export const ApiKey = T.Object({
  ...keyFields,
  last_used_at: Maybe(Moment('When it last opened a request.')),
  use_count: T.Integer({ minimum: 0, description: 'Requests it has opened.' }),
  is_expired: T.Boolean(),
})
export type ApiKey = Static<typeof ApiKey>

/** The answer to revoking a key. */
export const RevokedApiKey = T.Object({
  revoked: T.Literal(true),
  id: ReplyId('key', 'The key’s id.'),
  name: T.String(),
})
export type RevokedApiKey = Static<typeof RevokedApiKey>

const tag = 'Account'
const read = { ...READ, tag, access: 'account' } as const
const change = { ...CHANGE, tag, access: 'account' } as const

/** The operations on the caller's own account. */
export const accountOperations = {
  createApiKey: operation({
    ...CREATE,
    path: '/api/v1/api-keys',
    tag,
    summary: 'Make an API key',
    access: 'account',
    audit: { event: 'api_key.created' },
    body: { json: CreateApiKey, example: { name: 'laptop', expires_in_days: 90 } },
    reply: { json: CreatedApiKey },
    faults: [],
  }),
  listApiKeys: operation({
    ...read,
    path: '/api/v1/api-keys',
    summary: 'List your API keys, newest first',
    reply: { json: T.Array(ApiKey) },
    faults: [],
  }),
  revokeApiKey: operation({
    ...change,
    method: 'DELETE',
    path: '/api/v1/api-keys/:key_id',
    summary: 'Revoke an API key',
    audit: { event: 'api_key.revoked' },
    params: T.Object({ key_id: PathId('The key.', 'key') }),
    reply: { json: RevokedApiKey },
    faults: ['not_found'],
  }),
  getProfile: operation({
    ...read,
    path: '/api/v1/users/me/profile',
    summary: 'Show your account',
    reply: { json: Profile },
    faults: [],
  }),
  updateProfile: operation({
    ...change,
    path: '/api/v1/users/me/profile',
    summary: 'Change your account’s name, primary sandbox or default project',
    audit: { event: 'account.updated' },
    body: { json: UpdateProfile },
    reply: { json: Profile },
    faults: ['not_found', 'project_archived'],
  }),
}
