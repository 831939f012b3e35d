import { type Connector, type Delivered, ignored, mapped, sha256Signature } from '../connector.ts'
import { hasObject, moment, number, pick, text } from '../pick.ts'
import {
  assignSite,
  entity,
  idOf,
  type MapEvent,
  type MappedRecord,
  type MappingResult,
  toRecord,
} from '../to-record.ts'
import { account, mapAttachment, mapComment, mapIssue, mapLink, project, siteOf } from './map-issues.ts'
import { plainText } from './plain-text.ts'

/** Mapping function by event name prefix, for events that have content to store. */
const EVENTS: [start: string, map: MapEvent][] = [
  ['jira:issue_', mapIssue],
  // A Jira server sends the whole issue when work on it is logged.
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

/** Connector for the webhooks of Jira Cloud and Jira servers. */
export const jira: Connector = {
  providers: ['jira', 'atlassian'],
  product: 'Jira',
  forms: ['json'],
  signature: sha256Signature('x-hub-signature'),
  eventId: ({ headers }) => headers['x-atlassian-webhook-identifier'],
  map: (delivered) => {
    const { body } = delivered
    // An automation rule sends the issue without an event name.
    const event = text(body, 'webhookEvent') ?? (hasObject(body, 'issue') ? 'jira:issue_updated' : 'unknown')
    const mapEvent = EVENTS.find(([start]) => event.startsWith(start))?.[1]
    const isAdminEvent = /^(?:board|option|issue_property)_/.test(event)
    if (!mapEvent) return ignored(event, isAdminEvent ? 'no_knowledge' : 'unknown_event')
    return mapped(event, mapEvent(body, event), (records) => assignJiraSite(records, delivered))
  },
}

/** Parts of events that can have a `self` link to the site. */
const PARTS = ['issue', 'comment', 'project', 'sprint', 'version', 'worklog', 'attachment', 'user']

/**
 * Adds the site to records. Account ids of Jira Cloud are valid on all sites, so they get none. A delivery without any
 * link, such as an issue link, belongs to the site in the source's settings.
 */
function assignJiraSite(records: readonly MappedRecord[], { body, settings }: Delivered): MappedRecord[] {
  const address = PARTS.map((part) => siteOf(pick(body, part))).find((one) => one !== undefined)
  const site = text(settings.config, 'site') ?? address?.replace(/^https?:\/\//i, '').toLowerCase()
  return assignSite(records, site, ({ id, login, key }) => Boolean(login ?? key) || /^\d+$/.test(String(id ?? '')))
}

/** Maps sprints, versions and projects, with their state. */
function mapPlan(payload: unknown, event: string): MappingResult {
  const kind = PLANS.find(({ field }) => pick(payload, field) !== undefined)
  const item = kind && pick(payload, kind.field)
  const id = text(item, 'id')
  if (!kind || !id) return undefined
  const at = moment(payload, 'timestamp')
  const own = kind.field === 'project' ? project(item) : entity(kind.type, text(item, 'name'), { id })
  const lead = account(pick(item, 'projectLead') ?? pick(item, 'lead'))
  return toRecord({
    externalId: `${kind.field}/${id}`,
    type: kind.type,
    // `project_restored_deleted` restores the project, although its name ends in `_deleted`.
    gone: /(?<!_restored)_deleted$/.test(event) && { asOf: at },
    title: own?.name,
    text: text(item, 'goal') ?? plainText(pick(item, 'description')).text,
    url: text(own?.identifiers?.url),
    occurredAt: moment(item, 'createdDate') ?? moment(item, 'startDate') ?? at,
    asOf: at,
    author: lead,
    entities: [own],
    relations: [{ subject: own, predicate: 'led_by', object: lead }],
    properties: {
      state: text(item, 'state') ?? stateOf(event, item),
      start_date: moment(item, 'startDate') ?? text(item, 'startDate'),
      end_date: moment(item, 'endDate') ?? text(item, 'releaseDate'),
      completed_at: moment(item, 'completeDate'),
    },
  })
}

function stateOf(event: string, item: unknown): string | undefined {
  if (pick(item, 'archived') === true || event === 'project_archived') return 'archived'
  return pick(item, 'released') === true ? 'released' : undefined
}

const PLANS = [
  { field: 'sprint', type: 'cycle' },
  { field: 'version', type: 'milestone' },
  { field: 'project', type: 'project' },
] as const

function mapUser(payload: unknown, event: string): MappingResult {
  const user = pick(payload, 'user')
  const id = text(user, 'accountId') ?? text(user, 'key') ?? text(user, 'name')
  const at = moment(payload, 'timestamp')
  const own = account(user)
  return toRecord({
    externalId: idOf('user', id),
    type: 'person',
    gone: event === 'user_deleted' && { asOf: at },
    title: own?.name,
    occurredAt: at,
    asOf: at,
    author: own,
    entities: [own],
    properties: { state: pick(user, 'active') === false ? 'deactivated' : 'active', time_zone: text(user, 'timeZone') },
  })
}

/** Maps logged work, with its comment. */
function mapWorklog(payload: unknown, event: string): MappingResult {
  const log = pick(payload, 'worklog')
  const issue = text(log, 'issueId')
  const comment = plainText(pick(log, 'comment')).text
  const author = account(pick(log, 'author'))
  const spent = text(log, 'timeSpent')
  return toRecord({
    externalId: idOf('worklog', text(log, 'id')),
    type: 'worklog',
    gone: event === 'worklog_deleted' && { asOf: moment(payload, 'timestamp') },
    text: comment || (author && spent ? `${author.name} logged ${spent}.` : undefined),
    url: siteOf(log),
    occurredAt: moment(log, 'started') ?? moment(log, 'created'),
    asOf: moment(log, 'updated'),
    author,
    properties: {
      time_spent: spent,
      time_spent_seconds: number(log, 'timeSpentSeconds'),
      on: issue && `issue/${issue}`,
    },
  })
}
