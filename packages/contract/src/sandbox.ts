import { CHANGE, CREATE, operation, READ } from './operation.ts'
import {
  Anything,
  Choice,
  Done,
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
  type Static,
  Type as T,
} from './schema.ts'

const BUCKET_CHARS_MIN = 3
const BUCKET_CHARS_MAX = 63
const REGION_CHARS_MAX = 63
const ENDPOINT_CHARS_MAX = 512
const PREFIX_CHARS_MAX = 512

const Bucket = T.String({
  minLength: BUCKET_CHARS_MIN,
  maxLength: BUCKET_CHARS_MAX,
  pattern: '^[a-z0-9][a-z0-9.-]*[a-z0-9]$',
  description: 'The bucket’s name, by the rules of S3.',
})
const Region = T.String({
  maxLength: REGION_CHARS_MAX,
  pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
  description: 'Its region, as named by the object store.',
})
const Endpoint = T.String({
  maxLength: ENDPOINT_CHARS_MAX,
  description: 'Where an S3-compatible store answers, https; AWS in the region when omitted.',
})
const Prefix = T.String({
  maxLength: PREFIX_CHARS_MAX,
  pattern: '^[A-Za-z0-9_.=/-]*$',
  description: 'The prefix of all object keys. Each sandbox has its own folder below it.',
})
/** Visible ASCII characters, which are valid in a header. */
const KEY_PATTERN = '^[\\x21-\\x7e]+$'
const KEY_CHARS_MAX = 1024
const Key = (description: string) =>
  T.String({ minLength: 1, maxLength: KEY_CHARS_MAX, pattern: KEY_PATTERN, writeOnly: true, description })
const AccessKeyId = Key('The access key’s id. It is encrypted and never returned.')
const SecretAccessKey = Key('The access key’s secret. It is encrypted and never returned.')

/** A custom bucket with its access key. */
export const GivenStorage = T.Object(
  {
    provider_type: Choice(['custom_s3']),
    bucket: Bucket,
    region: Region,
    endpoint: Maybe(Endpoint),
    prefix: Maybe(Prefix),
    access_key_id: AccessKeyId,
    secret_access_key: SecretAccessKey,
  },
  { description: 'Your own bucket for the sandbox’s data. Default: the storage of the service.' },
)
export type GivenStorage = Static<typeof GivenStorage>

/** A new access key for an existing custom bucket. */
export const GivenAccess = T.Object(
  { access_key_id: AccessKeyId, secret_access_key: SecretAccessKey },
  { description: 'A new access key for the sandbox’s own bucket. It is tested like the first one.' },
)
export type GivenAccess = Static<typeof GivenAccess>

/** Location of a sandbox's custom bucket. Its access key is never shown. */
export const Storage = T.Object({
  bucket: T.String(),
  region: T.String(),
  endpoint: Nullable(T.String({ description: 'Null for AWS.' })),
  prefix: T.String({ description: 'Without leading and trailing slashes.' }),
})
export type Storage = Static<typeof Storage>

export const TIERS = ['free', 'pro', 'enterprise'] as const
export type Tier = (typeof TIERS)[number]

export const SANDBOX_STATES = ['active', 'suspended', 'archived'] as const
export type SandboxState = (typeof SANDBOX_STATES)[number]

/** Roles in a sandbox, in ascending order. */
export const ROLES = ['viewer', 'editor', 'owner'] as const
export type Role = (typeof ROLES)[number]

const Limit = (description: string) =>
  Nullable(T.Integer({ minimum: 0, description: `${description}; null is unlimited.` }))

export const Limits = T.Object({
  max_data_sources: Limit('Sources'),
  max_projects: Limit('Projects'),
  max_storage_bytes: Limit('Bytes stored'),
  max_records: Limit('Records'),
  ingest_records_per_minute: Limit('Records accepted per minute'),
  queries_per_minute: Limit('Queries answered per minute'),
  reads_per_minute: Limit('Reads of entities, records and exports answered per minute'),
})
export type Limits = Static<typeof Limits>

const Used = (description: string) => T.Integer({ minimum: 0, description })

/** Usage of a sandbox's limits. */
export const Usage = T.Object({
  max_data_sources: Used('Sources that are neither disconnected nor archived.'),
  max_projects: Used('Projects.'),
  max_storage_bytes: Used('Size of the stored records’ content in bytes, as JSON in UTF-8.'),
  max_records: Used('Number of stored records.'),
  ingest_records_per_minute: Used('Records accepted in the last minute.'),
  queries_per_minute: Used('Queries answered in the last minute.'),
  reads_per_minute: Used('Reads of entities, records and exports in the last minute; 0 without a limit.'),
  reading: T.Object(
    {
      model: Nullable(T.String({ description: 'The embedding model; null if there is none.' })),
      records: Used('Records with vectors, which can also be found by meaning.'),
      waiting: Used('Records without vectors yet; they can be found by words.'),
    },
    { description: 'The state of embedding.' },
  ),
  rereading: T.Object(
    { waiting: Used('Records that wait for reindexing.') },
    {
      description:
        'Records stored by an older version of the service are reindexed in the background, so that they have blocks ' +
        'and phases. Until then they are used as before.',
    },
  ),
})
export type Usage = Static<typeof Usage>

