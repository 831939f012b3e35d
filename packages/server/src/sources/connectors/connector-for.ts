import type { Phase } from '@cairnstore/contract'
import type { FieldName, RecordContent, StoredContent } from '@cairnstore/engine/resolve'
import { instantOf } from '../../base/clock.ts'
import type { Connector } from './connector.ts'
import { email } from './email/email.ts'
import { github } from './github/github.ts'
import { gitlab } from './gitlab/gitlab.ts'
import { jira } from './jira/jira.ts'
import { json } from './json/json.ts'
import { linear } from './linear/linear.ts'
import { documentDay } from './markdown/read-markdown.ts'
import { userMcp } from './mcp/user-mcp.ts'
import { githubIssuePhase, gitlabIssuePhase, jiraPhase, linearPhase, requestPhase } from './phases.ts'
import { text } from './pick.ts'
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

type StoredProperties = Readonly<Record<string, unknown>> | undefined

/** Functions that derive a record's phase from its stored properties, by `provider/record type`. */
const PHASES: ReadonlyMap<string, (stored: StoredProperties) => Phase | undefined> = new Map(
  [
    phasesFor(['github', 'github_enterprise'], {
      issue: (stored) => githubIssuePhase(text(stored, 'state'), text(stored, 'state_reason')),
      milestone: (stored) => githubIssuePhase(text(stored, 'state'), undefined),
      pull_request: (stored) => requestPhase(text(stored, 'state'), false),
    }),
    phasesFor(['gitlab'], {
      issue: (stored) => gitlabIssuePhase(text(stored, 'state'), undefined),
      merge_request: (stored) => requestPhase(text(stored, 'state'), false),
    }),
    phasesFor(['jira', 'atlassian'], {
      issue: (stored) => jiraPhase(text(stored, 'state_type'), text(stored, 'resolution')),
    }),
    phasesFor(['linear'], {
      issue: (stored) => linearPhase(text(stored, 'state_type')),
      project: (stored) => linearPhase(text(stored, 'state')),
    }),
  ].flat(),
)

function phasesFor(
  providers: readonly string[],
  types: Record<string, (stored: StoredProperties) => Phase | undefined>,
) {
  return providers.flatMap((provider) =>
    Object.entries(types).map(([type, read]) => [`${provider}/${type}`, read] as const),
  )
}

/** Predicates that connectors use for the person responsible for an item. */
const OWNING: ReadonlySet<string> = new Set(['assigned_to', 'led_by'])

/**
 * Adds fields to a record that was stored before records could declare them: phase, owner, due date and kind of tracker
 * items, and the date of a document. Derives them from the stored properties and relations. Does not change declared
 * fields.
 */
export function withStoredFields<T extends StoredContent>(content: T): T {
  if (content.type === 'document') return withDay(content)
  const phaseOf = PHASES.get(`${providerKey(content.provider)}/${content.type}`)
  if (!phaseOf) return content
  const { properties: stored, relations = [] } = content
  const due = ['due_on', 'due_date', 'target_date'].map((name) => text(stored, name)).find(Boolean)
  const found: Pick<RecordContent, FieldName> = {
    phase: phaseOf(stored),
    owner: relations.find(({ predicate }) => OWNING.has(predicate))?.object,
    due: due && instantOf(due) ? due : undefined,
    kind: text(stored, 'type'),
  }
  const missing = Object.entries(found).filter(([name, value]) => value && content[name as FieldName] === undefined)
  return missing.length === 0 ? content : { ...content, ...Object.fromEntries(missing) }
}

function withDay<T extends StoredContent>(content: T): T {
  const { external_id: path, title, properties: stored } = content
  if (content.occurred_at || text(stored, 'path') !== path) return content
  const day = documentDay({ path, heading: title, matter: stored ?? {} })
  return day ? { ...content, occurred_at: day } : content
}
