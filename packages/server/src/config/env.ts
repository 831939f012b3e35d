import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Settings of the service by environment variable, with description and default. Only this file reads them. */
export const SETTINGS = {
  CAIRN_HOST: 'Address to listen on. Default 127.0.0.1.',
  CAIRN_PORT: 'Port to listen on. Default 8484; 0 picks a free one.',
  CAIRN_DATA: 'Folder of the embedded engines. Default ./data.',
  CAIRN_EXAMPLE: 'Set to "off" to load no example workspace on a first start.',
  CAIRN_BOOTSTRAP_API_KEY:
    "Becomes the first account's API key instead of a generated one; it must have the key format.",
  CAIRN_FACTS:
    'Set to "off" to extract no relations from plain text. Stored relations stay. Off with CAIRN_MENTIONS. Default on.',
  CAIRN_MENTIONS: 'Set to "off" to extract no names from plain text. Stored names stay. Default on.',
  CAIRN_MASTER_KEY:
    'Root of all keys: 32 bytes in base64. Embedded mode creates one, in master.key of the data folder.',
  CAIRN_MASTER_KEY_FILE: 'A file with the master key.',
  CAIRN_MASTER_KEY_PREVIOUS:
    'Earlier master keys, separated by commas. The next start encrypts their data under the current key.',
  CAIRN_ADMIN_KEY:
    "The operator's key. Embedded mode creates one, in admin.key of the data folder; otherwise unset means none.",
  CAIRN_JWT_JWKS_URL: 'https URL of the public keys of your token issuer. Its tokens then give access to the API.',
  CAIRN_JWT_PUBLIC_KEY: "Instead: the issuer's public key, as PEM or JWK or a file of either.",
  CAIRN_JWT_SECRET: 'Instead: a secret shared with the issuer, at least 32 bytes.',
  CAIRN_JWT_ISSUER: 'The `iss` that tokens must have. Required with tokens.',
  CAIRN_JWT_AUDIENCE: 'The `aud` that tokens must have. Required with tokens.',
  CAIRN_JWT_ALGORITHMS:
    'Accepted signatures, separated by commas. Default RS256,ES256,EdDSA; that of the public key; HS256 with a secret.',
  CAIRN_JWT_ACCOUNT_CLAIM: "The claim with the account's id, 1 to 255 printable characters. Default sub.",
  CAIRN_PUBLIC_URL:
    'Base of webhook URLs and of the OAuth redirect URI, as users see it. Default: the address it listens on.',
  CAIRN_TRUST_PROXY: 'Proxies whose X-Forwarded headers are trusted: their addresses, or true for all. Default: none.',
  CAIRN_CORS_ORIGINS:
    'Sites whose pages may use the API in a browser, such as https://app.example, separated by commas. Default: none.',
  CAIRN_NODE_URL:
    'Address of this process for other processes, such as http://10.0.0.3:8484. Unset: they forward nothing to it.',
  CAIRN_ROLE: 'api answers requests, worker does background work, all does both. Default all.',
  CAIRN_CONNECTIONS_MAX: 'Maximum open connections; more are rejected. Default: what the limit on open files leaves.',
  CAIRN_GRAPH_MIB:
    'Memory for all indexes. A sandbox whose index needs more is rejected. Default: half of the memory of the process.',
  CAIRN_RECORD_CACHE_MIB: 'Memory for recently read records of all sandboxes. Default 192.',
  CAIRN_STORE_CACHE_MIB: 'Memory for the index and metadata cache of LanceDB. Default 96.',
  CAIRN_CACHE_MIB:
    'Disk cache in the data folder for objects of buckets. Default 1024; 0 disables it, otherwise at least 64.',
  CAIRN_RANK_THREADS:
    'Threads that rank in large sandboxes. 0: the serving thread ranks all. Default: one fewer than cores.',
  CAIRN_LIMITS:
    'JSON or a file: limits per tier of sandboxes and accounts instead of the defaults (embedded: none). null: none.',
  CAIRN_EPHEMERAL_IDLE_HOURS: 'An ephemeral source is archived after this many hours without a call. Default 24.',
  CAIRN_AUDIT_RETENTION_MONTHS:
    'Months of the audit log that are stored, 3 to 1200. Older months are dropped. Unset: all.',
  CAIRN_ANSWER_DAYS: 'Days that an answer is stored. 0 stores none. Default 30.',
  CAIRN_ORIGINAL_MIB:
    'Files up to this size are stored with the records that were read from them. Default 64; 0 stores none.',
  CAIRN_JOB_RETENTION_DAYS: 'Days after its end that a job is stored. Default 90.',
  CAIRN_RESTORABLE_DAYS:
    'Maximum age of a backup that can be restored. The ids of erased data are stored that long. Default 35.',
  CAIRN_DISK_RESERVE_MIB:
    'With less free disk space in the data folder, ingest is rejected. Default 256; 0 disables it.',
  CAIRN_UPLOAD_BYTES_PER_SECOND:
    'An upload that is slower, averaged over 30 seconds, is ended with 408. Default 8192; 0 disables it.',
  CAIRN_UPLOAD_MINUTES: 'An upload that takes longer is ended with 408. Default 120.',
  CAIRN_ALLOW_LOOPBACK: 'Set to "on" to allow sources and buckets on this machine, for development. Default off.',
  CAIRN_MODEL_BASE_URL:
    'A language model behind an OpenAI-compatible API, such as http://127.0.0.1:11434/v1. Unset: none.',
  CAIRN_MODEL_NAME: 'The name of that model.',
  CAIRN_MODEL_API_KEY: 'Its key, if required.',
  CAIRN_MODEL_JSON: 'schema, or object if the server does not support JSON schemas. Default schema.',
  CAIRN_MODEL_TIMEOUT_SECONDS: 'After this time the answer is made without the model. Default 20.',
  CAIRN_MODEL_DAILY_TOKENS:
    'Tokens that the language model may read and write for an account per day (UTC). Unset: unlimited.',
  CAIRN_MODEL_INPUT_PRICE: 'US dollars per million input tokens, for `GET /api/v1/usage`. Default 0.',
  CAIRN_MODEL_OUTPUT_PRICE: 'US dollars per million output tokens. Default 0.',
  CAIRN_ENCODER:
    'The encoder: "off" ranks by words and names only; a folder has another model than the built-in one. Default on.',
  CAIRN_RERANK_BASE_URL:
    'A reranker with a /rerank API like that of Cohere and Jina, such as https://api.jina.ai/v1. Unset: none.',
  CAIRN_RERANK_NAME: 'The name of that model.',
  CAIRN_RERANK_API_KEY: 'Its key, if required.',
  CAIRN_RERANK_TIMEOUT_SECONDS: 'After this time the answer is made without the reranker. Default 2.',
  CAIRN_RERANK_PRICE: 'US dollars per million tokens of texts and questions. Default 0.',
  CAIRN_EMBED_BASE_URL:
    'An embedding model behind an OpenAI-compatible /embeddings, such as http://127.0.0.1:11434/v1. Unset: none.',
  CAIRN_EMBED_NAME: 'The name of that model. With another name all records are embedded again.',
  CAIRN_EMBED_API_KEY: 'Its key, if required.',
  CAIRN_EMBED_DIMENSIONS: 'Dimensions of its vectors, 8 to 4096. Required with it.',
  CAIRN_EMBED_SEND_DIMENSIONS: 'on sends the dimensions to models whose vectors can be shortened. Default off.',
  CAIRN_EMBED_QUERY_PREFIX: 'Prefix of a question, such as query:. Default none.',
  CAIRN_EMBED_TEXT_PREFIX: 'Prefix of a text, such as passage:. Default none.',
  CAIRN_EMBED_CHARS: 'Characters of each record or passage that are sent, 100 to 32000. Default 2000.',
  CAIRN_EMBED_SIMILARITY_MIN:
    'Minimum cosine of a related record. Models differ in the similarity of unrelated texts. Default 0.3.',
  CAIRN_EMBED_TIMEOUT_SECONDS: 'After this time a question is answered without its vector. Default 1.',
  CAIRN_EMBED_REQUESTS_PER_MINUTE: 'Requests of a process for records, of up to 64 texts each. Default 600.',
  CAIRN_EMBED_PRICE: 'US dollars per million tokens of texts and questions. Default 0.',
  CAIRN_VISION_BASE_URL:
    'A model that reads pictures, behind an OpenAI-compatible /chat/completions. Unset: pictures are skipped.',
  CAIRN_VISION_NAME: 'The name of that model. It receives no files with a customer-managed key.',
  CAIRN_VISION_API_KEY: 'Its key, if required.',
  CAIRN_VISION_TIMEOUT_SECONDS: 'A picture that takes longer is skipped. Default 60.',
  CAIRN_TRANSCRIBE_BASE_URL:
    'A model that reads sounds, behind an OpenAI-compatible /audio/transcriptions. Unset: sounds are skipped.',
  CAIRN_TRANSCRIBE_NAME: 'The name of that model. It receives no files with a customer-managed key.',
  CAIRN_TRANSCRIBE_API_KEY: 'Its key, if required.',
  CAIRN_TRANSCRIBE_TIMEOUT_SECONDS: 'A sound that takes longer is skipped. Default 60.',
  CAIRN_LINEAR_MCP_URL: 'The MCP server of Linear. Default https://mcp.linear.app/mcp.',
  CAIRN_OAUTH_CLIENTS:
    'JSON array or a file: per OAuth issuer client_id, client_secret, exceptions (docs/connect-mcp.md). Unset: none.',
  CAIRN_OAUTH_CIMD:
    'Set to "off" to not identify to OAuth servers by the client metadata document of this service. Default on.',
  CAIRN_OIDC_ISSUER:
    'The OpenID Connect issuer for sign-in, exactly as in its metadata. Unset: people sign in by a link.',
  CAIRN_OIDC_CLIENT_ID: 'The registered client. Its redirect URI is CAIRN_PUBLIC_URL/api/v1/auth/callback.',
  CAIRN_OIDC_CLIENT_SECRET: 'Its secret. Unset: a public client.',
  CAIRN_OIDC_SCOPES: 'Requested scopes. Default openid profile email.',
  CAIRN_OIDC_GROUPS_CLAIM: 'The claim with the groups of a person. Default groups.',
  CAIRN_OIDC_GROUP_ROLES: 'JSON: the role that each group gives, such as {"engineering":"member"}. Default: none.',
  CAIRN_OIDC_ALLOWED_DOMAINS:
    'Domains, separated by commas, whose verified addresses join as members. Default: by invitation only.',
  CAIRN_OIDC_ADMINS: 'Verified addresses, and subjects without @, that are owners, separated by commas. Default: none.',
  CAIRN_OIDC_ACCOUNT: 'The account that people join without an invitation. Default: the first account.',
  CAIRN_VAULT_ADDR:
    'A Vault or OpenBao server, https, that stores the secrets of sources (KV, version 2). Unset: the database.',
  CAIRN_VAULT_TOKEN: 'Its token.',
  CAIRN_VAULT_TOKEN_FILE: 'A file with the token.',
  CAIRN_VAULT_MOUNT: 'The mount of its KV engine. Default secret.',
  CAIRN_VAULT_PREFIX: 'Prefix of the paths of this installation. Default cairn.',
  CAIRN_VAULT_NAMESPACE: 'Its namespace, if any.',
  CAIRN_LOG_LEVEL: 'debug, info, warn, error or silent. Default info, or warn with `npm start` and on a terminal.',
  CAIRN_METRICS_KEY: 'A bearer key for /metrics only. Unset: the admin key; this machine needs none.',
  CAIRN_METRICS_OPEN: 'Set to "on" to let everybody read /metrics. Default off.',
  OTEL_EXPORTER_OTLP_ENDPOINT:
    'An OpenTelemetry collector for traces and metrics, such as http://127.0.0.1:4318. Unset: none.',
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'Instead: the full URL for traces.',
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'Instead: the full URL for metrics.',
  OTEL_EXPORTER_OTLP_HEADERS:
    'Headers for it: name=value, separated by commas; in a value comma, semicolon and % are %2C, %3B and %25.',
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'The same, for traces only.',
  OTEL_EXPORTER_OTLP_METRICS_HEADERS: 'The same, for metrics only.',
  OTEL_EXPORTER_OTLP_PROTOCOL: 'Only http/protobuf, the default.',
  OTEL_TRACES_EXPORTER: 'otlp, or none to export no traces. Default otlp.',
  OTEL_METRICS_EXPORTER: 'otlp, or none to export no metrics. Default otlp.',
  OTEL_METRIC_EXPORT_INTERVAL: 'Milliseconds between two exports of metrics. Default 60000.',
  OTEL_SDK_DISABLED: 'true exports nothing. Other OTEL_ names, such as OTEL_SERVICE_NAME, have their standard meaning.',
  DATABASE_URL: 'PostgreSQL connection string. Unset: the embedded PGlite in the data folder.',
  CAIRN_DATABASE_CONNECTIONS: 'Maximum connections of a process to PostgreSQL, 2 to 999. Default 20.',
  CAIRN_COMMITS_AT_ONCE:
    'Sandboxes whose records a process applies concurrently, 1 to 99; each needs the memory of a batch. Default 8.',
  CAIRN_LEASE_SECONDS: 'How long a hanging process blocks its sandboxes: 5 to 300, renewed each third. Default 15.',
  CAIRN_COMPACTION_COMMITS: 'A sandbox is compacted after this many commits, 10 to 1000. Default 100.',
  CAIRN_COMPACTION_IDLE_SECONDS: 'Idle seconds after which a sandbox is compacted if that helps, 1 to 3600. Default 5.',
  CAIRN_DRAIN_SECONDS: 'How long a stopping process still answers, so that balancers notice. Default 5; embedded 0.',
  DATABASE_DIRECT_URL:
    'The same database without the pooler, for notifications between processes. Use it if DATABASE_URL is a pooler.',
  STORAGE_URL: 'The data plane as s3://bucket/prefix. Unset: the data folder.',
  S3_ENDPOINT: 'Endpoint of an S3-compatible store. Unset: AWS.',
  AWS_REGION: 'Region of the bucket. Default us-east-1.',
  S3_KMS_KEY_ID: "The AWS KMS key, by id or ARN, that encrypts new objects. Unset: the bucket's default.",
  AWS_ACCESS_KEY_ID: 'Access key of the bucket. Unset, with its secret: the AWS role of the process.',
  AWS_SECRET_ACCESS_KEY: 'Secret key of the bucket.',
  AWS_SESSION_TOKEN: "Session token of the bucket's keys, if they are temporary.",
  AWS_ROLE_ARN: 'The role for a web identity token; Kubernetes sets this for a service account.',
  AWS_WEB_IDENTITY_TOKEN_FILE: 'The file with that token.',
  AWS_ROLE_SESSION_NAME: 'The session name in AWS logs. Default cairn.',
  AWS_ENDPOINT_URL_STS: 'The STS endpoint. Default: that of the region.',
  AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: "Path of the container's role credentials; ECS sets this.",
  AWS_CONTAINER_CREDENTIALS_FULL_URI: 'The same as a full URL; EKS sets this for a pod identity.',
  AWS_CONTAINER_AUTHORIZATION_TOKEN: 'The authorization token for that request.',
  AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: 'A file with that token.',
} as const

