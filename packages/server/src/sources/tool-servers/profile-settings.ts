import type { Problem, UpdateUserMcp } from '@cairnstore/contract'
import { fieldRefusal, refusal } from '../../base/fault.ts'
import type { FindProfile, FoundProfile } from '../connectors/mcp/profile-for.ts'
import type { ActiveProfile } from '../connectors/mcp-profile.ts'

/**
 * Returns the profile settings after a registration or a change. A new source gets the profile of its server, unless
 * the user names tools or calls, or a parameter is missing. Throws a refusal if the user requests a profile that does
 * not exist or cannot be used.
 */
export function profileAfter(
  change: UpdateUserMcp,
  before: Partial<ProfiledSettings>,
  after: Pick<ProfiledSettings, 'base_url' | 'allowed_tools'>,
  find: FindProfile,
): Pick<ProfiledSettings, 'server_profile' | 'profile_parameters'> {
  const { server_profile: given, profile_parameters: givenParameters } = change
  const isExplicit = given === 'auto' || (given !== 'none' && givenParameters != null)
  const isDefault = before.base_url === undefined && !after.allowed_tools && change.ingest_tool_calls == null
  if (given === 'none' || !(isExplicit || before.server_profile !== undefined || isDefault)) return {}
  const found = find(after.base_url)
  if (!found && isExplicit) throw fieldRefusal('profile_not_found', 'server_profile')
  if (!found) return {}
  const parameters = givenParameters ?? before.profile_parameters
  const problem = problemIn(found, parameters ?? [{}])
  if (problem && isExplicit) throw refusal(problem, parameterProblems(found))
  if (problem) return {}
  return { server_profile: found.profile.name, ...(parameters && { profile_parameters: parameters }) }
}

/** Settings of a source that a profile depends on. */
interface ProfiledSettings {
  base_url: string
  allowed_tools?: string[]
  server_profile?: string
  profile_parameters?: Record<string, string>[]
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
  const found = settings.server_profile === undefined ? undefined : find(settings.base_url)
  if (!found || found.profile.name !== settings.server_profile) return undefined
  const places = (settings.profile_parameters ?? [{}]).map((place) => ({ ...place, ...found.inAddress }))
  const unique = new Map(places.map((place) => [JSON.stringify(Object.entries(place).sort()), place]))
  return { profile: found.profile, places: [...unique.values()] }
}
