import { type Connector, type Delivered, ignored, mapped } from '../connector.ts'
import { list, moment, pick, present, text } from '../pick.ts'
import {
  assignSite,
  entity,
  firstHost,
  hostOf,
  idOf,
  type MapEvent,
  type MappedRecord,
  type MappingResult,
  sameFor,
  toRecord,
} from '../to-record.ts'
import { account, numberedEntity, pusher, repository, stamps } from './entities.ts'
import { mapDeployment, mapPipeline, mapPush, mapRelease, mapWiki } from './map-code.ts'
import { mapIssue, mapMergeRequest, mapNote } from './map-items.ts'

/** Mapping function of each event that has content to store, by `object_kind` or, in system hooks, `event_name`. */
const EVENTS: Record<string, MapEvent> = {
  ...sameFor(mapIssue, 'issue work_item'),
  merge_request: mapMergeRequest,
  note: mapNote,
  ...sameFor(mapPush, 'push tag_push'),
  release: mapRelease,
  wiki_page: mapWiki,
  pipeline: mapPipeline,
  deployment: mapDeployment,
  emoji: mapEmoji,
  vulnerability: mapVulnerability,
  ...sameFor(mapNamed, 'milestone feature_flag'),
  ...sameFor(mapMembership, 'user_add_to_group user_update_for_group user_remove_from_group'),
  ...sameFor(mapMembership, 'user_add_to_team user_update_for_team user_remove_from_team'),
  ...sameFor(mapGroupOrProject, 'group_create group_rename group_destroy subgroup_create subgroup_destroy'),
  ...sameFor(mapGroupOrProject, 'project_create project_rename project_transfer project_update project_destroy'),
  ...sameFor(mapUser, 'user_create user_rename user_destroy'),
}

/** Events without content to store: running builds, keys, tokens and administration. */
const NO_KNOWLEDGE = new Set([
  ...['build', 'job', 'key_create', 'key_destroy', 'access_token', 'repository_update', 'user_failed_login'],
  ...['gitlab_subscription_member_approval', 'user_access_request_to_group', 'user_access_request_to_project'],
  ...['user_access_request_revoked_for_group', 'user_access_request_revoked_for_project'],
])

/** Connector for GitLab's webhooks and system hooks. */
export const gitlab: Connector = {
  providers: ['gitlab'],
  product: 'GitLab',
  forms: ['json'],
  secretHeader: 'x-gitlab-token',
  // GitLab 17.4 and later send an id that retries repeat. Earlier versions send one per event only.
  eventId: ({ headers }) =>
    headers['idempotency-key'] ?? (headers['x-gitlab-event-uuid'] && headers['x-gitlab-webhook-uuid']),
  map: (delivered) => {
    const { body } = delivered
    const kind = text(body, 'object_kind') ?? text(body, 'event_name') ?? 'unknown'
    const action = text(body, 'object_attributes', 'action') ?? text(body, 'action')
    const event = action ? `${kind}.${action}` : kind
    const mapEvent = Object.hasOwn(EVENTS, kind) ? EVENTS[kind] : undefined
    if (!mapEvent) return ignored(event, NO_KNOWLEDGE.has(kind) ? 'no_knowledge' : 'unknown_event')
    return mapped(event, mapEvent(body, event), (records) => assignGitlabSite(records, delivered))
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

/** Adds the instance to records: `gitlab.com`, or a company's own server. */
function assignGitlabSite(records: readonly MappedRecord[], { headers, body, settings }: Delivered): MappedRecord[] {
  const host = firstHost(body, ADDRESSES) ?? hostOf(headers['x-gitlab-instance'])
  return assignSite(records, text(settings.config, 'site') ?? host, ({ id, login, key }) => {
    return Boolean(id ?? login) || /[#!]/.test(String(key ?? ''))
  })
}

/** Maps `emoji`: a reaction to an issue, a merge request or a comment. Revoking it deletes the record. */
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
      numberedEntity('issue', pick(payload, 'issue'), payload),
      numberedEntity('merge_request', pick(payload, 'merge_request'), payload),
      repository(payload),
    ],
    properties: { emoji: name, reply_to: note && `note/${note}` },
  })
}

const PROJECT_IN_URL = /^https?:\/\/[^/]+\/(.+?)\/-\/security\//

