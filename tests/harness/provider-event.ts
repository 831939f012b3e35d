import { connectorFor } from '../../packages/server/src/sources/connectors/connector-for.ts'

/** Maps one event with the provider's connector, for a source without settings. */
export async function mapped(provider: string, body: unknown, headers: Record<string, string> = {}) {
  return connectorFor(provider).map({ headers, body, settings: { config: {}, accountId: null } })
}

/** A repository and a sender, in GitHub's format. */
export const REPOSITORY = { id: 1, name: 'api', full_name: 'acme/api', html_url: 'https://github.com/acme/api' }
export const SENDER = { login: 'praman', id: 1, type: 'User' }

/** Maps a GitHub event of one repository. `body` adds the event's own fields. */
export async function mappedFromGithub(event: string, body: object) {
  const whole = { repository: REPOSITORY, sender: SENDER, organization: { login: 'acme' }, ...body }
  return mapped('github', whole, { 'x-github-event': event })
}
