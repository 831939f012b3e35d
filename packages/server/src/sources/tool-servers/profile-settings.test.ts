import { describe, expect, it } from 'vitest'
import { parseProfile } from '../connectors/mcp/profile.ts'
import { PROFILES, profileFor } from '../connectors/mcp/profile-for.ts'
import { profileAfter, profileIn } from './profile-settings.ts'

const GITHUB = 'https://api.githubcopilot.com/mcp/'
const PLACE = { owner: 'acme', repo: 'ferries' }
const after = (change: object, before: object = {}, url = GITHUB) =>
  profileAfter(change, before, { base_url: url }, profileFor)

describe('the profile of a server', () => {
  it('is found by the exact address', () => {
    const addresses = ['', 'readonly', 'readonly/', 'x/issues', 'x/issues/readonly'].map((path) => GITHUB + path)
    for (const url of [...addresses, 'https://API.GITHUBCOPILOT.com:443/mcp'])
      expect(profileFor(url)?.profile.name, url).toBe('github')
    expect(profileFor('https://drivemcp.googleapis.com/mcp/v1')?.profile.name).toBe('google_drive')
  })

  it('is not found for any other address', () => {
    for (const url of [
      'http://api.githubcopilot.com/mcp/',
      'https://api.githubcopilot.com.evil.example/mcp/',
      'https://api.githubcopilot.com./mcp/',
      'https://evil.example/https://api.githubcopilot.com/mcp/',
      'https://api.githubcopilot.com@evil.example/mcp/',
      'https://me:pw@api.githubcopilot.com/mcp/',
      'https://api.githubcopilot.com:8443/mcp/',
      'https://api.githubcopilot.com/mcp/?x=1',
      'https://api.githubcopilot.com/mcp/?',
      'https://api.githubcopilot.com/mcp/x/a%2Fb',
      'https://api.githubcopilot.com/mcp/x/issues/more/readonly',
      'https://api.githubcopilot.com/MCP',
      'https://api.githubcopilot.com/mcp//readonly',
      'https://mcp.notion.com/mcp',
      'no address',
    ])
      expect(profileFor(url), url).toBeUndefined()
  })

  it('is used for a new source unless the user names tools, calls or none, or a parameter is missing', () => {
    expect(after({ profile_parameters: [PLACE] })).toEqual({ server_profile: 'github', profile_parameters: [PLACE] })
    expect(after({}, {}, 'https://drivemcp.googleapis.com/mcp')).toEqual({ server_profile: 'google_drive' })
    expect(after({})).toEqual({})
    expect(after({ server_profile: 'none', profile_parameters: [PLACE] })).toEqual({})
    expect(after({ ingest_tool_calls: [] }, {}, 'https://drivemcp.googleapis.com/mcp')).toEqual({})
    const url = 'https://drivemcp.googleapis.com/mcp'
    expect(profileAfter({}, {}, { base_url: url, allowed_tools: ['search_files'] }, profileFor)).toEqual({})
    expect(after({}, { base_url: url }, url)).toEqual({})
  })

  it('stays until the user removes it or moves the source to another server', () => {
    const before = { base_url: GITHUB, server_profile: 'github', profile_parameters: [PLACE] }
    const { base_url: _, ...kept } = before
    expect(after({ name: 'Other' }, before)).toEqual(kept)
    expect(after({ server_profile: 'none' }, before)).toEqual({})
    expect(after({ base_url: 'https://tools.example/mcp' }, before, 'https://tools.example/mcp')).toEqual({})
  })

  it('is refused with wrong or missing parameters, and for a server without one', () => {
    for (const [change, outcome] of [
      [{ server_profile: 'auto' }, 'profile_parameters_required'],
      [{ profile_parameters: [] }, 'profile_parameters_required'],
      [{ profile_parameters: [PLACE, { owner: 'acme' }] }, 'profile_parameters_required'],
      [{ profile_parameters: [{ ...PLACE, branch: 'main' }] }, 'invalid_profile_parameters'],
      [{ profile_parameters: [{ ...PLACE, repo: '../ferries' }] }, 'invalid_profile_parameters'],
      [{ profile_parameters: [{ ...PLACE, repo: '..' }] }, 'invalid_profile_parameters'],
      [{ profile_parameters: [{ ...PLACE, constructor: 'x' }] }, 'invalid_profile_parameters'],
    ] as const)
      expect(() => after(change), JSON.stringify(change)).toThrow(expect.objectContaining({ outcome }))
    expect(() => after({ server_profile: 'auto' }, {}, 'https://tools.example/mcp')).toThrow(
      expect.objectContaining({ outcome: 'profile_not_found' }),
    )
  })

  it('imports each place once', () => {
    const other = { repo: 'quays', owner: 'acme' }
    const settings = { base_url: GITHUB, server_profile: 'github', profile_parameters: [PLACE, other, { ...PLACE }] }
    expect(profileIn(settings, profileFor)?.places).toEqual([PLACE, other])
    expect(profileIn({ ...settings, server_profile: 'google_drive' }, profileFor)).toBeUndefined()
  })

  it('is checked when it is loaded', () => {
    const [github] = PROFILES
    const [issues] = github!.listings
    const changed = (change: object) => ({ ...github, listings: [{ ...issues, ...change }] })
    for (const wrong of [
      { ...github, surprise: 1 },
      { ...github, urls: ['http://api.githubcopilot.com/mcp'] },
      { ...github, documentation: [{ url: 'https://github.com', date: null, what: 'undated' }] },
      { ...github, parameters: { owner: { description: 'An owner.', pattern: '(' } } },
      changed({ arguments: { owner: '{organisation}' } }),
      changed({ items: 'a..b' }),
      changed({ map: { external_id: 'a..b' } }),
      changed({ changes: { argument: 'since', value: 'always' } }),
      changed({ details: { tool: 'issue_read', arguments: {} } }),
    ])
      expect(() => parseProfile(wrong), JSON.stringify(wrong).slice(0, 200)).toThrow(/^profile/)
  })
})