/** A sandbox: an isolated store of knowledge for one end user of the caller's system. */
export const Sandbox = T.Object({
  sandbox_id: ReplyId('sandbox', 'The sandbox’s id.'),
  user_id: T.String({ description: 'The platform account that owns it.' }),
  owner_id: T.String({ description: 'Your identifier, unchanged.' }),
  name: T.String(),
  tier: Choice(TIERS),
  status: Choice(SANDBOX_STATES),
  storage_provider_type: Choice(['platform_s3', 'custom_s3']),
  storage: T.Optional(T.Object(Storage.properties, { description: 'Its own bucket; only visible to the owner.' })),
  limits: Limits,
  metadata: T.Optional(Anything('Your metadata, unchanged.')),
  created_at: Maybe(Moment('When it was created.')),
  access: Maybe(Choice(ROLES, { description: 'Your role on it.' })),
  is_external: T.Optional(T.Boolean({ default: false, description: 'True if you have access through a grant.' })),
  encrypted: T.Optional(T.Boolean({ description: 'True if its content is encrypted with a customer-managed key.' })),
  key_fingerprint: Maybe(T.String({ description: 'Identifies that key without revealing it.' })),
})
export type Sandbox = Static<typeof Sandbox>

/** Request body to create a sandbox. */
export const CreateSandbox = T.Object({
  name: Name('Unique among the sandboxes of one owner_id; compared exactly.'),
  owner_id: Opaque('Your identifier of the end user.'),
  tier: T.Optional(Choice(TIERS, { default: 'free' })),
  metadata: T.Optional(FreeForm('Your metadata, stored unchanged.')),
  storage: Maybe(GivenStorage),
})
export type CreateSandbox = Static<typeof CreateSandbox>

/** Request body to update a sandbox. An omitted or null field keeps its value; metadata is replaced. */
export const UpdateSandbox = T.Object({
  name: Maybe(Name('The new name; null keeps the old one.')),
  metadata: Maybe(FreeForm('Replaces the old metadata; null keeps it.')),
  storage: Maybe(GivenAccess),
})
export type UpdateSandbox = Static<typeof UpdateSandbox>

export const SandboxPage = Page('sandboxes', Sandbox)
export type SandboxPage = Static<typeof SandboxPage>

/** Numbers of deleted items by kind. */
export const DeletedCounts = T.Object({
  sql: T.Integer({ description: 'Rows in the control plane.' }),
  records: T.Integer(),
  entities: T.Integer(),
  links: T.Integer(),
  objects: T.Integer({ description: 'Files, or objects in the object store.' }),
})
export type DeletedCounts = Static<typeof DeletedCounts>

/** Response to the deletion of a sandbox, with counts by kind. */
export const DeletedSandbox = T.Object({ ...Done.properties, deleted: DeletedCounts })
export type DeletedSandbox = Static<typeof DeletedSandbox>

/** Path parameter of all operations inside a sandbox. */
export const sandboxParams = { sandbox_id: PathId('The sandbox.', 'sandbox') }

const tag = 'Sandboxes'
const path = '/api/v1/storage/sandboxes/:sandbox_id'
const read = { ...READ, tag, access: 'viewer', params: T.Object(sandboxParams) } as const
const change = { ...CHANGE, tag, access: 'owner', params: T.Object(sandboxParams) } as const

export const sandboxOperations = {
  createSandbox: operation({
    ...CREATE,
    path: '/api/v1/storage/sandboxes',
    tag,
    summary: 'Create a sandbox',
    description:
      'Names are compared exactly, including case, Unicode form and spaces. Your own bucket is tested before ' +
      'anything is created, with the operations that Cairn uses: put, get, range, list, conditional put, delete. The ' +
      'error names the step that fails.',
    access: 'account',
    member: 'member',
    audit: { event: 'sandbox.created' },
    versioned: true,
    body: {
      json: CreateSandbox,
      example: { name: 'Field notes', owner_id: '7b0e4c1e-6a3f-4f0e-9a3e-2f5d8c1b9a10', tier: 'free' },
    },
    reply: { json: Sandbox, location: path },
    faults: ['duplicate_name', 'storage_unfit', 'sandboxes_max'],
  }),
  listSandboxes: operation({
    ...READ,
    path: '/api/v1/storage/sandboxes',
    tag,
    summary: 'List the sandboxes that you own or have access to through a grant, newest first',
    description: 'Archived sandboxes are listed only on request.',
    access: 'account',
    forConnectionKeys: true,
    ...listing(SandboxPage, {
      status: T.Optional(Choice(SANDBOX_STATES, { description: 'Only sandboxes in this state.' })),
      owner_id: T.Optional(Opaque('Only the sandboxes of this owner.')),
    }),
  }),
  getSandbox: operation({
    ...read,
    path,
    summary: 'Show a sandbox',
    versioned: true,
    reply: { json: Sandbox },
  }),
  getSandboxUsage: operation({
    ...read,
    path: `${path}/usage`,
    summary: 'Show a sandbox’s usage of its limits',
    description: 'The same keys as in `limits`. A grant that is limited to a project does not show the whole sandbox.',
    reply: { json: Usage },
    faults: ['grant_limits'],
  }),
  updateSandbox: operation({
    ...change,
    method: 'PATCH',
    path,
    summary: 'Rename a sandbox, replace its metadata or the access key of its own bucket',
    audit: { event: 'sandbox.updated' },
    versioned: true,
    body: { json: UpdateSandbox, example: { name: 'Field notes 2026' } },
    reply: { json: Sandbox },
    faults: ['duplicate_name', 'sandbox_not_active', 'no_own_storage', 'storage_unfit'],
  }),
  deleteSandbox: operation({
    ...change,
    method: 'DELETE',
    path,
    summary: 'Delete a sandbox and everything in it',
    description: 'It is inaccessible when the reply arrives, and no byte of it is left after 60 seconds.',
    audit: { event: 'sandbox.deleted' },
    versioned: true,
    reply: { json: DeletedSandbox },
  }),
}
