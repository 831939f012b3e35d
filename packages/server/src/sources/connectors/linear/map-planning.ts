import { linearPhase } from '../phases.ts'
import { list, moment, number, pick, present, text } from '../pick.ts'
import { withoutHtmlComments } from '../references.ts'
import { entity, type RecordFields } from '../to-record.ts'
import {
  cycle,
  initiative,
  issueEntity,
  milestone,
  nameOf,
  objectOrId,
  otherAuthor,
  person,
  project,
  team,
} from './entities.ts'

export function projectFields(item: unknown, payload: unknown): RecordFields | undefined {
  const own = project(item, text(payload, 'url'))
  if (!own || !text(item, 'name')) return undefined
  const lead = person(pick(item, 'lead'), text(item, 'leadId'))
  const members = present([
    ...list(item, 'members').map((one) => person(one)),
    ...list(item, 'memberIds').map((one) => person(undefined, text(one))),
  ])
  const initiatives = list(item, 'initiatives').map(initiative)
  const teams = [...list(item, 'teams'), ...list(item, 'teamIds').map((one) => objectOrId(undefined, text(one)))].map(
    team,
  )
  const milestones = list(item, 'milestones').map(milestone)
  return {
    title: own.name,
    text: withoutHtmlComments(present([text(item, 'description'), text(item, 'content')]).join('\n\n')),
    url: text(item, 'url') ?? text(payload, 'url'),
    author: person(pick(item, 'creator'), text(item, 'creatorId')),
    participants: [lead, ...members],
    entities: [own, ...teams, ...initiatives, ...milestones],
    relations: [
      { subject: own, predicate: 'led_by', object: lead },
      ...initiatives.map((object) => ({ subject: own, predicate: 'part_of', object })),
      ...milestones.map((subject) => ({ subject, predicate: 'part_of', object: own })),
    ],
    properties: {
      state: text(item, 'status', 'name') ?? text(item, 'state'),
      health: text(item, 'health'),
      lead: lead?.name,
      priority: text(item, 'priorityLabel'),
      start_date: text(item, 'startDate'),
      target_date: text(item, 'targetDate'),
      progress: number(item, 'progress'),
      completed_at: moment(item, 'completedAt'),
      canceled_at: moment(item, 'canceledAt'),
    },
    phase: linearPhase(text(item, 'status', 'type') ?? text(item, 'state')),
    owner: lead,
    due: text(item, 'targetDate'),
  }
}

/** Maps an update on a project or an initiative: its health and the author's text. */
export function updateFields(item: unknown, payload: unknown): RecordFields | undefined {
  const part = (name: string) => objectOrId(pick(item, name), text(item, `${name}Id`))
  const about = initiative(part('initiative')) ?? project(part('project'))
  return {
    title: nameOf(about) && `Update on ${nameOf(about)}`,
    text: withoutHtmlComments(text(item, 'body')),
    url: text(item, 'url') ?? text(payload, 'url'),
    author: person(pick(item, 'user'), text(item, 'userId')),
    entities: [about],
    relations: [
      { subject: about, predicate: 'health', object: text(item, 'health'), validFrom: moment(item, 'createdAt') },
    ],
    properties: { health: text(item, 'health'), project: nameOf(about), edited_at: moment(item, 'editedAt') },
  }
}

export function cycleFields(item: unknown): RecordFields | undefined {
  const home = team(objectOrId(pick(item, 'team'), text(item, 'teamId')))
  const own = cycle(item, nameOf(home))
  if (!own || !nameOf(own)) return undefined
  return {
    title: own.name,
    text: text(item, 'description'),
    url: text(item, 'url'),
    entities: [own, home],
    relations: [{ subject: own, predicate: 'part_of', object: home }],
    properties: {
      number: number(item, 'number'),
      starts_at: moment(item, 'startsAt'),
      ends_at: moment(item, 'endsAt'),
      completed_at: moment(item, 'completedAt'),
    },
  }
}

/** Maps documents, initiatives, milestones, teams and other items with a name and a text. */
export function namedFields(type: string, item: unknown, payload: unknown): RecordFields | undefined {
  const id = text(item, 'id')
  const name = text(item, 'title') ?? text(item, 'name')
  if (!name) return undefined
  const url = text(item, 'url') ?? text(payload, 'url')
  const own = type === 'milestone' ? milestone(item) : entity(type, name, { id, url })
  const part = (one: string) => objectOrId(pick(item, one), text(item, `${one}Id`))
  const about = project(part('project'))
  const owner = person(pick(item, 'owner'), text(item, 'ownerId'))
  const wholes = [pick(item, 'parentInitiative'), ...list(item, 'parentInitiatives'), part('initiative')]
  const initiatives = wholes.map(initiative)
  const parts = [...list(item, 'projects').map((one) => project(one)), ...list(item, 'subInitiatives').map(initiative)]
  return {
    title: name,
    text: withoutHtmlComments(present([text(item, 'description'), text(item, 'content')]).join('\n\n')),
    url,
    author: person(pick(item, 'creator'), text(item, 'creatorId')),
    participants: [owner],
    entities: [own, about, ...initiatives, ...parts, ...list(item, 'issues').map((issue) => issueEntity(issue))],
    relations: [
      ...[about, ...initiatives].map((object) => ({ subject: own, predicate: 'part_of', object })),
      ...parts.map((subject) => ({ subject, predicate: 'part_of', object: own })),
      { subject: own, predicate: 'owned_by', object: owner },
    ],
    properties: {
      state: text(item, 'status') ?? text(item, 'state') ?? text(item, 'stage', 'name'),
      health: text(item, 'health'),
      target_date: text(item, 'targetDate'),
      version: text(item, 'version'),
      key: type === 'team' ? text(item, 'key') : undefined,
      trashed: pick(item, 'trashed') === true ? true : undefined,
    },
  }
}

export function userFields(item: unknown): RecordFields | undefined {
  const own = person(item)
  if (!own) return undefined
  return {
    title: own.name,
    text: text(item, 'description'),
    url: text(item, 'url'),
    author: own,
    entities: [own],
    properties: {
      state: pick(item, 'active') === false ? 'deactivated' : 'active',
      bot: pick(item, 'app') === true ? true : undefined,
      role: pick(item, 'admin') === true ? 'admin' : undefined,
    },
  }
}

/** Maps a reaction to a comment, an issue or a project update. */
export function reactionFields(item: unknown): RecordFields | undefined {
  const emoji = text(item, 'emoji')
  if (!emoji) return undefined
  const comment = text(item, 'commentId') ?? text(item, 'comment', 'id')
  const update = text(item, 'projectUpdateId') ?? text(item, 'initiativeUpdateId')
  const answered = comment ? `comment/${comment}` : update && `update/${update}`
  return {
    text: `Reacted with :${emoji}:`,
    author: person(pick(item, 'user'), text(item, 'userId')) ?? otherAuthor(item),
    participants: [person(undefined, text(item, 'comment', 'userId'))],
    entities: [
      issueEntity(objectOrId(pick(item, 'issue'), text(item, 'issueId') ?? text(item, 'comment', 'issueId'))),
      project(
        pick(item, 'projectUpdate', 'project') ?? objectOrId(undefined, text(item, 'projectUpdate', 'projectId')),
      ),
    ],
    properties: { emoji, reply_to: answered },
  }
}
