import { type Thing, thing } from '../draft.ts'
import { address, text } from '../pick.ts'

/** Somebody with an account: of the cloud by account id, of a server by user name. */
export function account(user: unknown): Thing | undefined {
  const login = text(user, 'name')
  const id = text(user, 'accountId')
  return thing(
    'person',
    text(user, 'displayName') ?? login ?? id,
    { id, login, email: address(user, 'emailAddress') },
    { aliases: [login === id ? undefined : login] },
  )
}

/** Someone whom a text mentions: the cloud's account ids have digits and colons, a server's user names do not. */
export function mentioned({ id, name }: { id: string; name: string | undefined }): Thing | undefined {
  const isAccount = /^[\w-]*\d[\w:-]{15,}$/.test(id)
  return thing('person', name ?? id, isAccount ? { id } : { login: id })
}

/** The address of the site that a link to its interface leads to. */
export function siteOf(held: unknown): string | undefined {
  const self = text(held, 'self')
  const rest = self?.search(/\/rest\//) ?? -1
  return self && rest > 0 ? self.slice(0, rest) : undefined
}

/** An issue as an entity, called by its key. */
export function issueThing(issue: unknown): Thing | undefined {
  const key = text(issue, 'key')
  const site = siteOf(issue)
  return thing(
    'issue',
    key,
    { key, id: text(issue, 'id'), url: site && key && `${site}/browse/${key}` },
    { aliases: [text(issue, 'fields', 'summary')] },
  )
}

/** The project as an entity. */
export function project(held: unknown): Thing | undefined {
  const key = text(held, 'key')
  const site = siteOf(held)
  return thing(
    'project',
    text(held, 'name') ?? key,
    { id: text(held, 'id'), url: site && key && `${site}/browse/${key}` },
    { aliases: [key] },
  )
}