/** Former names of settings. They still work; for each that is set, a line is printed at the start. */
const RENAMED: Readonly<Record<string, keyof typeof SETTINGS>> = {
  CAIRN_READER: 'CAIRN_ENCODER',
  CAIRN_UPKEEP_COMMITS: 'CAIRN_COMPACTION_COMMITS',
  CAIRN_UPKEEP_REST_SECONDS: 'CAIRN_COMPACTION_IDLE_SECONDS',
  CAIRN_DISK_KEPT_BACK_MIB: 'CAIRN_DISK_RESERVE_MIB',
  CAIRN_AUDIT_KEPT_MONTHS: 'CAIRN_AUDIT_RETENTION_MONTHS',
  CAIRN_JOBS_KEPT_DAYS: 'CAIRN_JOB_RETENTION_DAYS',
}

export type Env = Partial<Record<keyof typeof SETTINGS, string>>

/** Settings of the command line with the same prefix. */
const OF_THE_COMMAND_LINE = ['CAIRN_URL', 'CAIRN_API_KEY', 'CAIRN_SANDBOX', 'CAIRN_PROFILE']

/**
 * Returns the CAIRN_ variables that are set, including unknown names. Omits former names and those of the command line.
 */
export function namesOfSettings(from: NodeJS.ProcessEnv = process.env): string[] {
  const known = [...OF_THE_COMMAND_LINE, ...Object.keys(RENAMED)]
  return Object.keys(from).filter((name) => name.startsWith('CAIRN_') && !known.includes(name))
}

