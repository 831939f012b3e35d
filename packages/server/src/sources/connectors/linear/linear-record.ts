import { linearPhase } from '../phases.ts'
import { list, moment, number, pick, present, text } from '../pick.ts'
import { withoutHtmlComments } from '../references.ts'
import {
  type Entity,
  entity,
  type MappedRecord,
  type RecordDraft,
  type RecordFields,
  type RelationDraft,
  toRecord,
} from '../to-record.ts'
import {
  cycle,
  initiative,
  issueEntity,
  issueKey,
  labels,
  milestone,
  nameOf,
  objectOrId,
  otherAuthor,
  person,
  project,
  team,
} from './entities.ts'
import { cycleFields, namedFields, projectFields, reactionFields, updateFields, userFields } from './map-planning.ts'

interface LinearKind {
  /** Prefix of its records' external ids. `type` is their record type. */
  id: string
  type: string
  toFields(item: unknown, payload: unknown): RecordFields | undefined
}

/** Mapping function of each entity type that has content to store. */
const KINDS = {
  Issue: { id: 'issue', type: 'issue', toFields: issueFields },
  Comment: { id: 'comment', type: 'comment', toFields: commentFields },
  Project: { id: 'project', type: 'project', toFields: projectFields },
  ProjectUpdate: { id: 'update', type: 'project_update', toFields: updateFields },
  InitiativeUpdate: { id: 'update', type: 'project_update', toFields: updateFields },
  Cycle: { id: 'cycle', type: 'cycle', toFields: cycleFields },
  User: { id: 'user', type: 'person', toFields: userFields },
  Reaction: { id: 'reaction', type: 'reaction', toFields: reactionFields },
  Customer: { id: 'customer', type: 'customer', toFields: customerFields },
  CustomerNeed: { id: 'customer_need', type: 'customer_request', toFields: needFields },
  Attachment: { id: 'attachment', type: 'attachment', toFields: attachmentFields },
  Document: named('document'),
  Release: named('release'),
  ReleaseNote: named('release_note'),
  Initiative: named('initiative'),
  ProjectMilestone: named('milestone'),
  Team: named('team'),
} satisfies Record<string, LinearKind>

function named(type: string): LinearKind {
  return { id: type, type, toFields: (item, payload) => namedFields(type, item, payload) }
}

/** An entity type that has content to store. */
type LinearType = keyof typeof KINDS

/** Returns true for an entity type that has content to store. */
export function isLinearType(type: string): type is LinearType {
  return Object.hasOwn(KINDS, type)
}

/** Returns the record of an entity in its current state. If the delivery reports its removal, the record deletes it. */
export function linearRecord(type: LinearType, item: unknown, payload?: unknown): MappedRecord | undefined {
  const kind: LinearKind = KINDS[type]
  // Without an id, an issue is identified by its key, as on Linear's MCP server.
  const id = text(item, 'id') ?? (type === 'Issue' ? issueKey(item, text(payload, 'url')) : undefined)
  const isGone = text(payload, 'action') === 'remove'
  const fields = isGone ? {} : kind.toFields(item, payload)
  if (!id || !fields) return undefined
  const draft: RecordDraft = { ...fields, externalId: `${kind.id}/${id}`, type: kind.type }
  if (isGone) return toRecord({ ...draft, gone: { asOf: moment(item, 'archivedAt') ?? moment(payload, 'createdAt') } })
  return toRecord({ ...draft, occurredAt: moment(item, 'createdAt'), asOf: moment(item, 'updatedAt') })
}

/** Returns a customer as an entity. Its first email domain is an identifier too. */
function customer(item: unknown, id?: string): Entity | undefined {
  const known = text(item, 'id') ?? id
  return entity('organisation', text(item, 'name') ?? known, { id: known, domain: text(item, 'domains', 0) })
}

