import type { Problem, UpdateUserMcp } from '@cairnstore/contract'
import { fieldRefusal, refusal } from '../../base/fault.ts'
import { type ActiveProfile, type Profile, parseProfile } from '../connectors/mcp/profile.ts'
import github from './profiles/github.json' with { type: 'json' }
import googleDrive from './profiles/google-drive.json' with { type: 'json' }

/** All profiles of public MCP servers. Loading throws for an invalid one. */
export const PROFILES: readonly Profile[] = [github, googleDrive].map(parseProfile)

/** A profile with the parameters that the address contains. */
export interface FoundProfile {
  readonly profile: Profile
  readonly inAddress: Readonly<Record<string, string>>
}

/** Returns the profile of the server at an address; undefined if there is none. */
export type FindProfile = (url: string) => FoundProfile | undefined

/**
 * Returns the profile of a public server. The address must be https on the default port, with exactly the host and path
 * of the profile, because the profile decides what is read with the user's consent. Nothing that the server says of
 * itself counts.
 */
export const profileFor: FindProfile = (url) => {
  if (!URL.canParse(url)) return undefined
  const { protocol, host, username, password, pathname, search, hash } = new URL(url)
  if (protocol !== 'https:' || username || password || search || hash || url.includes('?')) return undefined
  for (const profile of PROFILES) {
    for (const pattern of profile.urls) {
      const inAddress = match(pattern, host, pathname)
      if (inAddress) return { profile, inAddress }
    }
  }
  return undefined
}

const SEGMENT = /^[\w.-]{1,100}$/

function match(pattern: string, host: string, pathname: string): Record<string, string> | undefined {
  const [wantedHost, ...wanted] = pattern
    .replace(/^https:\/\//, '')
    .replace(/\/$/, '')
    .split('/')
  const given = pathname.replace(/\/$/, '').split('/').slice(1)
  if (host !== wantedHost || given.length !== wanted.length) return undefined
  const values: Record<string, string> = {}
  for (const [at, want] of wanted.entries()) {
    const segment = given[at]!
    const name = /^\{(\w+)\}$/.exec(want)?.[1]
    if (name ? !SEGMENT.test(segment) : segment !== want) return undefined
    if (name) values[name] = segment
  }
  return values
}

/** Settings of a source that a profile depends on. */
interface ProfiledSettings {
  base_url: string
  allowed_tools?: string[]
  profile?: string
  profile_parameters?: Record<string, string>[]
}

/**
 * Returns the profile settings after a registration or a change. A new source gets the profile of its server, unless the
 * user names tools or calls, or a parameter is missing. Throws a refusal if the user asks for a profile that does not
 * exist or cannot be used.
 */
export function profileAfter(
  change: UpdateUserMcp,
  before: Partial<ProfiledSettings>,
  after: Pick<ProfiledSettings, 'base_url' | 'allowed_tools'>,
  find: FindProfile,
): Pick<ProfiledSettings, 'profile' | 'profile_parameters'> {
  const { profile: given, profile_parameters: givenParameters } = change
  const isExplicit = given === 'auto' || (given !== 'none' && givenParameters != null)
  const isUsual = before.base_url === undefined && !after.allowed_tools && change.ingest_tool_calls == null
  if (given === 'none' || !(isExplicit || before.profile !== undefined || isUsual)) return {}
  const found = find(after.base_url)
  if (!found && isExplicit) throw fieldRefusal('profile_not_found', 'profile')
  if (!found) return {}
  const parameters = givenParameters ?? before.profile_parameters
  const problem = problemIn(found, parameters ?? [{}])
  if (problem && isExplicit) throw refusal(problem, parameterProblems(found))
  if (problem) return {}
  return { profile: found.profile.name, ...(parameters && { profile_parameters: parameters }) }
}

function problemIn({ profile: { parameters }, inAddress }: FoundProfile, places: readonly Record<string, string>[]) {
  const names = Object.keys(parameters)
  const isWrong = ([name, value]: [string, string]) =>
    !Object.hasOwn(parameters, name) || !new RegExp(parameters[name]!.pattern).test(value)
  if (places.some((place) => Object.entries(place).some(isWrong))) return 'invalid_profile_parameters'
  const isComplete = (place: Record<string, string>) => names.every((name) => (place[name] ?? inAddress[name]) != null)
  return places.length > 0 && places.every(isComplete) ? undefined : 'profile_parameters_required'
}

function parameterProblems({ profile: { parameters } }: FoundProfile): Problem[] {
  return Object.entries(parameters).map(([name, { description: msg }]) => ({
    loc: ['body', 'profile_parameters', name],
    msg,
    type: 'value_error',
  }))
}

/** Returns the profile in the settings with its places; undefined if there is none. */
export function profileIn(settings: ProfiledSettings, find: FindProfile): ActiveProfile | undefined {
  const found = settings.profile === undefined ? undefined : find(settings.base_url)
  if (!found || found.profile.name !== settings.profile) return undefined
  const places = (settings.profile_parameters ?? [{}]).map((place) => ({ ...place, ...found.inAddress }))
  const unique = new Map(places.map((place) => [JSON.stringify(Object.entries(place).sort()), place]))
  return { profile: found.profile, places: [...unique.values()] }
}
