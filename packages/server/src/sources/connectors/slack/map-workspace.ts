import type { Delivered } from '../connector.ts'
import { idOf, type MappingResult, thing, toRecord } from '../draft.ts'
import { moment, pick, text } from '../pick.ts'
import { plainText } from './plain-text.ts'
import { channel, member, userThing, workspace } from './things.ts'

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