function customerFields(item: unknown, payload: unknown): RecordFields | undefined {
  const own = customer(item)
  if (!own || !nameOf(own)) return undefined
  const owner = person(pick(item, 'owner'), text(item, 'ownerId'))
  return {
    title: own.name,
    url: text(item, 'url') ?? text(payload, 'url'),
    participants: [owner],
    entities: [own],
    relations: [{ subject: own, predicate: 'owned_by', object: owner }],
    properties: {
      state: text(item, 'status', 'displayName') ?? text(item, 'status', 'name'),
      tier: text(item, 'tier', 'displayName') ?? text(item, 'tier', 'name'),
      domains: present(list(item, 'domains').map((one) => text(one))),
      revenue: number(item, 'revenue'),
      size: number(item, 'size'),
    },
  }
}

/** Maps a customer's request, and the issue or project that it belongs to. */
function needFields(item: unknown, payload: unknown): RecordFields | undefined {
  const by = customer(pick(item, 'customer'), text(item, 'customerId'))
  const part = (name: string) => objectOrId(pick(item, name), text(item, `${name}Id`))
  const about = issueEntity(part('issue')) ?? project(part('project'))
  const source = pick(item, 'attachment')
  const body = withoutHtmlComments(text(item, 'body')) ?? text(source, 'title')
  const title = present([nameOf(by), about && nameOf(about) && `on ${about.aliases?.[0] ?? about.name}`]).join(' ')
  if (!body && !title) return undefined
  return {
    title: `Request of ${title || 'a customer'}`,
    text: body,
    url: text(item, 'url') ?? text(payload, 'url') ?? text(source, 'url'),
    author: person(pick(item, 'creator'), text(item, 'creatorId')),
    entities: [by, about],
    relations: [{ subject: about, predicate: 'requested_by', object: by }],
    properties: {
      customer: nameOf(by),
      on: nameOf(about),
      important: number(item, 'priority') === 1 ? true : undefined,
    },
  }
}

/** Maps an attachment of an issue: a link to a pull request, a thread, a ticket or a file. */
function attachmentFields(item: unknown): RecordFields | undefined {
  const title = text(item, 'title')
  if (!title) return undefined
  const issue = text(item, 'issueId') ?? text(item, 'issue', 'id')
  const about = issueEntity(objectOrId(pick(item, 'issue'), issue))
  return {
    title,
    text: present([text(item, 'subtitle'), text(item, 'url')]).join('\n'),
    url: text(item, 'url'),
    author: person(pick(item, 'creator'), text(item, 'creatorId')),
    entities: [about],
    properties: { on: nameOf(about) ?? (issue && `issue/${issue}`), tool: text(item, 'sourceType') },
  }
}

function issueFields(issue: unknown, payload: unknown): RecordFields | undefined {
  const title = text(issue, 'title')
  const url = text(issue, 'url') ?? text(payload, 'url')
  if (!title) return undefined
  const own = issueEntity(issue, url)
  const key = issueKey(issue, url)
  const assignee = person(pick(issue, 'assignee'), text(issue, 'assigneeId'))
  const part = (name: string) => objectOrId(pick(issue, name), text(issue, `${name}Id`))
  const parent = issueEntity(part('parent'))
  const home = team(part('team'))
  const goal = project(part('project'))
  const sprint = cycle(part('cycle'), nameOf(home))
  const step = milestone(part('projectMilestone'))
  const delegate = person(pick(issue, 'delegate'), text(issue, 'delegateId'))
  const followers = [
    ...list(issue, 'subscribers').map((user) => person(user)),
    ...list(issue, 'subscriberIds').map((id) => person(undefined, text(id))),
  ]
  return {
    title,
    text: withoutHtmlComments(text(issue, 'description')),
    url,
    author: person(pick(issue, 'creator'), text(issue, 'creatorId')) ?? otherAuthor(issue),
    participants: [assignee, delegate, ...present(followers)],
    entities: [own, home, goal, sprint, step, parent],
    relations: [
      assignedTo(own, assignee, issue, payload),
      { subject: own, predicate: 'delegated_to', object: delegate },
      ...[goal, sprint, step, parent, home].map((object) => ({ subject: own, predicate: 'part_of', object })),
      ...linked(own, issue),
    ],
    properties: {
      key,
      state: text(issue, 'state', 'name'),
      state_type: text(issue, 'state', 'type'),
      priority: text(issue, 'priorityLabel') ?? PRIORITIES[number(issue, 'priority') ?? -1],
      labels: labels(issue),
      assignee: assignee?.name,
      estimate: number(issue, 'estimate'),
      due_date: text(issue, 'dueDate'),
      team: nameOf(home),
      project: nameOf(goal),
      cycle: nameOf(sprint),
      branch: text(issue, 'branchName'),
      started_at: moment(issue, 'startedAt'),
      completed_at: moment(issue, 'completedAt'),
      canceled_at: moment(issue, 'canceledAt'),
      archived_at: moment(issue, 'archivedAt'),
      trashed: pick(issue, 'trashed') === true ? true : undefined,
    },
    phase: linearPhase(text(issue, 'state', 'type')),
    owner: assignee,
    due: text(issue, 'dueDate'),
  }
}

