import { MEMBER_ROLES, type MemberRole } from '@cairnstore/contract'
import { parseJson } from '../base/parse-json.ts'
import { ConfigError } from './config-error.ts'
import type { Env } from './env.ts'
import { isSecureUrl } from './secure-url.ts'

/** The identity provider for sign-in, and the rules for joining without an invitation. */
export interface OidcConfig {
  /** The issuer exactly as configured, with its trailing slash if it has one. */
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string | undefined
  readonly scopes: string
  readonly groupsClaim: string
  /** Roles by group, for the account that users join. */
  readonly groupRoles: Readonly<Record<string, MemberRole>>
  /** Domains, in lower case, whose users with verified addresses may join. */
  readonly allowedDomains: readonly string[]
  /** Subjects and verified addresses of the users who become owners. */
  readonly admins: readonly string[]
  /** Account that users without an invitation join. Null for the oldest account. */
  readonly account: string | null
}

const DEFAULT_SCOPES = 'openid profile email'
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9-]+$/
const CLAIM = /^[\x21-\x7e]{1,255}$/

/** Returns the identity provider; null if CAIRN_OIDC_ISSUER is not set. Throws ConfigError for invalid settings. */
export function readOidc(env: Env): OidcConfig | null {
  const { CAIRN_OIDC_ISSUER: issuer, CAIRN_OIDC_CLIENT_ID: clientId } = env
  if (!issuer) return null
  if (!URL.canParse(issuer) || !isIssuer(new URL(issuer))) {
    throw new ConfigError('CAIRN_OIDC_ISSUER must be the https URL of an issuer, without query and fragment.')
  }
  if (!clientId) throw new ConfigError('CAIRN_OIDC_ISSUER needs CAIRN_OIDC_CLIENT_ID.')
  const scopes = env.CAIRN_OIDC_SCOPES ?? DEFAULT_SCOPES
  if (!scopes.split(' ').includes('openid')) throw new ConfigError('CAIRN_OIDC_SCOPES must include openid.')
  const groupsClaim = env.CAIRN_OIDC_GROUPS_CLAIM ?? 'groups'
  if (!CLAIM.test(groupsClaim)) throw new ConfigError('CAIRN_OIDC_GROUPS_CLAIM must be the name of a claim.')
  return {
    issuer,
    clientId,
    clientSecret: env.CAIRN_OIDC_CLIENT_SECRET,
    scopes,
    groupsClaim,
    groupRoles: toGroupRoles(env.CAIRN_OIDC_GROUP_ROLES),
    allowedDomains: toDomains(env.CAIRN_OIDC_ALLOWED_DOMAINS),
    admins: listed(env.CAIRN_OIDC_ADMINS),
    account: env.CAIRN_OIDC_ACCOUNT ?? null,
  }
}

function isIssuer(url: URL): boolean {
  return isSecureUrl(url) && url.search === '' && url.hash === '' && url.username === ''
}

function listed(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')
}

function toDomains(text: string | undefined): string[] {
  const domains = listed(text).map((each) => each.toLowerCase())
  if (!domains.every((each) => DOMAIN.test(each))) {
    throw new ConfigError('CAIRN_OIDC_ALLOWED_DOMAINS must be domains, separated by commas, such as example.com.')
  }
  return domains
}

function toGroupRoles(text: string | undefined): Record<string, MemberRole> {
  if (!text) return {}
  const roles = parseJson(text)
  const isObject = roles && typeof roles === 'object' && !Array.isArray(roles)
  if (!isObject || !Object.values(roles).every((role) => MEMBER_ROLES.includes(role))) {
    throw new ConfigError(
      'CAIRN_OIDC_GROUP_ROLES must be a JSON object of roles by group, such as {"engineering":"member"}.',
    )
  }
  return roles as Record<string, MemberRole>
}
