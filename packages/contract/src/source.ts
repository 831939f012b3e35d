import { McpAuthorization } from './mcp-authorization.ts'
import { CHANGE, CREATE, operation, READ } from './operation.ts'
import { sandboxParams } from './sandbox.ts'
import {
  Anything,
  Choice,
  FreeForm,
  listing,
  Maybe,
  Moment,
  Name,
  Nullable,
  Opaque,
  Page,
  PathId,
  ReplyId,
  ShownOnce,
  type Static,
  Type as T,
  WriteOnly,
} from './schema.ts'

/** Ways in which a source's records arrive. */
export const INGESTION_MODES = ['realtime', 'polling', 'batch', 'manual'] as const
export type IngestionMode = (typeof INGESTION_MODES)[number]

/** Lifetime of a source: until deleted, or until idle. */
export const SOURCE_KINDS = ['durable', 'ephemeral'] as const
export type SourceKind = (typeof SOURCE_KINDS)[number]

export const SOURCE_STATES = ['active', 'paused', 'disconnected', 'error', 'archived'] as const
export type SourceState = (typeof SOURCE_STATES)[number]

const POLL_SECONDS_MIN = 60
const POLL_SECONDS_MAX = 30 * 24 * 60 * 60
const PROVIDER_CHARS_MAX = 64

const ProviderField = T.String({
  minLength: 1,
  maxLength: PROVIDER_CHARS_MAX,
  pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]*$',
  description: 'The provider type, for example `slack`, `github` or `linear`.',
})

const PollInterval = T.Integer({
  minimum: POLL_SECONDS_MIN,
  maximum: POLL_SECONDS_MAX,
  description: 'Seconds between two polls. Default in polling mode: 900. Stored but unused in other modes.',
})

/** A source: an integration that feeds records into a sandbox. */
export const Source = T.Object({
  data_source_id: ReplyId('source', 'The source’s id.'),
  user_id: T.String({ description: 'The platform account that owns it.' }),
  sandbox_id: ReplyId('sandbox', 'The sandbox that stores its records.'),
  provider: T.String(),
  name: T.String(),
  ingestion_mode: Choice(INGESTION_MODES),
  status: Choice(SOURCE_STATES),
  kind: T.Optional(Choice(SOURCE_KINDS, { default: 'durable' })),
  external_account_id: Maybe(T.String({ description: 'The account at the provider.' })),
  adapter_config: T.Optional(Anything('The provider’s settings.')),
  poll_interval_seconds: Maybe(T.Integer()),
  webhook_url: Maybe(T.String({ description: 'Where a realtime source’s sender posts to.' })),
  webhook_signing_secret: T.Optional(ShownOnce('The sender’s bearer secret, only in the reply that creates it.')),
  last_sync_at: Maybe(Moment('The time of the latest successful ingest.')),
  last_error: T.Optional(
    T.String({ description: 'The reason why the latest pull failed, as a stable code; absent if it succeeded.' }),
  ),
  credential_under_key: T.Optional(
    T.Boolean({ description: 'True if the credential is encrypted with the customer-managed key; absent otherwise.' }),
  ),
  authorization: T.Optional(McpAuthorization),
  created_at: Maybe(Moment('When it was registered.')),
})
export type Source = Static<typeof Source>

const Credential = WriteOnly(
  'The credential for the provider’s API, such as a token. It is encrypted and never shown again.',
)

const SigningSecret = WriteOnly(
  'The secret with which the provider signs its deliveries if it cannot send a bearer token. It is encrypted and ' +
    'never shown again.',
)

/** Request body to register a source. */
export const RegisterSource = T.Object({
  provider: ProviderField,
  name: Name('A label for developers.'),
  ingestion_mode: T.Optional(Choice(INGESTION_MODES, { default: 'manual' })),
  kind: T.Optional(Choice(SOURCE_KINDS, { default: 'durable' })),
  external_account_id: Maybe(Opaque('The account at the provider, such as a workspace.')),
  adapter_config: T.Optional(FreeForm('The provider’s settings; credentials are rejected here.')),
  poll_interval_seconds: Maybe(PollInterval),
  provider_credential: Maybe(Credential),
  provider_signing_secret: Maybe(SigningSecret),
})
export type RegisterSource = Static<typeof RegisterSource>

/** Request body to update a source. An omitted field keeps its value; null clears a nullable field. */
export const UpdateSource = T.Object({
  name: Maybe(Name('The new label; null keeps the old one.')),
  ingestion_mode: Maybe(Choice(INGESTION_MODES)),
  external_account_id: Maybe(Opaque('The account at the provider; null clears it.')),
  adapter_config: Maybe(FreeForm('Replaces the old settings, or is merged into them; null keeps them.')),
  poll_interval_seconds: Maybe(PollInterval),
  provider_credential: Maybe({ ...Credential, description: 'The new credential; null removes it.' }),
  provider_signing_secret: Maybe({
    ...SigningSecret,
    description: 'The provider’s new signing secret; null removes it.',
  }),
})
export type UpdateSource = Static<typeof UpdateSource>

export const SourcePage = Page('sources', Source)
export type SourcePage = Static<typeof SourcePage>

