import { operation } from './operation.ts'
import { GivenId, Moment, Name, Nullable, PathId, ReplyId, ShownOnce, type Static, Type as T } from './schema.ts'

const KEY_LIFE_DAYS_MAX = 3650

const UserId = T.String({ description: 'The platform account: `acct_…`, or the subject of the account’s tokens.' })

/** The caller's own account. */
export const Profile = T.Object({
  user_id: UserId,
  display_name: T.Unsafe<string | null>({ type: ['string', 'null'], description: 'The account’s name for people.' }),
  sandbox_id: T.Optional(
    Nullable(
      ReplyId(
        'sandbox',
        'The primary sandbox, used by the ingest shorthand: the one that you set, else your only active one.',
      ),
    ),
  ),
  project_id: T.Optional(Nullable(ReplyId('project', 'The default project of the ingest shorthand.'))),
})
export type Profile = Static<typeof Profile>

/** A change of the caller's account; an omitted field keeps its value. */
export const UpdateProfile = T.Object({
  display_name: T.Optional(Nullable(Name('The account’s name for people; null keeps it.'))),
  sandbox_id: T.Optional(Nullable(GivenId('A sandbox that you own or can write to; null for none of your choice.'))),
  project_id: T.Optional(Nullable(GivenId('A project of that sandbox; null for none.'))),
})
export type UpdateProfile = Static<typeof UpdateProfile>

/** What a new API key is made from. */
export const CreateApiKey = T.Object({
  name: Name('A label, for you.'),
  expires_in_days: T.Optional(
    Nullable(
      T.Integer({
        minimum: 1,
        maximum: KEY_LIFE_DAYS_MAX,
        description: 'Days until it stops working; never when omitted.',
      }),
    ),
  ),
})
export type CreateApiKey = Static<typeof CreateApiKey>

const keyFields = {
  id: ReplyId('key', 'The key’s id, to revoke it by.'),
  name: T.String(),
  key_prefix: T.String({ description: 'The first characters of the key, to recognise it by.' }),
  expires_at: T.Optional(Nullable(Moment('When it stops working.'))),
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
  last_used_at: T.Optional(Nullable(Moment('When it last opened a request.'))),
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

/** The operations on the caller's own account. */
export const accountOperations = {
  createApiKey: operation({
    method: 'POST',
    path: '/api/v1/api-keys',
    tag,
    summary: 'Make an API key',
    access: 'account',
    audit: { event: 'api_key.created' },
    retry: 'keyed',
    body: { json: CreateApiKey, example: { name: 'laptop', expires_in_days: 90 } },
    reply: { json: CreatedApiKey },
    status: 201,
    faults: [],
  }),
  listApiKeys: operation({
    method: 'GET',
    path: '/api/v1/api-keys',
    tag,
    summary: 'List your API keys, newest first',
    access: 'account',
    audit: { none: 'reads' },
    retry: 'safe',
    reply: { json: T.Array(ApiKey) },
    status: 200,
    faults: [],
  }),
  revokeApiKey: operation({
    method: 'DELETE',
    path: '/api/v1/api-keys/:key_id',
    tag,
    summary: 'Revoke an API key',
    access: 'account',
    audit: { event: 'api_key.revoked' },
    retry: 'safe',
    params: T.Object({ key_id: PathId('The key.', 'key') }),
    reply: { json: RevokedApiKey },
    status: 200,
    faults: ['not_found'],
  }),
  getProfile: operation({
    method: 'GET',
    path: '/api/v1/users/me/profile',
    tag,
    summary: 'Show your account',
    access: 'account',
    audit: { none: 'reads' },
    retry: 'safe',
    reply: { json: Profile },
    status: 200,
    faults: [],
  }),
  updateProfile: operation({
    method: 'POST',
    path: '/api/v1/users/me/profile',
    tag,
    summary: 'Change your account’s name, primary sandbox or default project',
    access: 'account',
    audit: { event: 'account.updated' },
    retry: 'safe',
    body: { json: UpdateProfile },
    reply: { json: Profile },
    status: 200,
    faults: ['not_found', 'project_archived'],
  }),
}
