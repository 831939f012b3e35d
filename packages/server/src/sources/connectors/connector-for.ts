import type { Connector } from './connector.ts'
import { email } from './email/email.ts'
import { github } from './github/github.ts'
import { gitlab } from './gitlab/gitlab.ts'
import { jira } from './jira/jira.ts'
import { json } from './json/json.ts'
import { linear } from './linear/linear.ts'
import { userMcp } from './mcp/user-mcp.ts'
import { slack } from './slack/slack.ts'

/** Every connector; the one for any JSON comes last. */
export const CONNECTORS: readonly Connector[] = [github, slack, linear, gitlab, jira, email, userMcp, json]

const BY_PROVIDER = new Map(
  CONNECTORS.flatMap((connector) => connector.providers.map((name) => [name, connector] as const)),
)

/** Values of `provider` that can be pulled, in lower case with `_` between words. */
export const PULLABLE: readonly string[] = CONNECTORS.flatMap((one) => (one.pull ? one.providers : []))

/** The provider of servers of tools that a user brings. */
export const USER_MCP = 'user_mcp'

/** A provider's name as it is compared: in lower case, with `_` between words. */
export function providerKey(provider: string): string {
  return provider.toLowerCase().replace(/[-.]/g, '_')
}

/** The connector that reads what a source's provider sends: the one for any JSON when there is none of its own. */
export function connectorFor(provider: string): Connector {
  return BY_PROVIDER.get(providerKey(provider)) ?? json
}
