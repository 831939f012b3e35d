import { type Thing, thing } from '../draft.ts'
import { list, present, text } from '../pick.ts'

const KEY_IN_URL = /\/issue\/([A-Z][A-Z0-9]*-\d+)(?:\/|$|#|\?)/i
const ADDRESS = /^[^\s@]+@[^\s@]+\.[^\s@]+$/

/** A person of the workspace. A person without a name of their own is called by their address. */
export function person(user: unknown, id?: string): Thing | undefined {
  const name = text(user, 'name') ?? text(user, 'displayName')
  const email = text(user, 'email') ?? (name && ADDRESS.test(name) ? name : undefined)
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
  const address = (text(issue, 'url') ?? url)?.replace(/#.*$/, '')
  const id = text(issue, 'id')
  // Its server of tools calls the key an id, beside which the id of its deliveries would look like another issue's.
  const uuid = id === key ? undefined : id
  return thing('issue', key ?? title ?? uuid, { key, url: address, id: uuid }, { aliases: [title, ...former] })
}

/** The team as an entity. */
export function team(held: unknown): Thing | undefined {
  return thing('team', text(held, 'name') ?? text(held, 'key'), { id: text(held, 'id') })
}

/** The project as an entity. */
export function project(held: unknown, url?: string): Thing | undefined {
  return thing('project', text(held, 'name'), { id: text(held, 'id'), url: text(held, 'url') ?? url })
}

/** The cycle as an entity; one without a name is called by its number. */
export function cycle(held: unknown, teamName?: string): Thing | undefined {
  const number = text(held, 'number')
  const numbered = number && (teamName ? `${teamName} cycle ${number}` : `Cycle ${number}`)
  return thing('cycle', text(held, 'name') ?? numbered, { id: text(held, 'id') }, { aliases: [numbered] })
}

/** The milestone as an entity. */
export function milestone(held: unknown): Thing | undefined {
  return thing('milestone', text(held, 'name'), { id: text(held, 'id') })
}

/** The names of an issue's labels. */
export function labels(held: unknown): string[] {
  return present(list(held, 'labels').map((label) => text(label, 'name')))
}