/** Maps `vulnerability`: a finding of a scan in its current state. */
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
      entity('repository', project, { url: project && url.slice(0, url.indexOf('/-/')) }),
      entity('package', dependency),
      entity('vulnerability', cve, { key: cve }),
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

/** Maps membership of a group or a project. A removal deletes the record. */
function mapMembership(payload: unknown, event: string): MappingResult {
  const person = pusher(payload)
  const groupId = text(payload, 'group_id')
  const group = groupId
    ? entity('team', text(payload, 'group_name'), { id: groupId }, { aliases: [text(payload, 'group_path')] })
    : entity('repository', text(payload, 'project_path_with_namespace') ?? text(payload, 'project_name'), {
        id: text(payload, 'project_id'),
      })
  if (!person || !group) return undefined
  const who = text(payload, 'user_id') ?? person.name
  const at = moment(payload, 'updated_at')
  return toRecord({
    externalId: `membership/${group.type}/${groupId ?? text(payload, 'project_id')}/${who}`,
    type: 'membership',
    gone: event.includes('_remove_') && { asOf: at },
    text: `${person.name} is a member of ${group.name}.`,
    occurredAt: moment(payload, 'created_at'),
    asOf: at,
    author: person,
    participants: [person],
    entities: [person, group],
    relations: [{ subject: person, predicate: 'member_of', object: group, validFrom: moment(payload, 'created_at') }],
    properties: { role: text(payload, 'group_access') ?? text(payload, 'access_level') },
  })
}

function mapGroupOrProject(payload: unknown, event: string): MappingResult {
  const isProject = event.startsWith('project_')
  const id = text(payload, isProject ? 'project_id' : 'group_id')
  const name = text(payload, 'path_with_namespace') ?? text(payload, 'full_path') ?? text(payload, 'name')
  if (!id || !name) return undefined
  const at = moment(payload, 'updated_at')
  const own = isProject
    ? repository(payload)
    : entity('team', name, { id }, { aliases: [text(payload, 'name'), text(payload, 'old_full_path')] })
  const owner = account({ name: pick(payload, 'owner_name'), email: pick(payload, 'owner_email') })
  return toRecord({
    externalId: `${isProject ? 'project' : 'group'}/${id}`,
    type: isProject ? 'repository' : 'team',
    gone: event.endsWith('_destroy') && { asOf: at },
    title: name,
    occurredAt: moment(payload, 'created_at'),
    asOf: at,
    author: owner,
    entities: [own],
    relations: [{ subject: own, predicate: 'owned_by', object: owner }],
    properties: { name: text(payload, 'name'), visibility: text(payload, 'project_visibility')?.replace(/^.*\|/, '') },
  })
}

function mapUser(payload: unknown, event: string): MappingResult {
  const id = text(payload, 'user_id')
  const at = moment(payload, 'updated_at')
  const own = account({
    id,
    name: pick(payload, 'name'),
    username: pick(payload, 'username'),
    email: pick(payload, 'email'),
  })
  return toRecord({
    externalId: idOf('user', id),
    type: 'person',
    gone: event === 'user_destroy' && { asOf: at },
    title: own?.name,
    occurredAt: moment(payload, 'created_at'),
    asOf: at,
    author: own,
    entities: [own],
    properties: { state: text(payload, 'state') },
  })
}

/** Maps milestones and feature flags, with their state. */
function mapNamed(payload: unknown): MappingResult {
  const kind = text(payload, 'object_kind') ?? 'item'
  const item = pick(payload, 'object_attributes')
  const id = text(item, 'id')
  const name = text(item, 'title') ?? text(item, 'name')
  if (!id || !name) return undefined
  const action = text(payload, 'action') ?? text(item, 'action')
  const own = entity(kind, name, { id, url: text(item, 'url') })
  const isActive = pick(item, 'active')
  return toRecord({
    externalId: `${kind}/${id}`,
    type: kind,
    gone: action === 'delete' && { asOf: moment(item, 'updated_at') },
    title: name,
    text: text(item, 'description'),
    ...stamps(item),
    author: account(pick(payload, 'user')),
    entities: [own, repository(payload)],
    relations: [{ subject: own, predicate: 'part_of', object: repository(payload) }],
    properties: {
      state: text(item, 'state') ?? (isActive === undefined ? undefined : isActive ? 'active' : 'inactive'),
      due_date: text(item, 'due_date'),
      start_date: text(item, 'start_date'),
    },
  })
}
