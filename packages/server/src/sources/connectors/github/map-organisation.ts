import { githubIssuePhase } from '../phases.ts'
import { moment, number, pick, text } from '../pick.ts'
import { type Entity, entity, idOf, type MappingResult, toRecord } from '../to-record.ts'
import { account, fullName, gone, milestone, repository, team, timestamps } from './entities.ts'

/** Maps `repository` to a record of the repository. */
export function mapRepository(payload: unknown): MappingResult {
  const repo = pick(payload, 'repository')
  const name = text(repo, 'full_name')
  if (!name) return undefined
  const own = repository(repo, formerName(payload))
  const owner = account(pick(repo, 'owner'))
  return toRecord({
    // The numeric id does not change when a repository is renamed or transferred.
    externalId: `repository/${text(repo, 'id') ?? name}`,
    type: 'repository',
    gone: gone(payload),
    title: name,
    text: text(repo, 'description'),
    ...timestamps(repo),
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
}

/** Returns the previous full name of a repository that was renamed or transferred. */
function formerName(payload: unknown): string | undefined {
  const repo = pick(payload, 'repository')
  const from = pick(payload, 'changes', 'owner', 'from')
  const owner = text(from, 'user', 'login') ?? text(from, 'organization', 'login')
  const name = text(payload, 'changes', 'repository', 'name', 'from')
  if (!owner && !name) return undefined
  return `${owner ?? text(repo, 'owner', 'login')}/${name ?? text(repo, 'name')}`
}

/** Maps `milestone`, with its due date. */
export function mapMilestone(payload: unknown): MappingResult {
  const item = pick(payload, 'milestone')
  const own = milestone(item)
  const place = repository(pick(payload, 'repository'))
  return toRecord({
    externalId: idOf('milestone', fullName(payload), text(item, 'number')),
    type: 'milestone',
    gone: gone(payload),
    title: text(item, 'title'),
    text: text(item, 'description'),
    ...timestamps(item),
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
    phase: githubIssuePhase(text(item, 'state'), undefined),
    due: moment(item, 'due_on'),
  })
}

/** Maps `team` and `team_add`. */
export function mapTeam(payload: unknown): MappingResult {
  const item = pick(payload, 'team')
  const own = team(item)
  return toRecord({
    externalId: idOf('team', text(item, 'id') ?? text(item, 'slug')),
    type: 'team',
    gone: gone(payload),
    title: text(item, 'name'),
    text: text(item, 'description'),
    url: text(item, 'html_url'),
    entities: [own, organisation(payload)],
    relations: [{ subject: own, predicate: 'part_of', object: organisation(payload) }],
  })
}

const ENDED = new Set(['removed', 'member_removed'])

/** Maps `membership`, `member` and `organization`. A removal deletes the membership's record. */
export function mapMembership(payload: unknown): MappingResult {
  const member = account(pick(payload, 'member') ?? pick(payload, 'membership', 'user'))
  const group =
    team(pick(payload, 'team')) ??
    (pick(payload, 'membership') ? organisation(payload) : repository(pick(payload, 'repository')))
  const action = text(payload, 'action') ?? ''
  if (action.endsWith('renamed') && member) return renamedRecord(payload, member)
  if (!/added|removed|edited/.test(action)) return 'no_knowledge'
  if (!member || !group) return undefined
  const key = text(pick(payload, 'team'), 'id') ?? group.name
  return toRecord({
    externalId: `membership/${group.type}/${key}/${member.identifiers?.login ?? member.name}`,
    type: 'membership',
    gone: ENDED.has(action) && {},
    text: `${member.name} is a member of ${group.name}.`,
    author: account(pick(payload, 'sender')),
    participants: [member],
    entities: [member, group],
    relations: [{ subject: member, predicate: 'member_of', object: group }],
    properties: { role: text(payload, 'membership', 'role') },
  })
}

/** Returns the record of a renamed account. Its numeric id is unchanged, and both logins identify it. */
function renamedRecord(payload: unknown, member: Entity): MappingResult {
  const former = text(payload, 'changes', 'login', 'from')
  const id = text(member.identifiers?.id)
  const login = text(member.identifiers?.login)
  if (!former || !login) return undefined
  const own = {
    ...member,
    aliases: [...new Set([...(member.aliases ?? []), former])],
    identifiers: { ...member.identifiers, login: [login, former] },
  }
  return toRecord({
    externalId: `account/${id ?? login}`,
    type: 'person',
    title: member.name,
    text: `${former} is called ${login} now.`,
    author: account(pick(payload, 'sender')),
    participants: [own],
    entities: [own],
    properties: { login, former_login: former },
  })
}

function organisation(payload: unknown): Entity | undefined {
  const login = text(payload, 'organization', 'login')
  return entity('organisation', login, { login, url: login && `https://github.com/${login}` })
}

/** Maps `projects_v2_status_update`: a project's status and its description by the author. */
export function mapStatusUpdate(payload: unknown): MappingResult {
  const update = pick(payload, 'projects_v2_status_update')
  const status = text(update, 'status')?.toLowerCase().replaceAll('_', ' ')
  return toRecord({
    externalId: idOf('project_update', text(update, 'id')),
    type: 'project_update',
    gone: gone(payload),
    text: text(update, 'body') ?? (status && `The project is ${status}.`),
    occurredAt: moment(update, 'created_at'),
    asOf: moment(update, 'updated_at'),
    author: account(pick(update, 'creator')),
    entities: [organisation(payload)],
    properties: {
      health: status,
      project: text(update, 'project_node_id'),
      start_date: text(update, 'start_date'),
      target_date: text(update, 'target_date'),
    },
  })
}

/** Maps projects, and the cards of classic projects that have a note. */
export function mapBoard(payload: unknown): MappingResult {
  const card = pick(payload, 'project_card')
  const item = card ?? pick(payload, 'project') ?? pick(payload, 'projects_v2')
  const id = text(item, 'id')
  if (!id) return undefined
  const type = card ? 'note' : 'project'
  const note = text(card, 'note')
  // A card without a note represents an issue, which sends its own events.
  if (card && !note && !gone(payload)) return 'no_knowledge'
  const title = text(item, 'name') ?? text(item, 'title')
  return toRecord({
    externalId: `${type}/${id}`,
    type,
    gone: gone(payload),
    title,
    text: note ?? text(item, 'body') ?? text(item, 'short_description') ?? text(item, 'description'),
    ...timestamps(item),
    author: account(pick(item, 'creator')),
    entities: [
      card ? undefined : entity('project', title, { url: text(item, 'html_url') }),
      repository(pick(payload, 'repository')),
    ],
    properties: { state: text(item, 'state') },
  })
}
