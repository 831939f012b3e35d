import { type Connector, ignored, type Mapped } from '../connector.ts'
import { isHmac } from '../hmac.ts'
import { isThere, text } from '../pick.ts'
import { mapAttachment, mapComment, mapIssue, mapLink } from './map-issues.ts'
import { mapPlan, mapUser, mapWorklog } from './map-planning.ts'
import { atJira } from './site.ts'

type MapEvent = (event: string, payload: unknown) => Mapped

/** What events begin with that carry knowledge. */
const EVENTS: [start: string, map: MapEvent][] = [
  ['jira:issue_', mapIssue],
  // A server tells of the whole issue when work on it is logged.
  ['jira:worklog_', mapIssue],
  ['comment_', mapComment],
  ['issuelink_', mapLink],
  ['attachment_', mapAttachment],
  ['sprint_', mapPlan],
  ['jira:version_', mapPlan],
  ['project_', mapPlan],
  ['user_', mapUser],
  ['worklog_', mapWorklog],
]

/** Jira's webhooks, of the cloud and of servers. */
export const jira: Connector = {
  providers: ['jira', 'atlassian'],
  product: 'Jira',
  forms: ['json'],
  signature: {
    header: 'x-hub-signature',
    verify: (secret, headers, body) => isHmac(secret, body, headers['x-hub-signature']?.replace(/^sha256=/, '')),
  },
  eventId: ({ headers }) => headers['x-atlassian-webhook-identifier'],
  map: (delivered) => {
    const { body } = delivered
    // An automation sends the issue alone.
    const event = text(body, 'webhookEvent') ?? (isThere(body, 'issue') ? 'jira:issue_updated' : 'unknown')
    const mapEvent = EVENTS.find(([start]) => event.startsWith(start))?.[1]
    const told = mapEvent?.(event, body)
    if (told) return { ...told, records: atJira(told.records, delivered) }
    return ignored(event, /^(?:board|option|issue_property)_/.test(event) ? 'no_knowledge' : 'unknown_event')
  },
}
