import { idOf, type Told, thing, toRecord } from '../draft.ts'
import { moment, number, pick, text } from '../pick.ts'
import { plainText } from './plain-text.ts'
import { account, project, siteOf } from './things.ts'

/** Sprints, versions and projects: what they are called, and how they stand. */
export function mapPlan(payload: unknown, event: string): Told {
  const kind = PLANS.find(({ field }) => pick(payload, field) !== undefined)
  const held = kind && pick(payload, kind.field)
  const id = text(held, 'id')
  if (!kind || !id) return undefined
  const at = moment(payload, 'timestamp')
  const own = kind.field === 'project' ? project(held) : thing(kind.type, text(held, 'name'), { id })
  const lead = account(pick(held, 'projectLead') ?? pick(held, 'lead'))
  return toRecord({
    externalId: `${kind.field}/${id}`,
    type: kind.type,
    // What is restored is back, although the event's name ends like a deletion's.
    gone: /(?<!_restored)_deleted$/.test(event) && { asOf: at },
    title: own?.name,
    text: text(held, 'goal') ?? plainText(pick(held, 'description')).text,
    url: text(own?.identifiers?.url),
    occurredAt: moment(held, 'createdDate') ?? moment(held, 'startDate') ?? at,
    asOf: at,
    author: lead,
    entities: [own],
    relations: [{ subject: own, predicate: 'led_by', object: lead }],
    properties: {
      state: text(held, 'state') ?? stateOf(event, held),
      start_date: moment(held, 'startDate') ?? text(held, 'startDate'),
      end_date: moment(held, 'endDate') ?? text(held, 'releaseDate'),
      completed_at: moment(held, 'completeDate'),
    },
  })
}

function stateOf(event: string, held: unknown): string | undefined {
  if (pick(held, 'archived') === true || event === 'project_archived') return 'archived'
  return pick(held, 'released') === true ? 'released' : undefined
}

const PLANS = [
  { field: 'sprint', type: 'cycle' },
  { field: 'version', type: 'milestone' },
  { field: 'project', type: 'project' },
] as const

/** Accounts: who somebody is. */
export function mapUser(payload: unknown, event: string): Told {
  const user = pick(payload, 'user')
  const id = text(user, 'accountId') ?? text(user, 'key') ?? text(user, 'name')
  const at = moment(payload, 'timestamp')
  const own = account(user)
  return toRecord({
    externalId: idOf('user', id),
    type: 'person',
    gone: event === 'user_deleted' && { asOf: at },
    title: own?.name,
    occurredAt: at,
    asOf: at,
    author: own,
    entities: [own],
    properties: { state: pick(user, 'active') === false ? 'deactivated' : 'active', time_zone: text(user, 'timeZone') },
  })
}

/** Work that somebody logged, with what they said of it. */
export function mapWorklog(payload: unknown, event: string): Told {
  const log = pick(payload, 'worklog')
  const issue = text(log, 'issueId')
  const said = plainText(pick(log, 'comment')).text
  const author = account(pick(log, 'author'))
  const spent = text(log, 'timeSpent')
  return toRecord({
    externalId: idOf('worklog', text(log, 'id')),
    type: 'worklog',
    gone: event === 'worklog_deleted' && { asOf: moment(payload, 'timestamp') },
    text: said || (author && spent ? `${author.name} logged ${spent}.` : undefined),
    url: siteOf(log),
    occurredAt: moment(log, 'started') ?? moment(log, 'created'),
    asOf: moment(log, 'updated'),
    author,
    properties: {
      time_spent: spent,
      time_spent_seconds: number(log, 'timeSpentSeconds'),
      on: issue && `issue/${issue}`,
    },
  })
}
