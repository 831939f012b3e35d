import type { Profile } from '../mcp-profile.ts'
import { parseProfile } from './profile.ts'
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
 * of the profile, because the profile decides what is read with the user's consent. The server's own statements are
 * ignored.
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
