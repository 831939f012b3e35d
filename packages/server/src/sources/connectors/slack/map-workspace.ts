import type { Delivered } from '../connector.ts'
import { atSite, idOf, type MappedRecord, type MappingResult, type Thing, thing, toRecord } from '../draft.ts'
import { moment, pick, text } from '../pick.ts'
import { plainText } from './plain-text.ts'

/** Maps one event of a workspace. */
export type MapDelivered = (delivered: Delivered) => MappingResult

/** Maps `team_join`, `user_change` and similar events to the person. */
export function mapUser(delivered: Delivered): MappingResult {
  const held = pick(delivered.body, 'event')
  const user = pick(held, 'user')
  const id = text(user, 'id')
  if (!id) return undefined
  const team = text(user, 'team_id') ?? workspace(delivered, held)
  const own = userThing(user)
  const at = moment(user, 'updated') ?? moment(held, 'cache_ts') ?? moment(held, 'event_ts')
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

/** Channels being made, renamed, archived and deleted. */
export function mapChannel(delivered: Delivered): MappingResult {
  const held = pick(delivered.body, 'event')
  const given = pick(held, 'channel')
  const id = text(given, 'id') ?? text(given)
  if (!id) return undefined
  const team = workspace(delivered, held)
  const at = moment(held, 'event_ts') ?? moment(delivered.body, 'event_time')
  const gone = text(held, 'type')?.endsWith('_deleted') && { asOf: at }
  const name = text(given, 'name')
  // Archiving names the channel by its id alone, and would take its name away.
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

/** User groups: what a team is called and what it is for. */
export function mapGroup(delivered: Delivered): MappingResult {
  const held = pick(delivered.body, 'event')
  const group = pick(held, 'subteam')
  const id = text(group, 'id')
  const team = text(group, 'team_id') ?? workspace(delivered, held)
  const name = text(group, 'name') ?? text(group, 'handle')
  const own = thing('team', name, { id }, { aliases: [text(group, 'handle')] })
  const users = pick(group, 'users')
  const people = Array.isArray(users) ? users.map((user) => member(text(user))) : []
  return toRecord({
    externalId: idOf('group', team, id),
    type: 'team',
    title: name,
    text: text(group, 'description'),
    occurredAt: moment(group, 'date_create'),
    asOf: moment(group, 'date_update') ?? moment(held, 'event_ts'),
    author: member(text(group, 'created_by')),
    participants: people,
    entities: [own],
    relations: people.map((one) => ({ subject: one, predicate: 'member_of', object: own })),
    properties: { state: moment(group, 'date_delete') ? 'disabled' : 'active', handle: text(group, 'handle') },
  })
}

/** Someone of whom the id is known, and perhaps a name. */
export function member(id: string | undefined, profile?: unknown, label?: string): Thing | undefined {
  const called =
    text(profile, 'real_name') ?? text(profile, 'display_name') ?? text(profile, 'name') ?? (label || undefined) ?? id
  return thing(
    'person',
    called,
    { id, email: text(profile, 'email') },
    { aliases: [text(profile, 'display_name'), text(profile, 'first_name') && text(profile, 'name')] },
  )
}

/** A channel; messages name it by its id alone. */
export function channel(id: string | undefined, name?: string): Thing | undefined {
  return thing('channel', name ? `#${name.replace(/^#/, '')}` : id, { id })
}

/** The workspace that a delivery is from. */
export function workspace({ body, settings }: Delivered, event: unknown): string {
  return text(body, 'team_id') ?? text(event, 'team') ?? settings.accountId ?? 'workspace'
}

/** Where a message can be read: in the workspace when its address is configured, else through Slack's own redirect. */
export function permalink(delivered: Delivered, team: string, channelId: string, ts: string): string | undefined {
  const base = text(delivered.settings.config, 'workspace_url')?.replace(/\/+$/, '')
  if (base && /^https?:\/\//.test(base)) return `${base}/archives/${channelId}/p${ts.replace('.', '')}`
  return `https://slack.com/app_redirect?team=${team}&channel=${channelId}&message_ts=${ts}`
}

/** The person as a record shows them, from Slack's user object. */
function userThing(user: unknown): Thing | undefined {
  const profile = pick(user, 'profile')
  const name = text(user, 'real_name') ?? text(profile, 'real_name') ?? text(profile, 'display_name')
  return thing(
    'person',
    name ?? text(user, 'name'),
    { id: text(user, 'id'), login: text(user, 'name'), email: text(profile, 'email') },
    { aliases: [text(profile, 'display_name'), text(user, 'name')], properties: { title: text(profile, 'title') } },
  )
}

/**
 * Records as one workspace tells them, or the organisation of several workspaces, whose people have one id in all of
 * them. External ids name the workspace already.
 */
export function atSlack(records: readonly MappedRecord[], { body, settings }: Delivered): MappedRecord[] {
  const organisation = text(body, 'enterprise_id') ?? text(body, 'authorizations', 0, 'enterprise_id')
  const site = text(settings.config, 'site') ?? organisation ?? text(body, 'team_id') ?? settings.accountId ?? undefined
  return atSite(records, site, ({ id, login }) => Boolean(id ?? login)).map(({ site: _, ...record }) => record)
}