/** Returns a line for each setting that is set under a former name. */
export function deprecatedSettings(from: NodeJS.ProcessEnv = process.env): string[] {
  return Object.entries(RENAMED)
    .filter(([earlier]) => from[earlier]?.trim())
    .map(([earlier, name]) => `${earlier} is deprecated. Set ${name} instead.`)
}

/** Reads the settings, also under their former names. An empty value counts as unset. */
export function readEnv(from: NodeJS.ProcessEnv = process.env): Env {
  const env: Env = {}
  for (const [earlier, name] of Object.entries(RENAMED)) {
    const value = from[earlier]?.trim()
    if (value) env[name] = value
  }
  for (const name of Object.keys(SETTINGS) as (keyof typeof SETTINGS)[]) {
    const value = from[name]?.trim()
    if (value) env[name] = value
  }
  return env
}

/**
 * Removes AWS variables, after the settings were read and before the object store client is loaded. Otherwise the
 * client would use the service's credentials for requests to customers' buckets. Also turns off the client's log,
 * because it prints responses that can contain an access key id. The variables of the EC2 metadata service are kept.
 */
export function prepareForStores(from: NodeJS.ProcessEnv = process.env): void {
  for (const name of Object.keys(from)) if (/^AWS_(?!EC2_METADATA_)/.test(name)) delete from[name]
  from.LANCEDB_LOG ??= 'off'
}

/**
 * Creates a temporary folder for this process and removes it on exit, because the engines leave empty folders in it. If
 * it cannot be created, the system's temporary folder is used.
 */
export function useOwnTemporaryFolder(from: NodeJS.ProcessEnv = process.env): void {
  try {
    const folder = mkdtempSync(join(tmpdir(), 'cairn-'))
    from.TMPDIR = folder
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  } catch {
    // The file system may be read-only.
  }
}
