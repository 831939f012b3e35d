import type { Connector } from './connector.ts'
import { email } from './email/email.ts'
import { github } from './github/github.ts'
import { gitlab } from './gitlab/gitlab.ts'
import { jira } from './jira/jira.ts'
import { json } from './json/json.ts'
import { linear } from './linear/linear.ts'
import { userMcp } from './mcp/user-mcp.ts'
import { slack } from './slack/slack.ts'
import { web } from './web/web.ts'

/** All connectors. The fallback for any JSON comes last. */
export const CONNECTORS: readonly Connector[] = [github, slack, linear, gitlab, jira, email, userMcp, web, json]

const BY_PROVIDER = new Map(
  CONNECTORS.flatMap((connector) => connector.providers.map((name) => [name, connector] as const)),
)

/** Values of `provider` whose sources can be polled, in lower case with `_` between words. */
export const PULLABLE: readonly string[] = CONNECTORS.flatMap((one) => (one.pull ? one.providers : []))

/** The provider of MCP servers that users connect. */
export const USER_MCP = 'user_mcp'

/** Returns a provider's name in the form used for comparison: lower case, with `_` between words. */
export function providerKey(provider: string): string {
  return provider.toLowerCase().replace(/[-.]/g, '_')
}

/** Returns the connector of a provider, or the connector for any JSON if the provider has none. */
export function connectorFor(provider: string): Connector {
  return BY_PROVIDER.get(providerKey(provider)) ?? json
}
