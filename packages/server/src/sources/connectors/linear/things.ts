import { atSite, type MappedRecord, type Settings, type Thing, thing } from '../draft.ts'
import { address, list, moment, number, pageUrl, pick, text as plain, present, text } from '../pick.ts'

const KEY_IN_URL = /\/issue\/([A-Z][A-Z0-9]*-\d+)(?:\/|$|#|\?)/i

/** A person of the workspace. A person without a name of their own is called by their address. */
export function person(user: unknown, id?: string): Thing | undefined {
  const name = text(user, 'name') ?? text(user, 'displayName')
  const email = text(user, 'email') ?? address(name)
  const known = text(user, 'id') ?? id
  return thing(
    'person',
    name ?? email ?? known,
    { id: known, email, url: text(user, 'url') },
    { aliases: [text(user, 'displayName')] },
  )
}

/** An issue's key: as it is given, as its address has it, or from its team and number. */
export function issueKey(issue: unknown, url?: string): string | undefined {
  const given = text(issue, 'identifier')
  if (given) return given
  const inUrl = KEY_IN_URL.exec(text(issue, 'url') ?? url ?? '')?.[1]
  if (inUrl) return inUrl.toUpperCase()
  const team = text(issue, 'team', 'key')
  const number = text(issue, 'number')
  return team && number ? `${team}-${number}` : undefined
}

/** An issue as an entity, called by its key when that is known. */
export function issueThing(issue: unknown, url?: string): Thing | undefined {
  const key = issueKey(issue, url)
  const title = text(issue, 'title')
  // An issue that was moved to another team is still spoken of by the key that it had.
  const former = list(issue, 'previousIdentifiers').map((one) => text(one))
  const page = pageUrl(issue, 'url') ?? pageUrl(url)
  const id = text(issue, 'id')
  // Its server of tools calls the key an id, beside which the id of its deliveries would look like another issue's.
  const uuid = id === key ? undefined : id
  return thing('issue', key ?? title ?? uuid, { key, url: page, id: uuid }, { aliases: [title, ...former] })
}

/** What is told in full, or else by its id alone, as deliveries often do. */
export function heldOr(held: unknown, id: string | undefined): unknown {
  return held ?? (id && { id })
}

/** The name of a thing of which more than its id is known. */
export function nameOf(one: Thing | undefined): string | undefined {
  return one && one.name !== one.identifiers?.id ? one.name : undefined
}

/** The team as an entity. */
export function team(held: unknown): Thing | undefined {
  const id = text(held, 'id')
  return thing('team', text(held, 'name') ?? text(held, 'key') ?? id, { id })
}

/** The project as an entity. */
export function project(held: unknown, url?: string): Thing | undefined {
  const id = text(held, 'id')
  return thing('project', text(held, 'name') ?? id, { id, url: text(held, 'url') ?? url })
}

/** The initiative as an entity. */
export function initiative(held: unknown): Thing | undefined {
  const id = text(held, 'id')
  return thing('initiative', text(held, 'name') ?? id, { id, url: text(held, 'url') })
}

/** The cycle as an entity; one without a name is called by its number. */
export function cycle(held: unknown, teamName?: string): Thing | undefined {
  const number = text(held, 'number')
  const numbered = number && (teamName ? `${teamName} cycle ${number}` : `Cycle ${number}`)
  const id = text(held, 'id')
  return thing('cycle', text(held, 'name') ?? numbered ?? id, { id }, { aliases: [numbered] })
}

/** The milestone as an entity. */
export function milestone(held: unknown): Thing | undefined {
  const id = text(held, 'id')
  return thing('milestone', text(held, 'name') ?? id, { id })
}

/** Whoever wrote something without being a person of the workspace: an application, or somebody elsewhere. */
export function otherAuthor(held: unknown): Thing | undefined {
  const bot = pick(held, 'botActor')
  const told = typeof bot === 'string' ? parsed(bot) : bot
  const elsewhere = pick(held, 'externalUser') ?? heldOr(undefined, text(held, 'externalUserId'))
  return person(elsewhere) ?? thing('bot', text(told, 'name') ?? text(told, 'type'), { id: text(told, 'id') })
}

function parsed(value: string): unknown {
  try {
    return JSON.parse(value)
  } catch {
    return { name: value }
  }
}

/** The names of an issue's labels. */
export function labels(held: unknown): string[] {
  return present(list(held, 'labels').map((label) => text(label, 'name')))
}

const ORGANISATION = /^https?:\/\/(linear\.app\/(?!issue\/)[^/\s?#]{1,100})\/[a-z]/i

/**
 * Records as one organisation tells them: keys of issues are its own, and all other ids are one of a kind.
 * @param url of the delivery, for what does not tell its own
 */
export function atLinear(records: readonly MappedRecord[], { config }: Pick<Settings, 'config'>, url?: string) {
  return records.flatMap((record) => {
    const home = [record.url, url].map((one) => ORGANISATION.exec(one ?? '')?.[1]).find((one) => one !== undefined)
    const { site: _, ...told } = atSite([record], text(config, 'site') ?? home?.toLowerCase(), ({ key }) =>
      Boolean(key),
    )[0]!
    return told
  })
}

/** What Linear's server of tools says of a thing, in the words of its deliveries, which the mappings read. */
export type Held = Record<string, unknown>

const KEY = /^[A-Z][A-Z0-9]*-\d+$/i

/** A name and an id beside it, as the one thing that they are; a thing stays as it is. */
function named(value: unknown, id: unknown): Held | undefined {
  if (value !== null && typeof value === 'object') return value as Held
  const name = typeof value === 'string' ? value : undefined
  return name === undefined && typeof id !== 'string' ? undefined : { ...(typeof id === 'string' && { id }), name }
}

/** An issue. Its `id` is what deliveries call its key, and its `uuid`, where there is one, what they call its id. */
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
