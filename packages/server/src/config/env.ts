import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The settings that Cairn reads from the environment: name, meaning and default. Nothing else reads `process.env`. */
export const SETTINGS = {
  CAIRN_HOST: 'Address to listen on. Default 127.0.0.1.',
  CAIRN_PORT: 'Port to listen on. Default 8484; 0 picks a free one.',
  CAIRN_DATA: 'Folder of the embedded engines. Default ./data.',
  CAIRN_EXAMPLE: 'Set to "off" to load no example workspace on a first start.',
  CAIRN_BOOTSTRAP_API_KEY:
    "Becomes the first account's API key instead of a generated one; it must have the key format.",
  CAIRN_FACTS:
    'Set to "off" to read no relations from plain text, nor without its names; what is stored keeps them. Default on.',
  CAIRN_MENTIONS:
    'Set to "off" to make no entities of the names in plain text; what is stored keeps its own. Default on.',
  CAIRN_MASTER_KEY:
    'Root of all keys: 32 bytes in base64. Embedded mode makes one and keeps it in the data folder as master.key.',
  CAIRN_MASTER_KEY_FILE: 'A file that holds the master key.',
  CAIRN_MASTER_KEY_PREVIOUS:
    'Master keys used before, separated by commas: the next start seals what they sealed under the present one.',
  CAIRN_ADMIN_KEY:
    "The operator's key. Embedded mode makes one and keeps it in the data folder as admin.key; else unset is none.",
  CAIRN_JWT_JWKS_URL: 'Where your token issuer publishes its keys; its tokens then open the API. https.',
  CAIRN_JWT_PUBLIC_KEY: "Instead: the issuer's one public key, as PEM or JWK or a file of either.",
  CAIRN_JWT_SECRET: 'Instead: a secret shared with the issuer, at least 32 bytes.',
  CAIRN_JWT_ISSUER: 'The `iss` that tokens must have. Required with tokens.',
  CAIRN_JWT_AUDIENCE: 'The `aud` that tokens must have. Required with tokens.',
  CAIRN_JWT_ALGORITHMS:
    'Signatures taken, separated by commas. Default RS256,ES256,EdDSA; the one of the public key; HS256 with a secret.',
  CAIRN_JWT_ACCOUNT_CLAIM: "The claim that holds the account's id, 1 to 255 printable characters. Default sub.",
  CAIRN_PUBLIC_URL:
    'Base of webhook URLs and of the OAuth redirect URI, as users reach it. Default: the address it listens on.',
  CAIRN_TRUST_PROXY:
    'Whose X-Forwarded headers count: addresses of proxies, or true for everybody’s. Default: nobody’s.',
  CAIRN_CORS_ORIGINS:
    'Sites whose pages may use the API in a browser, as https://app.example, separated by commas. Default: none.',
  CAIRN_NODE_URL:
    'Where the other processes on the database reach this one, as http://10.0.0.3:8484. Unset: none sends it requests.',
  CAIRN_ROLE:
    'api answers requests, worker works on what has come, all does both: of processes on one database. Default all.',
  CAIRN_CONNECTIONS_MAX:
    'How many connections may be open at once; more are turned away. Default: what the limit on open files leaves.',
  CAIRN_GRAPH_MIB:
    'Memory for the graphs of sandboxes; one that alone needs more is refused. Default: half of what the process has.',
  CAIRN_RECORD_CACHE_MIB: 'Memory for records that were read lately, of all sandboxes together. Default 192.',
  CAIRN_STORE_CACHE_MIB: 'Memory for what LanceDB has read of indexes and of what datasets consist of. Default 96.',
  CAIRN_CACHE_MIB:
    'What may be kept on the disk of the data folder of what stands in buckets. Default 1024; 0 is off, else from 64.',
  CAIRN_RANK_THREADS:
    'Threads that rank in large sandboxes; 0: the thread that serves ranks in all. Default: one fewer than cores.',
  CAIRN_LIMITS:
    'JSON or a file: limits per tier of sandboxes and accounts, in place of the defaults (embedded: none); null: none.',
  CAIRN_EPHEMERAL_IDLE_HOURS: 'An ephemeral source is archived after so many hours without a call. Default 24.',
  CAIRN_AUDIT_KEPT_MONTHS:
    'The audit log of months that ended longer ago is dropped, month by month: 3 to 1200. Unset: all of it is kept.',
  CAIRN_ANSWER_DAYS: 'How many days an answer is stored. 0 stores none. Default 30.',
  CAIRN_JOBS_KEPT_DAYS: 'A job that ended so many days ago is forgotten, with what it counted. Default 90.',
  CAIRN_RESTORABLE_DAYS:
    'How old a backup may be that is restored: so long the ids of what was erased are kept. Default 35.',
  CAIRN_DISK_KEPT_BACK_MIB:
    'With less than this free on the disk of the data folder nothing more is taken in. Default 256; 0 is off.',
  CAIRN_UPLOAD_BYTES_PER_SECOND:
    'An upload that comes slower than this, averaged over 30 seconds, is ended with 408. Default 8192; 0 is off.',
  CAIRN_UPLOAD_MINUTES: 'An upload that takes longer is ended with 408. Default 120.',
  CAIRN_ALLOW_LOOPBACK: 'Set to "on" to let sources and buckets be on this machine: for development. Default off.',
  CAIRN_MODEL_BASE_URL:
    'A language model behind an OpenAI-compatible interface, such as http://127.0.0.1:11434/v1. Unset: none is used.',
  CAIRN_MODEL_NAME: 'The name of the model there.',
  CAIRN_MODEL_API_KEY: 'Its key, if it wants one.',
  CAIRN_MODEL_JSON: 'schema, or object where the server knows no JSON schemas. Default schema.',
  CAIRN_MODEL_TIMEOUT_SECONDS: 'A model that is not done by then is not used for the answer. Default 20.',
  CAIRN_MODEL_DAILY_TOKENS:
    'Tokens that the language model may read and write for an account in a day (UTC). Unset: as many as are asked for.',
  CAIRN_MODEL_INPUT_PRICE: 'US dollars for a million tokens in, for what `GET /api/v1/usage` tells. Default 0.',
  CAIRN_MODEL_OUTPUT_PRICE: 'US dollars for a million tokens out. Default 0.',
  CAIRN_READER:
    '"off" finds records by their words alone; a folder holds another model than the one in the box. Default on.',
  CAIRN_RERANK_BASE_URL:
    'A reranker whose /rerank is shaped as that of Cohere and Jina: https://api.jina.ai/v1. Unset: none is used.',
  CAIRN_RERANK_NAME: 'The name of the model there.',
  CAIRN_RERANK_API_KEY: 'Its key, if it wants one.',
  CAIRN_RERANK_TIMEOUT_SECONDS: 'An order that is not there by then is not used. Default 2.',
  CAIRN_RERANK_PRICE: 'US dollars for a million tokens of texts and questions. Default 0.',
  CAIRN_EMBED_BASE_URL:
    'A model for vectors behind an OpenAI-compatible /embeddings, as http://127.0.0.1:11434/v1. Unset: none is used.',
  CAIRN_EMBED_NAME: 'The name of the model there. Another one makes the vectors of all records anew.',
  CAIRN_EMBED_API_KEY: 'Its key, if it wants one.',
  CAIRN_EMBED_DIMENSIONS: 'How long its vectors are, 8 to 4096. Required with it.',
  CAIRN_EMBED_SEND_DIMENSIONS: 'on tells the model so, for one that can be shortened. Default off.',
  CAIRN_EMBED_QUERY_PREFIX: 'What it wants before a question, such as query:. Default nothing.',
  CAIRN_EMBED_TEXT_PREFIX: 'What it wants before a text, such as passage:. Default nothing.',
  CAIRN_EMBED_CHARS: 'Characters of each record or passage that it is given, 100 to 32000. Default 2000.',
  CAIRN_EMBED_SIMILARITY_MIN:
    'Cosine from which a record is near a question; models differ in what they give to unrelated texts. Default 0.3.',
  CAIRN_EMBED_TIMEOUT_SECONDS: 'A question whose vector is not there by then is answered without it. Default 1.',
  CAIRN_EMBED_REQUESTS_PER_MINUTE: 'Requests for records, of up to 64 texts, that a process makes. Default 600.',
  CAIRN_EMBED_PRICE: 'US dollars for a million tokens of texts and questions. Default 0.',
  CAIRN_VISION_BASE_URL:
    'A model that reads pictures, behind an OpenAI-compatible /chat/completions. Unset: they are left out.',
  CAIRN_VISION_NAME: 'The name of the model there. It is shown nothing of sandboxes under a key of their caller.',
  CAIRN_VISION_API_KEY: 'Its key, if it wants one.',
  CAIRN_VISION_TIMEOUT_SECONDS: 'A picture that is not read by then is left out. Default 60.',
  CAIRN_TRANSCRIBE_BASE_URL:
    'A model that reads sounds, behind an OpenAI-compatible /audio/transcriptions. Unset: they are left out.',
  CAIRN_TRANSCRIBE_NAME: 'The name of the model there. It is given nothing of sandboxes under a key of their caller.',
  CAIRN_TRANSCRIBE_API_KEY: 'Its key, if it wants one.',
  CAIRN_TRANSCRIBE_TIMEOUT_SECONDS: 'A sound that is not read by then is left out. Default 60.',
  CAIRN_LINEAR_MCP_URL: 'The server of tools through which Linear is read. Default https://mcp.linear.app/mcp.',
  CAIRN_OAUTH_CLIENTS:
    'JSON array or a file: per OAuth issuer client_id, client_secret, exceptions (docs/connect-mcp.md). Unset: none.',
  CAIRN_OAUTH_CIMD:
    'Set to "off" to never identify to OAuth servers by the public document of this service. Default on.',
  CAIRN_OIDC_ISSUER:
    'The OpenID Connect issuer with which people sign in, exactly as it names itself. Unset: they sign in by a link.',
  CAIRN_OIDC_CLIENT_ID:
    'The client that is registered there. Its redirect URI is CAIRN_PUBLIC_URL/api/v1/auth/callback.',
  CAIRN_OIDC_CLIENT_SECRET: 'Its secret. Unset: a public client.',
  CAIRN_OIDC_SCOPES: 'Scopes to ask for. Default openid profile email.',
  CAIRN_OIDC_GROUPS_CLAIM: 'The claim that names the groups of a person. Default groups.',
  CAIRN_OIDC_GROUP_ROLES: 'JSON: the role that each group gives, such as {"engineering":"member"}. Default: none.',
  CAIRN_OIDC_ALLOWED_DOMAINS:
    'Domains, separated by commas: who has a verified address there joins as a member. Default: by invitation only.',
  CAIRN_OIDC_ADMINS: 'Subjects and verified addresses, separated by commas, that are owners. Default: none.',
  CAIRN_OIDC_ACCOUNT: 'The account that people join without an invitation. Default: the one that was made first.',
  CAIRN_VAULT_ADDR:
    'A Vault or OpenBao server, https, that keeps the secrets of sources (KV, version 2). Unset: the database.',
  CAIRN_VAULT_TOKEN: 'The token that opens it.',
  CAIRN_VAULT_TOKEN_FILE: 'A file that holds the token.',
  CAIRN_VAULT_MOUNT: 'Where its KV engine is mounted. Default secret.',
  CAIRN_VAULT_PREFIX: 'What the paths of this installation begin with. Default cairn.',
  CAIRN_VAULT_NAMESPACE: 'Its namespace, if it has any.',
  CAIRN_LOG_LEVEL:
    'debug, info, warn, error or silent. Default info; warn by `npm start` and where the log goes to a terminal.',
  CAIRN_METRICS_KEY:
    'Opens /metrics, and nothing else, as a bearer. Unset: the admin key does, and this machine needs none.',
  CAIRN_METRICS_OPEN: 'Set to "on" to let everybody read /metrics. Default off.',
  OTEL_EXPORTER_OTLP_ENDPOINT:
    'An OpenTelemetry collector, as http://127.0.0.1:4318, that is told of traces and figures. Unset: none is.',
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'Instead, where traces go, with the whole path.',
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'Instead, where figures go, with the whole path.',
  OTEL_EXPORTER_OTLP_HEADERS:
    'What is sent along to it: name=value, separated by commas; of a value comma, semicolon and % as %2C, %3B and %25.',
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'The same for traces alone.',
  OTEL_EXPORTER_OTLP_METRICS_HEADERS: 'The same for figures alone.',
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf alone, which is the default.',
  OTEL_TRACES_EXPORTER: 'otlp, or none to tell of no traces. Default otlp.',
  OTEL_METRICS_EXPORTER: 'otlp, or none to tell of no figures. Default otlp.',
  OTEL_METRIC_EXPORT_INTERVAL: 'Milliseconds between two reports of figures. Default 60000.',
  OTEL_SDK_DISABLED: 'true tells nothing. The other OTEL_ names, as OTEL_SERVICE_NAME, mean what they do everywhere.',
  DATABASE_URL: 'PostgreSQL connection string. Unset: the embedded PGlite in the data folder.',
  CAIRN_DATABASE_CONNECTIONS: 'Connections to PostgreSQL that a process keeps at most, 2 to 999. Default 20.',
  CAIRN_COMMITS_AT_ONCE:
    'Sandboxes whose records a process applies at once, 1 to 99; each takes the memory of a batch. Default 8.',
  CAIRN_LEASE_SECONDS:
    'How long a process that hangs keeps others from its sandboxes: 5 to 300, renewed each third. Default 15.',
  CAIRN_UPKEEP_COMMITS: 'A sandbox is tidied after so many commits, 10 to 1000. Default 100.',
  CAIRN_UPKEEP_REST_SECONDS:
    'A sandbox that has not changed for so long is tidied, where that gains something, 1 to 3600. Default 5.',
  CAIRN_DRAIN_SECONDS:
    'For how long a process that stops still answers, so that balancers see it. Default 5; embedded, at once.',
  DATABASE_DIRECT_URL:
    'The same database past a pooler, for what processes tell each other; where DATABASE_URL leads through one.',
  STORAGE_URL: 'The knowledge plane as s3://bucket/prefix. Unset: the data folder.',
  S3_ENDPOINT: 'Endpoint of an S3-compatible store. Unset: AWS.',
  AWS_REGION: 'Region of the bucket. Default us-east-1.',
  S3_KMS_KEY_ID:
    'The key at AWS KMS, by its id or ARN, under which the bucket encrypts what is written. Unset: its own.',
  AWS_ACCESS_KEY_ID: 'Access key of the bucket. Unset, with its secret: the role that the process has at AWS.',
  AWS_SECRET_ACCESS_KEY: 'Secret key of the bucket.',
  AWS_SESSION_TOKEN: 'Session token of the bucket’s keys, when they are temporary.',
  AWS_ROLE_ARN: 'The role, where a token in a file stands for it; Kubernetes sets these for a service account.',
  AWS_WEB_IDENTITY_TOKEN_FILE: 'The file that holds the token.',
  AWS_ROLE_SESSION_NAME: 'What AWS is to note the process as. Default cairn.',
  AWS_ENDPOINT_URL_STS: 'Where the token is changed for keys. Default: the region’s own service.',
  AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: 'Where the container’s role is asked for; ECS sets this.',
  AWS_CONTAINER_CREDENTIALS_FULL_URI: 'The same as a whole address; EKS sets this for an identity of a pod.',
  AWS_CONTAINER_AUTHORIZATION_TOKEN: 'What is sent along when it is asked for.',
  AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: 'A file that holds that.',
} as const

