import { parseJson } from '../base/parse-json.ts'
import { ConfigError } from './config-error.ts'
import type { Env } from './env.ts'

/** The operator's settings for an authorization server. */
export interface OAuthIssuer {
  readonly issuer: string
  /** A client that the operator registered at the server for this service. */
  readonly client: { readonly id: string; readonly secret: string | undefined } | undefined
  /** The `issuer` in the server's metadata, if it differs from the configured one. */
  readonly metadataIssuer: string | undefined
  /** True if the server supports PKCE although its metadata does not list it. */
  readonly assumesPkce: boolean
  /** False to omit the `resource` parameter (RFC 8707). */
  readonly sendsResource: boolean
  /** Additional parameters for authorization requests. */
  readonly authorizationParams: Readonly<Record<string, string>>
}

const FIELDS = [
  'issuer',
  'client_id',
  'client_secret',
  'metadata_issuer',
  'assume_pkce',
  'send_resource',
  'authorization_params',
] as const
/** Parameters that the protocol sets itself. */
const OWN_PARAMS = [
  'response_type',
  'client_id',
  'redirect_uri',
  'scope',
  'state',
  'resource',
  'code_challenge',
  'code_challenge_method',
]

/** Returns the authorization servers in CAIRN_OAUTH_CLIENTS. Throws ConfigError for an invalid value. */
export function readOAuthIssuers({ CAIRN_OAUTH_CLIENTS: text }: Env, readFile: (path: string) => string) {
  if (!text) return []
  const list = parse(text.trim().startsWith('[') ? text : readFileOrThrow(text, readFile))
  return list.map((entry, index) => toIssuer(entry, `CAIRN_OAUTH_CLIENTS[${index}]`))
}

function readFileOrThrow(path: string, readFile: (path: string) => string): string {
  try {
    return readFile(path)
  } catch {
    throw new ConfigError('CAIRN_OAUTH_CLIENTS must be a JSON array, or the path of a readable file with one.')
  }
}

function parse(text: string): Record<string, unknown>[] {
  const list = parseJson(text)
  if (Array.isArray(list) && list.every(isObject)) return list
  // The text may contain a secret, so the message must not quote it.
  throw new ConfigError(
    'CAIRN_OAUTH_CLIENTS must be a JSON array of objects, such as [{"issuer":"https://as.example","client_id":"id"}].',
  )
}

function toIssuer(entry: Record<string, unknown>, name: string): OAuthIssuer {
  const unknown = Object.keys(entry).find((key) => !(FIELDS as readonly string[]).includes(key))
  if (unknown) throw new ConfigError(`${name} has an unknown field; use ${FIELDS.join(', ')}.`)
  const issuer = toText(entry.issuer, `${name}.issuer`)
  if (!issuer || !URL.canParse(issuer)) throw new ConfigError(`${name}.issuer must be the URL of an issuer.`)
  const id = toText(entry.client_id, `${name}.client_id`)
  const secret = toText(entry.client_secret, `${name}.client_secret`)
  if (secret && !id) throw new ConfigError(`${name}.client_secret needs client_id.`)
  return {
    issuer,
    client: id === undefined ? undefined : { id, secret },
    metadataIssuer: toText(entry.metadata_issuer, `${name}.metadata_issuer`),
    assumesPkce: toBoolean(entry.assume_pkce, `${name}.assume_pkce`, false),
    sendsResource: toBoolean(entry.send_resource, `${name}.send_resource`, true),
    authorizationParams: toParams(entry.authorization_params, `${name}.authorization_params`),
  }
}

function toText(value: unknown, name: string): string | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'string' && /^[\x21-\x7e]{1,4096}$/.test(value)) return value
  throw new ConfigError(`${name} must be 1 to 4096 visible ASCII characters.`)
}

function toBoolean(value: unknown, name: string, unset: boolean): boolean {
  if (value === undefined) return unset
  if (typeof value === 'boolean') return value
  throw new ConfigError(`${name} must be true or false.`)
}

function toParams(value: unknown, name: string): Record<string, string> {
  if (value === undefined) return {}
  if (!isObject(value) || !Object.values(value).every((each) => typeof each === 'string')) {
    throw new ConfigError(`${name} must be an object of strings.`)
  }
  const own = OWN_PARAMS.find((param) => param in value)
  if (own) throw new ConfigError(`${name} must not set ${own}.`)
  return value as Record<string, string>
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}
