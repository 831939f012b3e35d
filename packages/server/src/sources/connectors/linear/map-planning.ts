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

export function projectFields(held: unknown, payload: unknown): RecordFields | undefined {
  const own = project(held, text(payload, 'url'))
  if (!own || !text(held, 'name')) return undefined
  const lead = person(pick(held, 'lead'), text(held, 'leadId'))
  const members = present([
    ...list(held, 'members').map((one) => person(one)),
    ...list(held, 'memberIds').map((one) => person(undefined, text(one))),
  ])
  const initiatives = list(held, 'initiatives').map(initiative)
  const teams = [...list(held, 'teams'), ...list(held, 'teamIds').map((one) => objectOrId(undefined, text(one)))].map(
    team,
  )
  const milestones = list(held, 'milestones').map(milestone)
  return {
    title: own.name,
    text: withoutHtmlComments(present([text(held, 'description'), text(held, 'content')]).join('\n\n')),
    url: text(held, 'url') ?? text(payload, 'url'),
    author: person(pick(held, 'creator'), text(held, 'creatorId')),
    participants: [lead, ...members],
    entities: [own, ...teams, ...initiatives, ...milestones],
    relations: [
      { subject: own, predicate: 'led_by', object: lead },
      ...initiatives.map((object) => ({ subject: own, predicate: 'part_of', object })),
      ...milestones.map((subject) => ({ subject, predicate: 'part_of', object: own })),
    ],
    properties: {
      state: text(held, 'status', 'name') ?? text(held, 'state'),
      health: text(held, 'health'),
      lead: lead?.name,
      priority: text(held, 'priorityLabel'),
      start_date: text(held, 'startDate'),
      target_date: text(held, 'targetDate'),
      progress: number(held, 'progress'),
      completed_at: moment(held, 'completedAt'),
      canceled_at: moment(held, 'canceledAt'),
    },
    phase: linearPhase(text(held, 'status', 'type') ?? text(held, 'state')),
    owner: lead,
    due: text(held, 'targetDate'),
  }
}

/** Maps an update on a project or an initiative: its health and the author's text. */
export function updateFields(held: unknown, payload: unknown): RecordFields | undefined {
  const part = (name: string) => objectOrId(pick(held, name), text(held, `${name}Id`))
  const about = initiative(part('initiative')) ?? project(part('project'))
  return {
    title: nameOf(about) && `Update on ${nameOf(about)}`,
    text: withoutHtmlComments(text(held, 'body')),
    url: text(held, 'url') ?? text(payload, 'url'),
    author: person(pick(held, 'user'), text(held, 'userId')),
    entities: [about],
    relations: [
      { subject: about, predicate: 'health', object: text(held, 'health'), validFrom: moment(held, 'createdAt') },
    ],
    properties: { health: text(held, 'health'), project: nameOf(about), edited_at: moment(held, 'editedAt') },
  }
}

export function cycleFields(held: unknown): RecordFields | undefined {
  const home = team(objectOrId(pick(held, 'team'), text(held, 'teamId')))
  const own = cycle(held, nameOf(home))
  if (!own || !nameOf(own)) return undefined
  return {
    title: own.name,
    text: text(held, 'description'),
    url: text(held, 'url'),
    entities: [own, home],
    relations: [{ subject: own, predicate: 'part_of', object: home }],
    properties: {
      number: number(held, 'number'),
      starts_at: moment(held, 'startsAt'),
      ends_at: moment(held, 'endsAt'),
      completed_at: moment(held, 'completedAt'),
    },
  }
}

/** Maps documents, initiatives, milestones, teams and other items with a name and a text. */
export function namedFields(type: string, held: unknown, payload: unknown): RecordFields | undefined {
  const id = text(held, 'id')
  const name = text(held, 'title') ?? text(held, 'name')
  if (!name) return undefined
  const url = text(held, 'url') ?? text(payload, 'url')
  const own = type === 'milestone' ? milestone(held) : entity(type, name, { id, url })
  const part = (one: string) => objectOrId(pick(held, one), text(held, `${one}Id`))
  const about = project(part('project'))
  const owner = person(pick(held, 'owner'), text(held, 'ownerId'))
  const wholes = [pick(held, 'parentInitiative'), ...list(held, 'parentInitiatives'), part('initiative')]
  const initiatives = wholes.map(initiative)
  const parts = [...list(held, 'projects').map((one) => project(one)), ...list(held, 'subInitiatives').map(initiative)]
  return {
    title: name,
    text: withoutHtmlComments(present([text(held, 'description'), text(held, 'content')]).join('\n\n')),
    url,
    author: person(pick(held, 'creator'), text(held, 'creatorId')),
    participants: [owner],
    entities: [own, about, ...initiatives, ...parts, ...list(held, 'issues').map((issue) => issueEntity(issue))],
    relations: [
      ...[about, ...initiatives].map((object) => ({ subject: own, predicate: 'part_of', object })),
      ...parts.map((subject) => ({ subject, predicate: 'part_of', object: own })),
      { subject: own, predicate: 'owned_by', object: owner },
    ],
    properties: {
      state: text(held, 'status') ?? text(held, 'state') ?? text(held, 'stage', 'name'),
      health: text(held, 'health'),
      target_date: text(held, 'targetDate'),
      version: text(held, 'version'),
      key: type === 'team' ? text(held, 'key') : undefined,
      trashed: pick(held, 'trashed') === true ? true : undefined,
    },
  }
}

export function userFields(held: unknown): RecordFields | undefined {
  const own = person(held)
  if (!own) return undefined
  return {
    title: own.name,
    text: text(held, 'description'),
    url: text(held, 'url'),
    author: own,
    entities: [own],
    properties: {
      state: pick(held, 'active') === false ? 'deactivated' : 'active',
      bot: pick(held, 'app') === true ? true : undefined,
      role: pick(held, 'admin') === true ? 'admin' : undefined,
    },
  }
}

/** Maps a reaction to a comment, an issue or a project update. */
export function reactionFields(held: unknown): RecordFields | undefined {
  const emoji = text(held, 'emoji')
  if (!emoji) return undefined
  const comment = text(held, 'commentId') ?? text(held, 'comment', 'id')
  const update = text(held, 'projectUpdateId') ?? text(held, 'initiativeUpdateId')
  const answered = comment ? `comment/${comment}` : update && `update/${update}`
  return {
    text: `Reacted with :${emoji}:`,
    author: person(pick(held, 'user'), text(held, 'userId')) ?? otherAuthor(held),
    participants: [person(undefined, text(held, 'comment', 'userId'))],
    entities: [
      issueEntity(objectOrId(pick(held, 'issue'), text(held, 'issueId') ?? text(held, 'comment', 'issueId'))),
      project(
        pick(held, 'projectUpdate', 'project') ?? objectOrId(undefined, text(held, 'projectUpdate', 'projectId')),
      ),
    ],
    properties: { emoji, reply_to: answered },
  }
}
