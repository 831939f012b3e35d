import { type RecordDraft, type RelationDraft, type Thing, thing } from '../draft.ts'
import { address, list, moment, pageUrl, pick, present, text } from '../pick.ts'
import type { ReferencePlace } from '../references.ts'

/** Somebody with an account. GitLab hides addresses behind `[REDACTED]`. */
export function account(user: unknown): Thing | undefined {
  const login = text(user, 'username')
  return thing(
    'person',
    text(user, 'name') ?? login ?? text(user, 'id'),
    { id: text(user, 'id'), login, email: address(user, 'email') },
    { aliases: [login] },
  )
}

/** Whoever did what a delivery tells, where its fields stand side by side, as in a push. */
export function pusher(payload: unknown): Thing | undefined {
  return account({
    id: pick(payload, 'user_id'),
    name: pick(payload, 'user_name'),
    username: pick(payload, 'user_username'),
    email: pick(payload, 'user_email'),
  })
}

/** Whoever a commit names. */
export function committer(person: unknown): Thing | undefined {
  const email = text(person, 'email')
  return thing('person', text(person, 'name') ?? email, { email: address(email) })
}

/** The one of the people in a delivery who has the id; of anybody else only the id is known. */
export function withId(payload: unknown, id: string | undefined): Thing | undefined {
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

const BEGINNINGS = new Set(['open', 'create'])

/**
 * Whoever wrote what the delivery is about: the user, when it has just been written. Old deliveries do not say who the
 * user is, who then is the author.
 */
export function authorOf(payload: unknown): Thing | undefined {
  const id = text(payload, 'object_attributes', 'author_id')
  const user = pick(payload, 'user')
  const isNew = BEGINNINGS.has(text(payload, 'object_attributes', 'action') ?? '')
  const isUser = isNew || text(user, 'id') === undefined || text(user, 'id') === id
  return id && !(isUser && user) ? withId(payload, id) : account(user)
}

/** `group/project` of a delivery. */
export function projectPath(payload: unknown): string | undefined {
  return (
    text(payload, 'project', 'path_with_namespace') ??
    text(payload, 'object_attributes', 'target', 'path_with_namespace') ??
    text(payload, 'path_with_namespace') ??
    spelledPath(text(payload, 'project_name')) ??
    text(payload, 'repository', 'name')
  )
}

/** `Group / Project`, as some deliveries spell it. */
function spelledPath(name: string | undefined): string | undefined {
  return name
    ?.split('/')
    .map((part) => part.trim())
    .join('/')
}

/** The address of the project's pages. */
export function projectUrl(payload: unknown): string | undefined {
  return (
    text(payload, 'project', 'web_url') ??
    text(payload, 'project', 'homepage') ??
    text(payload, 'repository', 'homepage') ??
    text(payload, 'object_attributes', 'target', 'web_url')
  )
}

/** Where references in the delivery's texts lead. */
export function placeOf(payload: unknown): ReferencePlace {
  return { repository: projectPath(payload) ?? '', url: projectUrl(payload), issuePath: '/-/issues/' }
}

/** The address at which an item can be read, and when it was made and last changed. */
export function stamps(item: unknown): Pick<RecordDraft, 'url' | 'occurredAt' | 'asOf'> {
  return { url: text(item, 'url'), occurredAt: moment(item, 'created_at'), asOf: moment(item, 'updated_at') }
}

/** The project, which elsewhere is a repository. It stays one under its id when it is renamed or moved. */
export function repository(payload: unknown): Thing | undefined {
  const id = text(payload, 'project', 'id') ?? text(payload, 'project_id')
  const name = text(payload, 'project', 'name') ?? text(payload, 'repository', 'name')
  const former = text(payload, 'old_path_with_namespace')
  return thing('repository', projectPath(payload), { url: projectUrl(payload), id }, { aliases: [name, former] })
}

/**
 * An issue or merge request as an entity, called as GitLab calls it: `group/project#12`, `group/project!12`. It stays
 * one under its id when its project is renamed or moved.
 */
export function numbered(
  type: 'issue' | 'merge_request',
  item: unknown,
  payload: unknown,
  url?: string,
): Thing | undefined {
  const path = projectPath(payload)
  const iid = text(item, 'iid')
  if (!path || !iid) return undefined
  const base = projectUrl(payload)
  const part = type === 'issue' ? 'issues' : 'merge_requests'
  const page = url ?? text(item, 'url') ?? (base && `${base}/-/${part}/${iid}`)
  const name = `${path}${type === 'issue' ? '#' : '!'}${iid}`
  const identifiers = { url: pageUrl(page), key: name, id: text(item, 'id') }
  return thing(type, name, identifiers, { aliases: [text(item, 'title')] })
}

/** The names of labels. */
export function labels(payload: unknown): string[] {
  const held = [...list(payload, 'labels'), ...list(payload, 'object_attributes', 'labels')]
  return [...new Set(present(held.map((label) => text(label, 'title') ?? text(label, 'name'))))]
}

/** `subject predicate object` for each of the objects. */
export function each(
  subject: Thing | undefined,
  predicate: string,
  objects: readonly (Thing | undefined)[],
): RelationDraft[] {
  return present([...objects]).map((object) => ({ subject, predicate, object }))
}
