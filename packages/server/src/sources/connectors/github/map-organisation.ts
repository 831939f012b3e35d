import { ignored, type Mapped, mapped } from '../connector.ts'
import { type Thing, thing, toRecord, withdrawal } from '../draft.ts'
import { moment, number, pick, text } from '../pick.ts'
import { account, fullName, milestone, repository, team } from './things.ts'

/** `repository`: what the repository is. */
export function mapRepository(event: string, payload: unknown): Mapped {
  const repo = pick(payload, 'repository')
  const name = text(repo, 'full_name')
  const id = text(repo, 'id') ?? name
  if (!name || !id) return mapped(event, [])
  // A repository is renamed and moved under the one id that never changes.
  const externalId = `repository/${id}`
  if (text(payload, 'action') === 'deleted') return mapped(event, [withdrawal(externalId, 'repository')])
  const own = repository(repo, formerName(payload))
  const owner = account(pick(repo, 'owner'))
  const record = toRecord({
    externalId,
    type: 'repository',
    title: name,
    text: text(repo, 'description'),
    url: text(repo, 'html_url'),
    occurredAt: moment(repo, 'created_at'),
    asOf: moment(repo, 'updated_at'),
    author: owner?.type === 'person' ? owner : undefined,
    entities: [own, owner],
    relations: [{ subject: own, predicate: 'owned_by', object: owner }],
    properties: {
      state: pick(repo, 'archived') === true ? 'archived' : 'active',
      visibility: text(repo, 'visibility') ?? (pick(repo, 'private') === true ? 'private' : undefined),
      language: text(repo, 'language'),
      branch: text(repo, 'default_branch'),
    },
  })
  return mapped(event, [record])
}

/** What a repository that is renamed or given away was called. */
function formerName(payload: unknown): string | undefined {
  const repo = pick(payload, 'repository')
  const from = pick(payload, 'changes', 'owner', 'from')
  const owner = text(from, 'user', 'login') ?? text(from, 'organization', 'login')
  const name = text(payload, 'changes', 'repository', 'name', 'from')
  if (!owner && !name) return undefined
  return `${owner ?? text(repo, 'owner', 'login')}/${name ?? text(repo, 'name')}`
}

/** `milestone`: the goal and when it is due. */
export function mapMilestone(event: string, payload: unknown): Mapped {
  const repo = fullName(payload)
  const item = pick(payload, 'milestone')
  const at = text(item, 'number')
  if (!repo || !at) return mapped(event, [])
  const externalId = `milestone/${repo}/${at}`
  if (text(payload, 'action') === 'deleted') return mapped(event, [withdrawal(externalId, 'milestone')])
  const own = milestone(item)
  const place = repository(pick(payload, 'repository'))
  const record = toRecord({
    externalId,
    type: 'milestone',
    title: text(item, 'title'),
    text: text(item, 'description'),
    url: text(item, 'html_url'),
    occurredAt: moment(item, 'created_at'),
    asOf: moment(item, 'updated_at'),
    author: account(pick(item, 'creator')),
    entities: [own, place],
    relations: [{ subject: own, predicate: 'part_of', object: place }],
    properties: {
      state: text(item, 'state'),
      due_on: moment(item, 'due_on'),
      closed_at: moment(item, 'closed_at'),
      open_issues: number(item, 'open_issues'),
      closed_issues: number(item, 'closed_issues'),
    },
  })
  return mapped(event, [record])
}

/** `team` and `team_add`: what the team is. */
export function mapTeam(event: string, payload: unknown): Mapped {
  const item = pick(payload, 'team')
  const id = text(item, 'id') ?? text(item, 'slug')
  if (!id) return mapped(event, [])
  if (text(payload, 'action') === 'deleted') return mapped(event, [withdrawal(`team/${id}`, 'team')])
  const own = team(item)
  const record = toRecord({
    externalId: `team/${id}`,
    type: 'team',
    title: text(item, 'name'),
    text: text(item, 'description'),
    url: text(item, 'html_url'),
    entities: [own, organisation(payload)],
    relations: [{ subject: own, predicate: 'part_of', object: organisation(payload) }],
  })
  return mapped(event, [record])
}

