import { address, list, moment, number, pageUrl, pick, text as plain, present, text } from '../pick.ts'
import { assignSite, type Entity, entity, type MappedRecord, type Settings } from '../to-record.ts'

const KEY_IN_URL = /\/issue\/([A-Z][A-Z0-9]*-\d+)(?:\/|$|#|\?)/i

/** Returns a person of the workspace. Without a name, the email address or else the id is used. */
export function person(user: unknown, id?: string): Entity | undefined {
  const name = text(user, 'name') ?? text(user, 'displayName')
  const email = text(user, 'email') ?? address(name)
  const known = text(user, 'id') ?? id
  return entity(
    'person',
    name ?? email ?? known,
    { id: known, email, url: text(user, 'url') },
    { aliases: [text(user, 'displayName')] },
  )
}

/** Returns an issue's key: its identifier, the key in its URL, or its team's key and number. */
export function issueKey(issue: unknown, url?: string): string | undefined {
  const given = text(issue, 'identifier')
  if (given) return given
  const inUrl = KEY_IN_URL.exec(text(issue, 'url') ?? url ?? '')?.[1]
  if (inUrl) return inUrl.toUpperCase()
  const team = text(issue, 'team', 'key')
  const number = text(issue, 'number')
  return team && number ? `${team}-${number}` : undefined
}

/** Returns an issue as an entity, named by its key if it is known. */
export function issueEntity(issue: unknown, url?: string): Entity | undefined {
  const key = issueKey(issue, url)
  const title = text(issue, 'title')
  // Texts may still use the key that an issue had before it moved to another team.
  const former = list(issue, 'previousIdentifiers').map((one) => text(one))
  const page = pageUrl(issue, 'url') ?? pageUrl(url)
  const id = text(issue, 'id')
  // The MCP server sends the key as the id. It is not an identifier, because the webhook's id of the same issue would
  // differ.
  const uuid = id === key ? undefined : id
  return entity('issue', key ?? title ?? uuid, { key, url: page, id: uuid }, { aliases: [title, ...former] })
}

/** Returns the item, or an item with only an id. Many deliveries contain only the id. */
export function objectOrId(item: unknown, id: string | undefined): unknown {
  return item ?? (id && { id })
}

/** Returns the name of an entity; undefined if only its id is known. */
export function nameOf(one: Entity | undefined): string | undefined {
  return one && one.name !== one.identifiers?.id ? one.name : undefined
}

export function team(item: unknown): Entity | undefined {
  const id = text(item, 'id')
  return entity('team', text(item, 'name') ?? text(item, 'key') ?? id, { id })
}

export function project(item: unknown, url?: string): Entity | undefined {
  const id = text(item, 'id')
  return entity('project', text(item, 'name') ?? id, { id, url: text(item, 'url') ?? url })
}

export function initiative(item: unknown): Entity | undefined {
  const id = text(item, 'id')
  return entity('initiative', text(item, 'name') ?? id, { id, url: text(item, 'url') })
}

/** Returns the cycle as an entity. Without a name, it is named by its number. */
export function cycle(item: unknown, teamName?: string): Entity | undefined {
  const number = text(item, 'number')
  const numbered = number && (teamName ? `${teamName} cycle ${number}` : `Cycle ${number}`)
  const id = text(item, 'id')
  return entity('cycle', text(item, 'name') ?? numbered ?? id, { id }, { aliases: [numbered] })
}

export function milestone(item: unknown): Entity | undefined {
  const id = text(item, 'id')
  return entity('milestone', text(item, 'name') ?? id, { id })
}

/** Returns an author who is not a member of the workspace: an external user or an application. */
export function otherAuthor(item: unknown): Entity | undefined {
  const bot = pick(item, 'botActor')
  const actor = typeof bot === 'string' ? parsed(bot) : bot
  const externalUser = pick(item, 'externalUser') ?? objectOrId(undefined, text(item, 'externalUserId'))
  return person(externalUser) ?? entity('bot', text(actor, 'name') ?? text(actor, 'type'), { id: text(actor, 'id') })
}

function parsed(value: string): unknown {
  try {
    return JSON.parse(value)
  } catch {
    return { name: value }
  }
}

/** Returns the names of an issue's labels. */
export function labels(item: unknown): string[] {
  return present(list(item, 'labels').map((label) => text(label, 'name')))
}

const ORGANISATION = /^https?:\/\/(linear\.app\/(?!issue\/)[^/\s?#]{1,100})\/[a-z]/i

/**
 * Adds the organization to entities with issue keys, which are unique only within it. All other ids are globally
 * unique.
 * @param url the delivery's URL, for a record without one
 */
export function assignLinearSite(records: readonly MappedRecord[], { config }: Pick<Settings, 'config'>, url?: string) {
  return records.flatMap((record) => {
    const home = [record.url, url].map((one) => ORGANISATION.exec(one ?? '')?.[1]).find((one) => one !== undefined)
    const { site: _, ...rest } = assignSite([record], text(config, 'site') ?? home?.toLowerCase(), ({ key }) =>
      Boolean(key),
    )[0]!
    return rest
  })
}

/** An item from Linear's MCP server, with the field names of the webhooks, which the mappings read. */
export type LinearObject = Record<string, unknown>

const KEY = /^[A-Z][A-Z0-9]*-\d+$/i

/** Joins a name and an id into one object. An object is returned unchanged. */
function named(value: unknown, id: unknown): LinearObject | undefined {
  if (value !== null && typeof value === 'object') return value as LinearObject
  const name = typeof value === 'string' ? value : undefined
  return name === undefined && typeof id !== 'string' ? undefined : { ...(typeof id === 'string' && { id }), name }
}

/** Converts an issue of the MCP server. Its `id` is the `identifier` of webhooks, its `uuid` their `id`. */
export function issueOf(issue: unknown, cycles: ReadonlyMap<string, LinearObject>): LinearObject {
  const own = plain(issue, 'id')
  const key = plain(issue, 'identifier') ?? (own && KEY.test(own) ? own : undefined)
  const parent = plain(issue, 'parentId')
  const cycleId = plain(issue, 'cycleId')
  return {
    ...(issue as LinearObject),
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

/** Converts a project of the MCP server. Its summary is the `description` of webhooks. */
export function projectOf(project: unknown): LinearObject {
  return {
    ...(project as LinearObject),
    description: plain(project, 'summary'),
    content: plain(project, 'description'),
    lead: named(pick(project, 'lead'), pick(project, 'leadId')),
    priorityLabel: plain(project, 'priority', 'name'),
    state: plain(project, 'status') ?? plain(project, 'state'),
  }
}

/** Converts a user of the MCP server. */
export function userOf(user: unknown): LinearObject {
  return {
    ...(user as LinearObject),
    active: pick(user, 'isActive') ?? pick(user, 'active'),
    admin: pick(user, 'isAdmin'),
  }
}

/** Converts a cycle of the MCP server and adds its team, which is known from the request. */
export function cycleOf(cycle: unknown, team: LinearObject): LinearObject {
  return { ...(cycle as LinearObject), team: pick(cycle, 'team') ?? team }
}

/** Returns the time of an item's last change. */
export function changedAt(item: unknown): string | undefined {
  return moment(item, 'updatedAt')
}
