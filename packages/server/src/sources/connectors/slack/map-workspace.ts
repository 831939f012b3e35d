import type { Delivered } from '../connector.ts'
import { moment, pick, text } from '../pick.ts'
import { assignSite, type Entity, entity, idOf, type MappedRecord, type MappingResult, toRecord } from '../to-record.ts'
import { plainText } from './plain-text.ts'

/** Maps one event of a workspace. */
export type MapDelivered = (delivered: Delivered) => MappingResult

/** Maps `team_join`, `user_change` and similar events to the person. */
export function mapUser(delivered: Delivered): MappingResult {
  const event = pick(delivered.body, 'event')
  const user = pick(event, 'user')
  const id = text(user, 'id')
  if (!id) return undefined
  const team = text(user, 'team_id') ?? workspace(delivered, event)
  const own = userEntity(user)
  const at = moment(user, 'updated') ?? moment(event, 'cache_ts') ?? moment(event, 'event_ts')
  const title = text(user, 'profile', 'title')
  return toRecord({
    externalId: `user/${team}/${id}`,
    type: 'person',
    title: own?.name ?? id,
    text: title && `${own?.name ?? id}: ${title}.`,
    occurredAt: at,
    asOf: at,
    author: own,
    entities: [own],
    properties: {
      title,
      state: pick(user, 'deleted') === true ? 'deactivated' : 'active',
      time_zone: text(user, 'tz'),
      bot: pick(user, 'is_bot') === true ? true : undefined,
    },
  })
}

/** Maps a channel that was created, renamed, archived or deleted. */
export function mapChannel(delivered: Delivered): MappingResult {
  const event = pick(delivered.body, 'event')
  const given = pick(event, 'channel')
  const id = text(given, 'id') ?? text(given)
  if (!id) return undefined
  const team = workspace(delivered, event)
  const at = moment(event, 'event_ts') ?? moment(delivered.body, 'event_time')
  const gone = text(event, 'type')?.endsWith('_deleted') && { asOf: at }
  const name = text(given, 'name')
  // An archiving event has only the channel's id, so a record of it would remove the channel's name.
  if (!name && !gone) return 'no_knowledge'
  const own = channel(id, name)
  return toRecord({
    externalId: `channel/${team}/${id}`,
    type: 'channel',
    gone,
    title: own?.name,
    text: plainText(text(given, 'purpose', 'value') ?? text(given, 'topic', 'value') ?? '').text,
    occurredAt: moment(given, 'created'),
    asOf: at,
    author: member(text(given, 'creator')),
    entities: [own],
    properties: { state: pick(given, 'is_archived') === true ? 'archived' : 'active' },
  })
}

/** Maps user groups, with name, description and members. */
export function mapGroup(delivered: Delivered): MappingResult {
  const event = pick(delivered.body, 'event')
  const group = pick(event, 'subteam')
  const id = text(group, 'id')
  const team = text(group, 'team_id') ?? workspace(delivered, event)
  const name = text(group, 'name') ?? text(group, 'handle')
  const own = entity('team', name, { id }, { aliases: [text(group, 'handle')] })
  const users = pick(group, 'users')
  const people = Array.isArray(users) ? users.map((user) => member(text(user))) : []
  return toRecord({
    externalId: idOf('group', team, id),
    type: 'team',
    title: name,
    text: text(group, 'description'),
    occurredAt: moment(group, 'date_create'),
    asOf: moment(group, 'date_update') ?? moment(event, 'event_ts'),
    author: member(text(group, 'created_by')),
    participants: people,
    entities: [own],
    relations: people.map((one) => ({ subject: one, predicate: 'member_of', object: own })),
    properties: { state: moment(group, 'date_delete') ? 'disabled' : 'active', handle: text(group, 'handle') },
  })
}

/** Returns a person by id, with the name and email address if they are known. */
export function member(id: string | undefined, profile?: unknown, label?: string): Entity | undefined {
  const displayName =
    text(profile, 'real_name') ?? text(profile, 'display_name') ?? text(profile, 'name') ?? (label || undefined) ?? id
  return entity(
    'person',
    displayName,
    { id, email: text(profile, 'email') },
    { aliases: [text(profile, 'display_name'), text(profile, 'first_name') && text(profile, 'name')] },
  )
}

/** Returns a channel as an entity. Messages have only its id. */
export function channel(id: string | undefined, name?: string): Entity | undefined {
  return entity('channel', name ? `#${name.replace(/^#/, '')}` : id, { id })
}

export function workspace({ body, settings }: Delivered, event: unknown): string {
  return text(body, 'team_id') ?? text(event, 'team') ?? settings.accountId ?? 'workspace'
}

/** Returns the URL of a message: in the workspace if its URL is configured, or else through Slack's redirect. */
export function permalink(delivered: Delivered, team: string, channelId: string, ts: string): string | undefined {
  const base = text(delivered.settings.config, 'workspace_url')?.replace(/\/+$/, '')
  if (base && /^https?:\/\//.test(base)) return `${base}/archives/${channelId}/p${ts.replace('.', '')}`
  return `https://slack.com/app_redirect?team=${team}&channel=${channelId}&message_ts=${ts}`
}

/** Returns the person of a Slack user object. */
function userEntity(user: unknown): Entity | undefined {
  const profile = pick(user, 'profile')
  const name = text(user, 'real_name') ?? text(profile, 'real_name') ?? text(profile, 'display_name')
  return entity(
    'person',
    name ?? text(user, 'name'),
    { id: text(user, 'id'), login: text(user, 'name'), email: text(profile, 'email') },
    { aliases: [text(profile, 'display_name'), text(user, 'name')], properties: { title: text(profile, 'title') } },
  )
}

/**
 * Adds the workspace, or the organization of several workspaces, to the identifiers of entities. User ids are unique in
 * the whole organization. External ids already contain the workspace.
 */
export function assignSlackSite(records: readonly MappedRecord[], { body, settings }: Delivered): MappedRecord[] {
  const organisation = text(body, 'enterprise_id') ?? text(body, 'authorizations', 0, 'enterprise_id')
  const site = text(settings.config, 'site') ?? organisation ?? text(body, 'team_id') ?? settings.accountId ?? undefined
  return assignSite(records, site, ({ id, login }) => Boolean(id ?? login)).map(({ site: _, ...record }) => record)
}
