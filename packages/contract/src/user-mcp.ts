import { CompleteAuthorization, Scopes, StartAuthorization } from './mcp-authorization.ts'
import { CHANGE, CREATE, operation } from './operation.ts'
import { sandboxParams } from './sandbox.ts'
import { Choice, FreeForm, Maybe, Name, type Static, Type as T } from './schema.ts'
import { sourceParams } from './source.ts'
import { Outcome, READ_MODES } from './tool-server.ts'

const NAMESPACE_CHARS_MAX = 64
const HEADER_CHARS_MAX = 64
const TOKEN_CHARS_MAX = 4096
const URL_CHARS_MAX = 2048
const TOOLS_MAX = 512
const CALLS_MAX = 32
const CAP_MAX = 600
const WEBHOOK_CAP_MAX = 6000
const CAP_DEFAULT = 60
const PARAMETERS_MAX = 8
const PARAMETER_CHARS_MAX = 255
const PLACES_MAX = 100
/** Values of `server_profile`. */
const PROFILE_CHOICES = ['auto', 'none'] as const
const WEBHOOK_CAP_DEFAULT = 600

/** Kinds of authentication at a tool server. */
export const AUTH_KINDS = ['bearer', 'header_token', 'oauth', 'none'] as const
export type AuthKind = (typeof AUTH_KINDS)[number]

const ToolName = T.String({ pattern: '^[A-Za-z0-9_.-]{1,128}$', description: 'The exact name of a tool.' })

/** A tool call whose result becomes records on every pull. */
export const IngestToolCall = T.Object({
  tool: ToolName,
  arguments: T.Optional(FreeForm('The arguments of the tool.')),
  map: T.Optional(FreeForm('The mapping of the result to records, as for generic JSON. Default: by field names.')),
  complete: T.Optional(
    T.Boolean({
      description:
        'true: the result lists everything, so a record that is missing in two results in a row is deleted. false: ' +
        'nothing is deleted. Default: true only for a tool without arguments, while nothing new appears in its result.',
    }),
  ),
})
export type IngestToolCall = Static<typeof IngestToolCall>

const Secret = (description: string) =>
  T.String({ minLength: 1, maxLength: TOKEN_CHARS_MAX, pattern: '^[\\x21-\\x7e]+$', writeOnly: true, description })
const BaseUrl = T.String({ minLength: 1, maxLength: URL_CHARS_MAX, description: 'The URL of the tool server: https.' })
const Kind = Choice(AUTH_KINDS, {
  description: 'Authorization of requests: a bearer token, a token in another header, OAuth consent, or none.',
})
const Cap = T.Integer({ minimum: 1, maximum: CAP_MAX, description: `Tool calls a minute; ${CAP_DEFAULT} by default.` })

const settings = {
  token: Maybe(Secret('The credential. It is encrypted and never shown again.')),
  auth_header: Maybe(
    T.String({
      pattern: `^[A-Za-z0-9!#$%&'*+.^_\`|~-]{1,${HEADER_CHARS_MAX}}$`,
      description: 'The header that carries the token; required with header_token.',
    }),
  ),
  scopes: Maybe(Scopes('With oauth: the scopes to request. Default: those that the server names.')),
  client_id: Maybe(
    T.String({
      pattern: `^[\\x21-\\x7e]{1,${URL_CHARS_MAX}}$`,
      description: 'With oauth: a client that was registered at the authorization server beforehand.',
    }),
  ),
  client_secret: Maybe(Secret('The secret of that client. It is encrypted and never shown again.')),
  app_namespace: Maybe(
    T.String({
      pattern: `^[A-Za-z0-9_.-]{1,${NAMESPACE_CHARS_MAX}}$`,
      description: 'The prefix of its tools, unique in the sandbox. Default: the id of the source.',
    }),
  ),
  allowed_tools: Maybe(
    T.Array(ToolName, { maxItems: TOOLS_MAX, description: 'The tools that may be called. Default: all.' }),
  ),
  ingest_tool_calls: Maybe(
    T.Array(IngestToolCall, {
      maxItems: CALLS_MAX,
      description:
        'Calls whose results become records on every pull. Without them, the tools are only called on request.',
    }),
  ),
  server_profile: Maybe(
    Choice(PROFILE_CHOICES, {
      description:
        'auto: read the server by its profile, if `GET …/providers` lists one for its address. Default when ' +
        'registering without allowed_tools and ingest_tool_calls. A tool in ingest_tool_calls is called only as ' +
        'stated there.',
    }),
  ),
  profile_parameters: Maybe(
    T.Array(
      T.Unsafe<Record<string, string>>({
        type: 'object',
        additionalProperties: { type: 'string', minLength: 1, maxLength: PARAMETER_CHARS_MAX },
        maxProperties: PARAMETERS_MAX,
      }),
      {
        maxItems: PLACES_MAX,
        description: 'Parameters of the profile: one object for each place to import, such as a repository.',
      },
    ),
  ),
  ingestion_mode: Maybe(
    Choice(READ_MODES, {
      description: 'Default with ingest_tool_calls or a profile: polling; otherwise manual.',
    }),
  ),
  rate_cap_per_minute: Maybe(Cap),
  webhook_rate_cap_per_minute: Maybe(
    T.Integer({
      minimum: 1,
      maximum: WEBHOOK_CAP_MAX,
      description: `Deliveries a minute; ${WEBHOOK_CAP_DEFAULT} by default.`,
    }),
  ),
}

