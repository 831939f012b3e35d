import { CHANGE, CREATE, operation, READ } from './operation.ts'
import { sandboxParams } from './sandbox.ts'
import {
  Choice,
  Done,
  Email,
  GivenId,
  listing,
  Maybe,
  Moment,
  Name,
  Nullable,
  Page,
  PathId,
  ReplyId,
  ShownOnce,
  type Static,
  Type as T,
} from './schema.ts'

/** Roles that a grant can have. */
export const GRANTED_ROLES = ['viewer', 'editor'] as const

export const CONNECTION_STATES = ['active', 'revoked', 'expired'] as const

/** A grant that gives another account a role in a sandbox or in one of its projects. */
export const Connection = T.Object({
  connection_id: ReplyId('connection', 'The connection’s id.'),
  sandbox_id: ReplyId('sandbox', 'The sandbox that is shared.'),
  user_id: Nullable(
    T.String({ description: 'The account or member that it is shared with; null for a group or an invited address.' }),
  ),
  grantee: Maybe(
    T.Object(
      {
        member_id: T.Optional(T.String()),
        group_id: T.Optional(T.String()),
        email: T.Optional(T.String()),
      },
      { description: 'The member, group or invited address that it is shared with; null for an account.' },
    ),
  ),
  role: Choice(GRANTED_ROLES),
  project_id: Maybe(ReplyId('project', 'The one project it is limited to; null for the whole sandbox.')),
  label: Maybe(T.String({ description: 'A label of your choice.' })),
  expires_at: Maybe(Moment('When it expires.')),
  revoked_at: Maybe(Moment('When it was revoked.')),
  created_by: T.String({ description: 'The account that created it.' }),
  created_at: Moment('When it was created.'),
  status: Choice(CONNECTION_STATES),
})
export type Connection = Static<typeof Connection>

/** A member, a group or an invited address of the sandbox's account. Exactly one is set. */
export const Grantee = T.Object(
  {
    member_id: Maybe(GivenId('A member.')),
    group_id: Maybe(GivenId('A group: all its current members.')),
    email: Maybe(Email),
  },
  {
    description:
      'Instead of `user_id`: a member or a group of your account, or an e-mail address to invite. A grant to an ' +
      'address takes effect when someone joins with it.',
  },
)
export type Grantee = Static<typeof Grantee>

/** Request body to create a connection. */
export const CreateConnection = T.Object({
  user_id: T.Optional(GivenId('The account to share with, not your own.')),
  grantee: Maybe(Grantee),
  email: Maybe(T.String({ description: 'Not implemented. Use `grantee` for an address.' })),
  role: Choice(GRANTED_ROLES),
  project_id: Maybe(GivenId('Limits it to this project with its sources and knowledge. Default: the whole sandbox.')),
  label: Maybe(Name('A label of your choice.')),
  expires_at: Maybe(Moment('When it expires: a time in the future. Default: never.')),
})
export type CreateConnection = Static<typeof CreateConnection>

/** A new connection key with its plaintext, which is shown only once. */
export const ConnectionKey = T.Object({
  api_key_id: ReplyId('key', 'The key’s id; DELETE /api/v1/api-keys/{key_id} revokes only this key.'),
  plaintext_key: ShownOnce('The key itself. It is shown only once.'),
  key_prefix: T.String({ description: 'The first characters of the key, to recognize it.' }),
  expires_at: Maybe(Moment('When its connection expires.')),
  warning: T.String({ description: 'A warning that the key is shown only here.' }),
})
export type ConnectionKey = Static<typeof ConnectionKey>

/** One event of the audit log. It contains ids and event names, and no content. */
export const AuditEvent = T.Object({
  seq: T.Integer({ minimum: 1, description: 'Its number in the log, from 1 without gaps.' }),
  at: Moment('When it happened.'),
  event: T.String({ description: 'The event, such as `source.created`.', examples: ['source.created'] }),
  actor_user_id: Nullable(T.String({ description: 'The acting account or member; null for the operator.' })),
  credential_id: Nullable(
    T.String({
      description:
        'The credential used: the id of a key or session, `jwt_…` for a token, `admin_key`, or null for the service.',
    }),
  ),
  subject_id: Nullable(T.String({ description: 'The id of the changed object.' })),
  request_id: Nullable(T.String({ description: 'The id of the request.' })),
  previous_hash: T.String({ description: 'The hash of the previous event in hexadecimal; zeros for the first.' }),
  hash: T.String({ description: 'SHA-256 of the event’s fields and of `previous_hash`, in hexadecimal.' }),
})
export type AuditEvent = Static<typeof AuditEvent>

export const AuditPage = Page('events', AuditEvent)
export type AuditPage = Static<typeof AuditPage>

const tag = 'Sharing'
const path = '/api/v1/storage/sandboxes/:sandbox_id/connections'
const params = T.Object(sandboxParams)
const connectionParams = T.Object({ ...sandboxParams, connection_id: PathId('The connection.', 'connection') })
const create = { ...CREATE, tag, access: 'owner' } as const
const read = { ...READ, tag, access: 'owner', params } as const

/** Operations to share a sandbox, and its audit log. */
export const sharingOperations = {
  createConnection: operation({
    ...create,
    path,
    summary: 'Share a sandbox, or one project of it, with an account, a member or a group',
    description: 'If an account has several connections to a sandbox, the one with the widest role applies.',
    audit: { event: 'connection.created' },
    params,
    body: {
      json: CreateConnection,
      example: { user_id: 'acct_1k7snijt400stehm51qeapguuc', role: 'viewer', label: 'Support team' },
    },
    reply: { json: Connection },
    faults: ['unknown_grantee', 'unknown_member', 'not_implemented', 'project_archived', 'sandbox_not_active'],
  }),
  listConnections: operation({
    ...read,
    path,
    summary: 'List whom a sandbox is shared with, newest first',
    description: 'Revoked connections are listed only on request; expired ones always.',
    query: T.Object({
      include_revoked: T.Optional(T.Boolean({ default: false, description: 'True to list revoked connections too.' })),
    }),
    reply: { json: T.Array(Connection) },
  }),
  revokeConnection: operation({
    ...CHANGE,
    method: 'DELETE',
    path: `${path}/:connection_id`,
    tag,
    summary: 'Revoke a connection and all its keys',
    description: 'Has no effect on a revoked connection.',
    access: 'owner',
    audit: { event: 'connection.revoked' },
    params: connectionParams,
    reply: { json: Done },
  }),
  createConnectionKey: operation({
    ...create,
    path: `${path}/:connection_id/api-keys`,
    summary: 'Create a key for a connection',
    description:
      'The key acts as the connection’s account, only in this sandbox and through this connection, and expires with ' +
      'it. Other sandboxes get 404, and operations on the account get 403 ' +
      '(`connection_key_limits`). It is listed among your API keys.',
    audit: { event: 'connection_key.created' },
    params: connectionParams,
    reply: { json: ConnectionKey },
    faults: ['connection_not_active', 'group_grant'],
  }),
  listAudit: operation({
    ...read,
    path: '/api/v1/storage/sandboxes/:sandbox_id/audit',
    summary: 'Show the audit log of a sandbox, newest first',
    description: 'Each event contains the hash of the previous one, so changed or removed events can be detected.',
    ...listing(AuditPage),
  }),
}
