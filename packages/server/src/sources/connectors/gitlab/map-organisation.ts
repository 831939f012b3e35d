import { idOf, type MappingResult, thing, toRecord } from '../draft.ts'
import { moment, pick, text } from '../pick.ts'
import { account, pusher, repository, stamps } from './things.ts'

/** Who belongs to a group or a project. Leaving withdraws it. */
export function mapMembership(payload: unknown, event: string): MappingResult {
  const person = pusher(payload)
  const groupId = text(payload, 'group_id')
  const group = groupId
    ? thing('team', text(payload, 'group_name'), { id: groupId }, { aliases: [text(payload, 'group_path')] })
    : thing('repository', text(payload, 'project_path_with_namespace') ?? text(payload, 'project_name'), {
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

/** Projects and groups: what they are called. */
export function mapPlace(payload: unknown, event: string): MappingResult {
  const isProject = event.startsWith('project_')
  const id = text(payload, isProject ? 'project_id' : 'group_id')
  const name = text(payload, 'path_with_namespace') ?? text(payload, 'full_path') ?? text(payload, 'name')
  if (!id || !name) return undefined
  const at = moment(payload, 'updated_at')
  const own = isProject
    ? repository(payload)
    : thing('team', name, { id }, { aliases: [text(payload, 'name'), text(payload, 'old_full_path')] })
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

/** Accounts: who somebody is. */
export function mapUser(payload: unknown, event: string): MappingResult {
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

/** Milestones and feature flags: what they are called, and how they stand. */
export function mapNamed(payload: unknown): MappingResult {
  const kind = text(payload, 'object_kind') ?? 'item'
  const item = pick(payload, 'object_attributes')
  const id = text(item, 'id')
  const name = text(item, 'title') ?? text(item, 'name')
  if (!id || !name) return undefined
  const action = text(payload, 'action') ?? text(item, 'action')
  const own = thing(kind, name, { id, url: text(item, 'url') })
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