/** Request body to register a tool server. */
export const RegisterUserMcp = T.Object({
  name: Name('A label for developers.'),
  base_url: BaseUrl,
  auth_kind: Kind,
  ...settings,
})
export type RegisterUserMcp = Static<typeof RegisterUserMcp>

/** Request body to update a tool server. An omitted or null field keeps its value. */
export const UpdateUserMcp = T.Object({
  name: Maybe(Name('The new label.')),
  base_url: Maybe(BaseUrl),
  auth_kind: Maybe(Kind),
  ...settings,
})
export type UpdateUserMcp = Static<typeof UpdateUserMcp>

const tag = 'Sources'
const all = '/api/v1/storage/sandboxes/:sandbox_id/sources'
const one = '/api/v1/storage/sandboxes/:sandbox_id/sources/:source_id/user-mcp'
const location = '/api/v1/storage/sandboxes/:sandbox_id/sources/:data_source_id'
const CHECKED =
  'A failed check is not an error reply: `status` is error and `health_error` has the reason. A violated rule gets ' +
  '400 in the form of the outcome, with a specific code in `error`.'
const example = {
  name: 'Deploy tools',
  base_url: 'https://tools.invalid/mcp',
  auth_kind: 'bearer',
  token: 'the-token-of-the-server',
  allowed_tools: ['list_deploys'],
  ingest_tool_calls: [{ tool: 'list_deploys', arguments: { environment: 'production' } }],
}

const change = { ...CHANGE, tag, access: 'editor', params: T.Object(sourceParams) } as const
const CONSENT =
  'With the consent, every editor of the sandbox can act as the consenting user at the server; ' +
  '`authorization.authorized_by` names the account.'

/** Operations on tool server sources. */
export const userMcpOperations = {
  createUserMcp: operation({
    ...CREATE,
    path: `${all}/user-mcp`,
    tag,
    summary: 'Register an MCP tool server',
    description: `The current tools of the server are listed and approved. ${CHECKED}`,
    access: 'editor',
    audit: { event: 'source.registered' },
    versioned: true,
    body: { json: RegisterUserMcp, example, refusal: 'outcome' },
    params: T.Object(sandboxParams),
    content: 'credentials',
    reply: { json: Outcome, location },
    faults: ['sandbox_not_active', 'project_archived', 'quota_exceeded', 'holds_plain_content'],
  }),
  updateUserMcp: operation({
    ...change,
    method: 'PATCH',
    path: one,
    summary: 'Change a tool server or its credential',
    description: `The server is checked again, and its current tools are approved. ${CHECKED}`,
    audit: { event: 'source.updated' },
    versioned: true,
    body: { json: UpdateUserMcp, example: { token: 'the-next-token' }, refusal: 'outcome' },
    content: 'credentials',
    reply: { json: Outcome },
    faults: ['sandbox_not_active', 'source_not_active', 'wrong_kind', 'holds_plain_content'],
  }),
  testUserMcp: operation({
    ...change,
    path: `${one}/test`,
    summary: 'Check a tool server now',
    description: CHECKED,
    audit: { event: 'source.tested' },
    versioned: true,
    content: 'credentials',
    reply: { json: Outcome },
    faults: ['sandbox_not_active', 'source_not_active', 'wrong_kind'],
  }),
  authorizeUserMcp: operation({
    ...change,
    path: `${one}/authorize`,
    summary: 'Start the consent of a source with auth_kind oauth',
    description: `Returns the URL to open in a browser. Earlier URLs become invalid. ${CONSENT}`,
    audit: { event: 'source.authorization_started' },
    body: { json: StartAuthorization, example: {}, refusal: 'outcome' },
    reply: { json: Outcome },
    faults: ['sandbox_not_active', 'source_not_active', 'wrong_kind'],
  }),
  completeUserMcpAuthorization: operation({
    ...change,
    retry: 'ask',
    path: `${one}/authorize/complete`,
    summary: 'Complete a consent with its confirmation code or callback URL',
    description:
      'Only the account that started the consent can complete it. After five wrong codes it becomes invalid. The ' +
      'server is checked with the new token, and its tools are approved if none were.',
    audit: { event: 'source.authorized' },
    body: { json: CompleteAuthorization, example: { code: 'WDJB-MJHT' }, refusal: 'outcome' },
    reply: { json: Outcome },
    faults: ['sandbox_not_active', 'source_not_active', 'wrong_kind'],
  }),
  revokeUserMcp: operation({
    ...change,
    path: `${one}/revoke`,
    summary: 'Delete the credentials of a tool server and disconnect it permanently',
    description:
      'Its secrets are deleted; its records stay. Has no effect on a disconnected source. With auth_kind oauth, the ' +
      'tokens are also revoked at the authorization server, and the source is not disconnected: it can be authorized ' +
      'again.',
    audit: { event: 'source.revoked' },
    versioned: true,
    reply: { json: Outcome },
    faults: ['sandbox_not_active', 'wrong_kind'],
  }),
}
