import { type Connector, type Delivered, ignored, mapped } from '../connector.ts'
import { type MapEvent, type MappedRecord, type MappingResult, thing, toRecord } from '../draft.ts'
import { list, moment, pick, present, text } from '../pick.ts'
import { atSite, firstHost, hostOf } from '../site.ts'
import { mapDeployment, mapPipeline, mapPush, mapRelease, mapWiki } from './map-code.ts'
import { mapIssue, mapMergeRequest, mapNote } from './map-items.ts'
import { mapMembership, mapNamed, mapPlace, mapUser } from './map-organisation.ts'
import { account, numbered, repository } from './things.ts'

/** The kinds of events that carry knowledge, by `object_kind` or, in the host's own hooks, `event_name`. */
const EVENTS: Record<string, MapEvent> = {
  issue: mapIssue,
  work_item: mapIssue,
  merge_request: mapMergeRequest,
  note: mapNote,
  push: mapPush,
  tag_push: mapPush,
  release: mapRelease,
  wiki_page: mapWiki,
  pipeline: mapPipeline,
  deployment: mapDeployment,
  emoji: mapEmoji,
  vulnerability: mapVulnerability,
  milestone: mapNamed,
  feature_flag: mapNamed,
  user_add_to_group: mapMembership,
  user_update_for_group: mapMembership,
  user_remove_from_group: mapMembership,
  user_add_to_team: mapMembership,
  user_update_for_team: mapMembership,
  user_remove_from_team: mapMembership,
  group_create: mapPlace,
  group_rename: mapPlace,
  group_destroy: mapPlace,
  subgroup_create: mapPlace,
  subgroup_destroy: mapPlace,
  project_create: mapPlace,
  project_rename: mapPlace,
  project_transfer: mapPlace,
  project_update: mapPlace,
  project_destroy: mapPlace,
  user_create: mapUser,
  user_rename: mapUser,
  user_destroy: mapUser,
}

/** Builds in progress, keys, tokens and other business of the host itself. */
const NO_KNOWLEDGE = new Set([
  ...['build', 'job', 'key_create', 'key_destroy', 'access_token', 'repository_update', 'user_failed_login'],
  ...['gitlab_subscription_member_approval', 'user_access_request_to_group', 'user_access_request_to_project'],
  ...['user_access_request_revoked_for_group', 'user_access_request_revoked_for_project'],
])

/** GitLab's webhooks and system hooks. */
export const gitlab: Connector = {
  providers: ['gitlab'],
  product: 'GitLab',
  forms: ['json'],
  secretHeader: 'x-gitlab-token',
  eventId: ({ headers }) => headers['x-gitlab-event-uuid'] && headers['x-gitlab-webhook-uuid'],
  map: (delivered) => {
    const { body } = delivered
    const kind = text(body, 'object_kind') ?? text(body, 'event_name') ?? 'unknown'
    const action = text(body, 'object_attributes', 'action') ?? text(body, 'action')
    const event = action ? `${kind}.${action}` : kind
    const mapEvent = Object.hasOwn(EVENTS, kind) ? EVENTS[kind] : undefined
    if (!mapEvent) return ignored(event, NO_KNOWLEDGE.has(kind) ? 'no_knowledge' : 'unknown_event')
    const told = mapped(event, mapEvent(body, event))
    return { ...told, records: atGitlab(told.records, delivered) }
  },
}

const ADDRESSES = [
  ['project', 'web_url'],
  ['object_attributes', 'target', 'web_url'],
  ['repository', 'homepage'],
  ['object_attributes', 'url'],
  ['project', 'homepage'],
  ['group', 'web_url'],
]

/** Records as one instance tells them: `gitlab.com`, or a server of a company's own. */
function atGitlab(records: readonly MappedRecord[], { headers, body, settings }: Delivered): MappedRecord[] {
  const host = firstHost(body, ADDRESSES) ?? hostOf(headers['x-gitlab-instance'])
  return atSite(records, text(settings.config, 'site') ?? host, ({ id, login, key }) => {
    return Boolean(id ?? login) || /[#!]/.test(String(key ?? ''))
  })
}

/** `emoji`: what someone thought of an issue, a merge request or a comment. Taking it back withdraws it. */
function mapEmoji(payload: unknown): MappingResult {
  const award = pick(payload, 'object_attributes')
  const id = text(award, 'id')
  const name = text(award, 'name')
  if (!id || !name) return undefined
  const at = moment(award, 'updated_at')
  const isRevoked = text(payload, 'event_type') === 'revoke' || text(award, 'action') === 'revoke'
  const note = text(award, 'awardable_type') === 'Note' ? text(award, 'awardable_id') : undefined
  return toRecord({
    externalId: `reaction/${id}`,
    type: 'reaction',
    gone: isRevoked && { asOf: at },
    text: `Reacted with :${name}:`,
    url: text(award, 'awarded_on_url'),
    occurredAt: moment(award, 'created_at'),
    asOf: at,
    author: account(pick(payload, 'user')),
    entities: [
      numbered('issue', pick(payload, 'issue'), payload),
      numbered('merge_request', pick(payload, 'merge_request'), payload),
      repository(payload),
    ],
    properties: { emoji: name, reply_to: note && `note/${note}` },
  })
}

const PROJECT_IN_URL = /^https?:\/\/[^/]+\/(.+?)\/-\/security\//

/** `vulnerability`: what a scan has found, as it stands. */
function mapVulnerability(payload: unknown): MappingResult {
  const item = pick(payload, 'object_attributes')
  const url = text(item, 'url')
  const title = text(item, 'title')
  if (!url || !title) return undefined
  const project = PROJECT_IN_URL.exec(url)?.[1]
  const names = present(list(item, 'identifiers').map((one) => text(one, 'name')))
  const dependency = text(item, 'location', 'dependency', 'package', 'name')
  const cve = names.find((name) => /^(?:CVE|GHSA)-/i.test(name))
  return toRecord({
    externalId: `vulnerability/${url}`,
    type: 'alert',
    title,
    text: present([names.join(', ') || undefined, text(item, 'dismissal_reason')]).join('\n'),
    url,
    occurredAt: moment(item, 'created_at'),
    asOf: moment(item, 'updated_at'),
    entities: [
      thing('repository', project, { url: project && url.slice(0, url.indexOf('/-/')) }),
      thing('package', dependency),
      thing('vulnerability', cve, { key: cve }),
    ],
    properties: {
      state: text(item, 'state'),
      severity: text(item, 'severity'),
      package: dependency,
      file: text(item, 'location', 'file'),
      tool: text(item, 'report_type'),
      issues: present(list(item, 'issues').map((issue) => text(issue, 'url'))),
    },
  })
}