export type Env = Partial<Record<keyof typeof SETTINGS, string>>

/** Settings of the command line with the same prefix. */
const OF_THE_COMMAND_LINE = ['CAIRN_URL', 'CAIRN_API_KEY', 'CAIRN_SANDBOX', 'CAIRN_PROFILE']

/** Returns the names of set variables for this service, including unknown ones. */
export function namesOfSettings(from: NodeJS.ProcessEnv = process.env): string[] {
  return Object.keys(from).filter((name) => name.startsWith('CAIRN_') && !OF_THE_COMMAND_LINE.includes(name))
}

/** Reads the settings. An empty value counts as unset. */
export function readEnv(from: NodeJS.ProcessEnv = process.env): Env {
  const env: Env = {}
  for (const name of Object.keys(SETTINGS) as (keyof typeof SETTINGS)[]) {
    const value = from[name]?.trim()
    if (value) env[name] = value
  }
  return env
}

/**
 * Removes AWS variables after the settings are read and before the object store client is loaded. The client would use
 * the platform's credentials for requests to customers' buckets. Also turns off its log, which prints responses that
 * can contain an access key id. The variables of the EC2 metadata service are kept.
 */
export function prepareForStores(from: NodeJS.ProcessEnv = process.env): void {
  for (const name of Object.keys(from)) if (/^AWS_(?!EC2_METADATA_)/.test(name)) delete from[name]
  from.LANCEDB_LOG ??= 'off'
}

/**
 * Creates a temporary folder for this process and removes it on exit, since the engines leave empty folders behind.
 * If it cannot be created, they use the system's temporary folder.
 */
export function useOwnTemporaryFolder(from: NodeJS.ProcessEnv = process.env): void {
  try {
    const folder = mkdtempSync(join(tmpdir(), 'cairn-'))
    from.TMPDIR = folder
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  } catch {
    // A read-only file system has no place for it.
  }
}