export const sourceParams = { ...sandboxParams, source_id: PathId('The source.', 'source') }

const tag = 'Sources'
const all = '/api/v1/storage/sandboxes/:sandbox_id/sources'
const one = '/api/v1/storage/sandboxes/:sandbox_id/sources/:source_id'
const read = { ...READ, tag, access: 'viewer' } as const

export const sourceOperations = {
  createSource: operation({
    ...CREATE,
    path: all,
    tag,
    summary: 'Register a source',
    access: 'editor',
    audit: { event: 'source.registered' },
    versioned: true,
    params: T.Object(sandboxParams),
    content: 'credentials',
    body: { json: RegisterSource, example: { provider: 'slack', name: 'Team chat', ingestion_mode: 'manual' } },
    reply: { json: Source, location: '/api/v1/storage/sandboxes/:sandbox_id/sources/:data_source_id' },
    faults: [
      'secret_in_config',
      'use_secret_endpoint',
      'polling_under_key',
      'not_pollable',
      'holds_plain_content',
      'sandbox_not_active',
      'project_archived',
      'quota_exceeded',
    ],
  }),
  listSources: operation({
    ...read,
    path: all,
    summary: 'List the sources of a sandbox, newest first',
    params: T.Object(sandboxParams),
    ...listing(SourcePage, {
      provider: T.Optional(Opaque('Only sources of this provider.')),
      status: T.Optional(Choice(SOURCE_STATES, { description: 'Only sources in this state.' })),
    }),
  }),
  getSource: operation({
    ...read,
    path: one,
    summary: 'Show a source',
    versioned: true,
    params: T.Object(sourceParams),
    reply: { json: Source },
  }),
  updateSource: operation({
    ...CHANGE,
    method: 'PATCH',
    path: one,
    tag,
    summary: 'Change a source',
    access: 'editor',
    audit: { event: 'source.updated' },
    versioned: true,
    params: T.Object(sourceParams),
    query: T.Object({
      merge_adapter_config: T.Optional(
        T.Boolean({
          default: false,
          description: 'Merge adapter_config deeply into the old one instead of replacing it.',
        }),
      ),
    }),
    content: 'credentials',
    body: { json: UpdateSource, example: { name: 'Team chat (EU)' } },
    reply: { json: Source },
    faults: [
      'secret_in_config',
      'use_secret_endpoint',
      'polling_under_key',
      'not_pollable',
      'holds_plain_content',
      'sandbox_not_active',
      'source_not_active',
    ],
  }),
}

/** One way to connect a product. */
export const ProviderConnection = T.Object({
  ingestion_mode: Choice(['realtime', 'polling'], {
    description: 'The product delivers to a webhook, or Cairn reads it.',
  }),
  path: T.String({ description: 'Where a source of it is registered, under the sandbox’s address.' }),
  credential: Nullable(
    T.String({ description: 'The registration field for the product’s secret; null if it has none.' }),
  ),
  forms: T.Array(T.String(), { description: 'The body formats that its webhook accepts.' }),
  settings_in: Nullable(
    T.String({ description: 'The registration field for the settings; null if the settings are top-level fields.' }),
  ),
  settings: Anything('The settings, as a JSON Schema.'),
})
export type ProviderConnection = Static<typeof ProviderConnection>

/** A public MCP server that is read without naming its tools. */
export const ServerProfile = T.Object({
  profile: T.String({ description: 'The name of the profile.' }),
  name: T.String({ description: 'The display name of the server.' }),
  urls: T.Array(T.String(), {
    description: 'Accepted values of base_url. `{name}` matches one path segment.',
  }),
  client: T.String({ description: 'Client registration that the authorization server requires.' }),
  parameters: Anything('JSON Schema of each object in profile_parameters.'),
  imports: T.Array(T.String(), { description: 'The types of its records.' }),
  limits: T.Array(T.String(), { description: 'Limitations of an import with this profile.' }),
  documentation: T.Array(T.Object({ url: T.String(), date: Nullable(T.String()) }), {
    description: 'The public pages that describe its tools. Null: the page has no date.',
  }),
})
export type ServerProfile = Static<typeof ServerProfile>

/** A product that can be connected. */
export const Provider = T.Object({
  provider: T.String({ description: 'Its value of `provider`.' }),
  aliases: T.Array(T.String(), { description: 'Other accepted values.' }),
  name: T.String({ description: 'Its display name.' }),
  ways: T.Array(ProviderConnection),
  profiles: T.Optional(T.Array(ServerProfile, { description: 'With user_mcp: the servers that have a profile.' })),
})
export type Provider = Static<typeof Provider>

/** All products that can be connected. */
export const Providers = T.Object({ providers: T.Array(Provider), count: T.Integer() })
export type Providers = Static<typeof Providers>

/** Operation that lists the products that can be connected. */
export const providerOperations = {
  listProviders: operation({
    ...READ,
    path: '/api/v1/storage/sandboxes/:sandbox_id/providers',
    tag: 'Sources',
    summary: 'List the supported providers with their connection methods and settings',
    description: 'A product that is not listed delivers like `json`, with a `provider` value of your choice.',
    access: 'viewer',
    params: T.Object(sandboxParams),
    reply: { json: Providers },
  }),
}
