import { list, moment, number, pick, text as plain } from '../pick.ts'

/** What Linear's server of tools says of a thing, in the words of its deliveries, which the mappings read. */
export type Held = Record<string, unknown>

const KEY = /^[A-Z][A-Z0-9]*-\d+$/i

/** A name and an id beside it, as the one thing that they are; a thing stays as it is. */
function named(value: unknown, id: unknown): Held | undefined {
  if (value !== null && typeof value === 'object') return value as Held
  const name = typeof value === 'string' ? value : undefined
  return name === undefined && typeof id !== 'string' ? undefined : { ...(typeof id === 'string' && { id }), name }
}

/** An issue: its `id` is its key, and its `uuid`, where it is told, is what deliveries call its id. */
export function issueOf(issue: unknown, cycles: ReadonlyMap<string, Held>): Held {
  const own = plain(issue, 'id')
  const key = plain(issue, 'identifier') ?? (own && KEY.test(own) ? own : undefined)
  const parent = plain(issue, 'parentId')
  const cycleId = plain(issue, 'cycleId')
  return {
    ...(issue as Held),
    id: plain(issue, 'uuid') ?? own ?? key,
    identifier: key,
    state: named(pick(issue, 'status') ?? pick(issue, 'state'), undefined) && {
      name:
        plain(issue, 'status') ??
        plain(issue, 'status', 'name') ??
        plain(issue, 'state', 'name') ??
        plain(issue, 'state'),
      type: plain(issue, 'statusType') ?? plain(issue, 'status', 'type') ?? plain(issue, 'state', 'type'),
    },
    priority: number(issue, 'priority') ?? number(issue, 'priority', 'value'),
    priorityLabel: plain(issue, 'priority', 'name') ?? plain(issue, 'priorityLabel'),
    estimate: number(issue, 'estimate') ?? number(issue, 'estimate', 'value'),
    branchName: plain(issue, 'gitBranchName') ?? plain(issue, 'branchName'),
    labels: list(issue, 'labels').map((label) => named(label, undefined)),
    creator: named(pick(issue, 'createdBy') ?? pick(issue, 'creator'), pick(issue, 'createdById')),
    assignee: named(pick(issue, 'assignee'), pick(issue, 'assigneeId')),
    team: named(pick(issue, 'team'), pick(issue, 'teamId')),
    project: named(pick(issue, 'project'), pick(issue, 'projectId')),
    cycle: pick(issue, 'cycle') ?? (cycleId && cycles.get(cycleId)),
    parent: pick(issue, 'parent') ?? (parent && { [KEY.test(parent) ? 'identifier' : 'id']: parent }),
  }
}

/** A project: its summary comes before its description. */
export function projectOf(project: unknown): Held {
  return {
    ...(project as Held),
    description: plain(project, 'summary'),
    content: plain(project, 'description'),
    lead: named(pick(project, 'lead'), pick(project, 'leadId')),
    priorityLabel: plain(project, 'priority', 'name'),
    state: plain(project, 'status') ?? plain(project, 'state'),
  }
}

/** A person of the workspace. */
export function userOf(user: unknown): Held {
  return { ...(user as Held), active: pick(user, 'isActive') ?? pick(user, 'active'), admin: pick(user, 'isAdmin') }
}

/** A cycle of a team, which is known from whom it was asked of. */
export function cycleOf(cycle: unknown, team: Held): Held {
  return { ...(cycle as Held), team: pick(cycle, 'team') ?? team }
}

/** When a thing was changed last, as the server says it. */
export function changedAt(held: unknown): string | undefined {
  return moment(held, 'updatedAt')
}
