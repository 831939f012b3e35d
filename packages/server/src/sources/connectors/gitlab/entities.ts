import { address, list, moment, pageUrl, pick, present, text } from '../pick.ts'
import type { ReferenceContext } from '../references.ts'
import { type Entity, entity, type RecordDraft } from '../to-record.ts'

/** Returns the person of an account. Omits the email address if GitLab has replaced it by `[REDACTED]`. */
export function account(user: unknown): Entity | undefined {
  const login = text(user, 'username')
  return entity(
    'person',
    text(user, 'name') ?? login ?? text(user, 'id'),
    { id: text(user, 'id'), login, email: address(user, 'email') },
    { aliases: [login] },
  )
}

/** Returns the person who triggered an event with flat user fields, such as a push. */
export function pusher(payload: unknown): Entity | undefined {
  return account({
    id: pick(payload, 'user_id'),
    name: pick(payload, 'user_name'),
    username: pick(payload, 'user_username'),
    email: pick(payload, 'user_email'),
  })
}

/** Returns the person that a commit names. */
export function committer(person: unknown): Entity | undefined {
  const email = text(person, 'email')
  return entity('person', text(person, 'name') ?? email, { email: address(email) })
}

/** Returns the person with the id. If the delivery does not contain that person, only the id is known. */
export function personWithId(payload: unknown, id: string | undefined): Entity | undefined {
  if (!id) return undefined
  const people = [
    pick(payload, 'user'),
    pick(payload, 'object_attributes', 'last_commit', 'author'),
    ...list(payload, 'assignees'),
    ...list(payload, 'reviewers'),
    pick(payload, 'object_attributes', 'assignee'),
  ]
  return account(people.find((person) => text(person, 'id') === id) ?? { id })
}

const OPENING_ACTIONS = new Set(['open', 'create'])

/** Returns the author of an item: the event's user if it is new, or if the delivery has no user id. */
export function authorOf(payload: unknown): Entity | undefined {
  const id = text(payload, 'object_attributes', 'author_id')
  const user = pick(payload, 'user')
  const isNew = OPENING_ACTIONS.has(text(payload, 'object_attributes', 'action') ?? '')
  const isUser = isNew || text(user, 'id') === undefined || text(user, 'id') === id
  return id && !(isUser && user) ? personWithId(payload, id) : account(user)
}

/** Returns `group/project` of a delivery. */
export function projectPath(payload: unknown): string | undefined {
  return (
    text(payload, 'project', 'path_with_namespace') ??
    text(payload, 'object_attributes', 'target', 'path_with_namespace') ??
    text(payload, 'path_with_namespace') ??
    spelledPath(text(payload, 'project_name')) ??
    text(payload, 'repository', 'name')
  )
}

/** Converts `Group / Project`, as some deliveries write it, to `Group/Project`. */
function spelledPath(name: string | undefined): string | undefined {
  return name
    ?.split('/')
    .map((part) => part.trim())
    .join('/')
}

/** Returns the URL of the project's page. */
export function projectUrl(payload: unknown): string | undefined {
  return (
    text(payload, 'project', 'web_url') ??
    text(payload, 'project', 'homepage') ??
    text(payload, 'repository', 'homepage') ??
    text(payload, 'object_attributes', 'target', 'web_url')
  )
}

/** Returns the project against which references in the delivery's texts are resolved. */
export function referenceContext(payload: unknown): ReferenceContext {
  return { repository: projectPath(payload) ?? '', url: projectUrl(payload), issuePath: '/-/issues/' }
}

/** Returns an item's URL and its creation and update times. */
export function stamps(item: unknown): Pick<RecordDraft, 'url' | 'occurredAt' | 'asOf'> {
  return { url: text(item, 'url'), occurredAt: moment(item, 'created_at'), asOf: moment(item, 'updated_at') }
}

/** Returns the project as a repository entity. Its id does not change when it is renamed or moved. */
export function repository(payload: unknown): Entity | undefined {
  const id = text(payload, 'project', 'id') ?? text(payload, 'project_id')
  const name = text(payload, 'project', 'name') ?? text(payload, 'repository', 'name')
  const former = text(payload, 'old_path_with_namespace')
  return entity('repository', projectPath(payload), { url: projectUrl(payload), id }, { aliases: [name, former] })
}

/** Returns an issue or merge request as an entity: `group/project#12`, `group/project!12`, with its permanent id. */
export function numberedEntity(
  type: 'issue' | 'merge_request',
  item: unknown,
  payload: unknown,
  url?: string,
): Entity | undefined {
  const path = projectPath(payload)
  const iid = text(item, 'iid')
  if (!path || !iid) return undefined
  const base = projectUrl(payload)
  const part = type === 'issue' ? 'issues' : 'merge_requests'
  const page = url ?? text(item, 'url') ?? (base && `${base}/-/${part}/${iid}`)
  const name = `${path}${type === 'issue' ? '#' : '!'}${iid}`
  const identifiers = { url: pageUrl(page), key: name, id: text(item, 'id') }
  return entity(type, name, identifiers, { aliases: [text(item, 'title')] })
}

export function labels(payload: unknown): string[] {
  const all = [...list(payload, 'labels'), ...list(payload, 'object_attributes', 'labels')]
  return [...new Set(present(all.map((label) => text(label, 'title') ?? text(label, 'name'))))]
}
