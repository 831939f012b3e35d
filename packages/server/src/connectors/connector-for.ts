import type { Connector } from './connector.ts'
import { github } from './github/github.ts'
import { linear } from './linear/linear.ts'
import { slack } from './slack/slack.ts'

const CONNECTORS: readonly Connector[] = [github, slack, linear]

const BY_PROVIDER = new Map(
  CONNECTORS.flatMap((connector) => connector.providers.map((name) => [name, connector] as const)),
)

/** The connector that reads what a source's provider sends. */
export function connectorFor(provider: string): Connector | undefined {
  return BY_PROVIDER.get(provider.toLowerCase().replace(/[-.]/g, '_'))
}
