import { connectorFor } from '../../packages/server/src/sources/connectors/connector-for.ts'

/** What the connector of a provider makes of one event, for a source without settings. */
export async function mapped(provider: string, body: unknown, headers: Record<string, string> = {}) {
  return connectorFor(provider).map({ headers, body, settings: { config: {}, accountId: null } })
}

/** A repository, and who does things in it, as GitHub tells of them. */
export const REPOSITORY = { id: 1, name: 'api', full_name: 'acme/api', html_url: 'https://github.com/acme/api' }
export const SENDER = { login: 'praman', id: 1, type: 'User' }

/** What is made of an event of one repository at GitHub; `body` says what is its own. */
export async function mappedFromGithub(event: string, body: object) {
  const whole = { repository: REPOSITORY, sender: SENDER, organization: { login: 'acme' }, ...body }
  return mapped('github', whole, { 'x-github-event': event })
}
