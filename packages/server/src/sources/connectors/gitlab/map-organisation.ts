import { type Mapped, mapped } from '../connector.ts'
import { thing, toRecord, withdrawal } from '../draft.ts'
import { moment, pick, text } from '../pick.ts'
import { account, pusher, repository } from './things.ts'

/** Who belongs to a group or a project. Leaving withdraws it. */
export function mapMembership(event: string, payload: unknown): Mapped {
  const person = pusher(payload)
  const groupId = text(payload, 'group_id')
  const group = groupId
    ? thing('team', text(payload, 'group_name'), { id: groupId }, { aliases: [text(payload, 'group_path')] })
    : thing('repository', text(payload, 'project_path_with_namespace') ?? text(payload, 'project_name'), {
        id: text(payload, 'project_id'),
      })
  if (!person || !group) return mapped(event, [])
  const who = text(payload, 'user_id') ?? person.name
  const externalId = `membership/${group.type}/${groupId ?? text(payload, 'project_id')}/${who}`
  const at = moment(payload, 'updated_at')
  if (/_remove_/.test(event)) return mapped(event, [withdrawal(externalId, 'membership', at)])
  const record = toRecord({
    externalId,
    type: 'membership',
    text: `${person.name} is a member of ${group.name}.`,
    occurredAt: moment(payload, 'created_at'),
    asOf: at,
    author: person,
    participants: [person],
    entities: [person, group],
    relations: [{ subject: person, predicate: 'member_of', object: group, validFrom: moment(payload, 'created_at') }],
    properties: { role: text(payload, 'group_access') ?? text(payload, 'access_level') },
  })
  return mapped(event, [record])
}

/** Projects and groups: what they are called. */
export function mapPlace(event: string, payload: unknown): Mapped {
  const isProject = event.startsWith('project_')
  const id = text(payload, isProject ? 'project_id' : 'group_id')
  const name = text(payload, 'path_with_namespace') ?? text(payload, 'full_path') ?? text(payload, 'name')
  if (!id || !name) return mapped(event, [])
  const type = isProject ? 'repository' : 'team'
  const externalId = `${isProject ? 'project' : 'group'}/${id}`
  const at = moment(payload, 'updated_at')
  if (event.endsWith('_destroy')) return mapped(event, [withdrawal(externalId, type, at)])
  const own = isProject
    ? repository(payload)
    : thing('team', name, { id }, { aliases: [text(payload, 'name'), text(payload, 'old_full_path')] })
  const owner = account({ name: pick(payload, 'owner_name'), email: pick(payload, 'owner_email') })
  const record = toRecord({
    externalId,
    type,
    title: name,
    occurredAt: moment(payload, 'created_at'),
    asOf: at,
    author: owner,
    entities: [own],
    relations: [{ subject: own, predicate: 'owned_by', object: owner }],
    properties: { name: text(payload, 'name'), visibility: text(payload, 'project_visibility')?.replace(/^.*\|/, '') },
  })
  return mapped(event, [record])
}

/** Accounts: who somebody is. */
export function mapUser(event: string, payload: unknown): Mapped {
  const id = text(payload, 'user_id')
  if (!id) return mapped(event, [])
  const at = moment(payload, 'updated_at')
  if (event === 'user_destroy') return mapped(event, [withdrawal(`user/${id}`, 'person', at)])
  const own = account({
    id,
    name: pick(payload, 'name'),
    username: pick(payload, 'username'),
    email: pick(payload, 'email'),
  })
  const record = toRecord({
    externalId: `user/${id}`,
    type: 'person',
    title: own?.name,
    occurredAt: moment(payload, 'created_at'),
    asOf: at,
    author: own,
    entities: [own],
    properties: { state: text(payload, 'state') },
  })
  return mapped(event, [record])
}

/** Milestones and feature flags: what they are called, and how they stand. */
export function mapNamed(event: string, payload: unknown): Mapped {
  const kind = text(payload, 'object_kind') ?? 'item'
  const item = pick(payload, 'object_attributes')
  const id = text(item, 'id')
  const name = text(item, 'title') ?? text(item, 'name')
  if (!id || !name) return mapped(event, [])
  const action = text(payload, 'action') ?? text(item, 'action')
  if (action === 'delete') return mapped(event, [withdrawal(`${kind}/${id}`, kind, moment(item, 'updated_at'))])
  const own = thing(kind, name, { id, url: text(item, 'url') })
  const isActive = pick(item, 'active')
  const record = toRecord({
    externalId: `${kind}/${id}`,
    type: kind,
    title: name,
    text: text(item, 'description'),
    url: text(item, 'url'),
    occurredAt: moment(item, 'created_at'),
    asOf: moment(item, 'updated_at'),
    author: account(pick(payload, 'user')),
    entities: [own, repository(payload)],
    relations: [{ subject: own, predicate: 'part_of', object: repository(payload) }],
    properties: {
      state: text(item, 'state') ?? (isActive === undefined ? undefined : isActive ? 'active' : 'inactive'),
      due_date: text(item, 'due_date'),
      start_date: text(item, 'start_date'),
    },
  })
  return mapped(event, [record])
}
