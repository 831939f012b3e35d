import { type Connector, ignored, type Mapped } from '../connector.ts'
import { text } from '../pick.ts'
import { mapDeployment, mapPipeline, mapPush, mapRelease, mapWiki } from './map-code.ts'
import { mapIssue, mapMergeRequest, mapNote } from './map-items.ts'
import { mapMembership, mapNamed, mapPlace, mapUser } from './map-organisation.ts'
import { mapEmoji, mapVulnerability } from './map-reactions.ts'
import { atGitlab } from './site.ts'

type MapEvent = (event: string, payload: unknown) => Mapped

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
    const told = mapEvent(event, body)
    return { ...told, records: atGitlab(told.records, delivered) }
  },
}