const ENDED = new Set(['removed', 'member_removed'])

/** `membership`, `member` and `organization`: who belongs to what. Leaving withdraws it. */
export function mapMembership(event: string, payload: unknown): Mapped {
  const member = account(pick(payload, 'member') ?? pick(payload, 'membership', 'user'))
  const group =
    team(pick(payload, 'team')) ??
    (pick(payload, 'membership') ? organisation(payload) : repository(pick(payload, 'repository')))
  const action = text(payload, 'action') ?? ''
  if (!/added|removed|edited/.test(action)) return ignored(event)
  if (!member || !group) return mapped(event, [])
  const key = text(pick(payload, 'team'), 'id') ?? group.name
  const externalId = `membership/${group.type}/${key}/${member.identifiers?.login ?? member.name}`
  if (ENDED.has(action)) return mapped(event, [withdrawal(externalId, 'membership')])
  const record = toRecord({
    externalId,
    type: 'membership',
    text: `${member.name} is a member of ${group.name}.`,
    author: account(pick(payload, 'sender')),
    participants: [member],
    entities: [member, group],
    relations: [{ subject: member, predicate: 'member_of', object: group }],
    properties: { role: text(payload, 'membership', 'role') },
  })
  return mapped(event, [record])
}

function organisation(payload: unknown): Thing | undefined {
  const login = text(payload, 'organization', 'login')
  return thing('organisation', login, { login, url: login && `https://github.com/${login}` })
}

/** `projects_v2_status_update`: how a project stands, in somebody's words. */
export function mapStatusUpdate(event: string, payload: unknown): Mapped {
  const held = pick(payload, 'projects_v2_status_update')
  const id = text(held, 'id')
  if (!id) return mapped(event, [])
  const externalId = `project_update/${id}`
  if (text(payload, 'action') === 'deleted') return mapped(event, [withdrawal(externalId, 'project_update')])
  const status = text(held, 'status')?.toLowerCase().replaceAll('_', ' ')
  const record = toRecord({
    externalId,
    type: 'project_update',
    text: text(held, 'body') ?? (status && `The project is ${status}.`),
    occurredAt: moment(held, 'created_at'),
    asOf: moment(held, 'updated_at'),
    author: account(pick(held, 'creator')),
    entities: [organisation(payload)],
    properties: {
      health: status,
      project: text(held, 'project_node_id'),
      start_date: text(held, 'start_date'),
      target_date: text(held, 'target_date'),
    },
  })
  return mapped(event, [record])
}

/** Classic projects and the cards on them that hold a note. */
export function mapBoard(event: string, payload: unknown): Mapped {
  const card = pick(payload, 'project_card')
  const held = card ?? pick(payload, 'project') ?? pick(payload, 'projects_v2')
  const id = text(held, 'id')
  if (!id) return mapped(event, [])
  const type = card ? 'note' : 'project'
  const externalId = `${type}/${id}`
  if (text(payload, 'action') === 'deleted') return mapped(event, [withdrawal(externalId, type)])
  const note = text(card, 'note')
  // A card without a note stands for an issue, which sends its own events.
  if (card && !note) return ignored(event)
  const title = text(held, 'name') ?? text(held, 'title')
  const record = toRecord({
    externalId,
    type,
    title,
    text: note ?? text(held, 'body') ?? text(held, 'short_description') ?? text(held, 'description'),
    url: text(held, 'html_url'),
    occurredAt: moment(held, 'created_at'),
    asOf: moment(held, 'updated_at'),
    author: account(pick(held, 'creator')),
    entities: [
      card ? undefined : thing('project', title, { url: text(held, 'html_url') }),
      repository(pick(payload, 'repository')),
    ],
    properties: { state: text(held, 'state') },
  })
  return mapped(event, [record])
}