const PRIORITIES = ['No priority', 'Urgent', 'High', 'Medium', 'Low']

/** Returns the assignment. Its start time is known only from the event that made the assignment. */
function assignedTo(
  own: Entity | undefined,
  assignee: Entity | undefined,
  issue: unknown,
  payload: unknown,
): RelationDraft {
  const isNew = pick(payload, 'updatedFrom', 'assigneeId') !== undefined
  const validFrom = isNew ? moment(issue, 'updatedAt') : undefined
  return { subject: own, predicate: 'assigned_to', object: assignee, validFrom }
}

const LINKS: Record<string, string> = { blocks: 'blocks', duplicate: 'duplicates', related: 'related_to' }

/** Returns the relations to other issues that the issue contains. */
function linked(own: Entity | undefined, issue: unknown): RelationDraft[] {
  return list(issue, 'relations').map((relation) => ({
    subject: own,
    predicate: text(LINKS, text(relation, 'type') ?? '') ?? 'related_to',
    object: issueEntity(pick(relation, 'relatedIssue')),
  }))
}

/** Maps a comment on an issue, a project update or a document. */
function commentFields(comment: unknown, payload: unknown): RecordFields | undefined {
  const url = text(comment, 'url') ?? text(payload, 'url')
  const about = commentedOn(comment, url)
  const home = team(pick(comment, 'issue', 'team'))
  const parent = text(comment, 'parentId') ?? text(comment, 'parent', 'id')
  return {
    title: about && nameOf(about) && `Comment on ${about.aliases?.[0] ?? about.name}`,
    text: withoutHtmlComments(text(comment, 'body')),
    url,
    author: person(pick(comment, 'user'), text(comment, 'userId')) ?? otherAuthor(comment),
    participants: [person(pick(comment, 'issue', 'assignee'))],
    entities: [about, home],
    relations: [home && { subject: about, predicate: 'part_of', object: home }],
    properties: {
      on: nameOf(about),
      thread: parent ? `comment/${parent}` : undefined,
      reply_to: parent && `comment/${parent}`,
      edited_at: moment(comment, 'editedAt'),
      resolved_at: moment(comment, 'resolvedAt'),
      about: text(comment, 'quotedText'),
    },
  }
}

/** Returns the item that a comment is on. If only its id was sent, the entity has only the id. */
function commentedOn(comment: unknown, url: string | undefined): Entity | undefined {
  const part = (name: string) => objectOrId(pick(comment, name), text(comment, `${name}Id`))
  const written = pick(comment, 'documentContent')
  const document = pick(written, 'document')
  return (
    issueEntity(part('issue'), url) ??
    project(part('project') ?? pick(comment, 'projectUpdate', 'project')) ??
    initiative(pick(comment, 'initiativeUpdate', 'initiative') ?? part('initiative')) ??
    entity('document', text(document, 'title'), { id: text(document, 'id') }) ??
    project(pick(written, 'project'))
  )
}
