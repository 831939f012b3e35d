import { type RelationDraft, type Said, type Thing, thing } from '../draft.ts'
import { linearPhase } from '../phases.ts'
import { list, moment, number, pick, present, text } from '../pick.ts'
import { withoutHidden } from '../references.ts'
import {
  cycle,
  heldOr,
  initiative,
  issueKey,
  issueThing,
  labels,
  milestone,
  nameOf,
  otherAuthor,
  person,
  project,
  team,
} from './things.ts'

/** An issue as it stands. */
export function issueTold(issue: unknown, payload: unknown): Said | undefined {
  const title = text(issue, 'title')
  const url = text(issue, 'url') ?? text(payload, 'url')
  if (!title) return undefined
  const own = issueThing(issue, url)
  const key = issueKey(issue, url)
  const assignee = person(pick(issue, 'assignee'), text(issue, 'assigneeId'))
  const part = (name: string) => heldOr(pick(issue, name), text(issue, `${name}Id`))
  const parent = issueThing(part('parent'))
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
    text: withoutHidden(text(issue, 'description')),
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

/** Since when it is assigned is known only from the change that assigned it. */
function assignedTo(
  own: Thing | undefined,
  assignee: Thing | undefined,
  issue: unknown,
  payload: unknown,
): RelationDraft {
  const isNew = pick(payload, 'updatedFrom', 'assigneeId') !== undefined
  const validFrom = isNew ? moment(issue, 'updatedAt') : undefined
  return { subject: own, predicate: 'assigned_to', object: assignee, validFrom }
}

const LINKS: Record<string, string> = { blocks: 'blocks', duplicate: 'duplicates', related: 'related_to' }

/** Relations that come with the issue. */
function linked(own: Thing | undefined, issue: unknown): RelationDraft[] {
  return list(issue, 'relations').map((relation) => ({
    subject: own,
    predicate: text(LINKS, text(relation, 'type') ?? '') ?? 'related_to',
    object: issueThing(pick(relation, 'relatedIssue')),
  }))
}

/** A comment, on an issue, a project's update or a document. */
export function commentTold(comment: unknown, payload: unknown): Said | undefined {
  const url = text(comment, 'url') ?? text(payload, 'url')
  const about = commentedOn(comment, url)
  const home = team(pick(comment, 'issue', 'team'))
  const parent = text(comment, 'parentId') ?? text(comment, 'parent', 'id')
  return {
    title: about && nameOf(about) && `Comment on ${about.aliases?.[0] ?? about.name}`,
    text: withoutHidden(text(comment, 'body')),
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

/** What a comment stands on. Of what is told by its id alone the id is kept. */
function commentedOn(comment: unknown, url: string | undefined): Thing | undefined {
  const part = (name: string) => heldOr(pick(comment, name), text(comment, `${name}Id`))
  const written = pick(comment, 'documentContent')
  const document = pick(written, 'document')
  return (
    issueThing(part('issue'), url) ??
    project(part('project') ?? pick(comment, 'projectUpdate', 'project')) ??
    initiative(pick(comment, 'initiativeUpdate', 'initiative') ?? part('initiative')) ??
    thing('document', text(document, 'title'), { id: text(document, 'id') }) ??
    project(pick(written, 'project'))
  )
}
