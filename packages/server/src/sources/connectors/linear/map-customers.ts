import { type Said, type Thing, thing } from '../draft.ts'
import { list, number, pick, present, text } from '../pick.ts'
import { withoutHidden } from '../references.ts'
import { heldOr, issueThing, nameOf, person, project } from './things.ts'

/** A customer, known by the domains of its mail too. */
function customer(held: unknown, id?: string): Thing | undefined {
  const known = text(held, 'id') ?? id
  return thing('organisation', text(held, 'name') ?? known, { id: known, domain: text(held, 'domains', 0) })
}

/** A customer as it stands. */
export function customerTold(held: unknown, payload: unknown): Said | undefined {
  const own = customer(held)
  if (!own || !nameOf(own)) return undefined
  const owner = person(pick(held, 'owner'), text(held, 'ownerId'))
  return {
    title: own.name,
    url: text(held, 'url') ?? text(payload, 'url'),
    participants: [owner],
    entities: [own],
    relations: [{ subject: own, predicate: 'owned_by', object: owner }],
    properties: {
      state: text(held, 'status', 'displayName') ?? text(held, 'status', 'name'),
      tier: text(held, 'tier', 'displayName') ?? text(held, 'tier', 'name'),
      domains: present(list(held, 'domains').map((one) => text(one))),
      revenue: number(held, 'revenue'),
      size: number(held, 'size'),
    },
  }
}

/** What a customer asks for, and the issue or project in which it is worked on. */
export function needTold(held: unknown, payload: unknown): Said | undefined {
  const by = customer(pick(held, 'customer'), text(held, 'customerId'))
  const part = (name: string) => heldOr(pick(held, name), text(held, `${name}Id`))
  const about = issueThing(part('issue')) ?? project(part('project'))
  const source = pick(held, 'attachment')
  const body = withoutHidden(text(held, 'body')) ?? text(source, 'title')
  const title = present([nameOf(by), about && nameOf(about) && `on ${about.aliases?.[0] ?? about.name}`]).join(' ')
  if (!body && !title) return undefined
  return {
    title: `Request of ${title || 'a customer'}`,
    text: body,
    url: text(held, 'url') ?? text(payload, 'url') ?? text(source, 'url'),
    author: person(pick(held, 'creator'), text(held, 'creatorId')),
    entities: [by, about],
    relations: [{ subject: about, predicate: 'requested_by', object: by }],
    properties: {
      customer: nameOf(by),
      on: nameOf(about),
      important: number(held, 'priority') === 1 ? true : undefined,
    },
  }
}

/** What an issue links to: a pull request, a thread, a ticket, a file. */
export function attachmentTold(held: unknown): Said | undefined {
  const title = text(held, 'title')
  if (!title) return undefined
  const issue = text(held, 'issueId') ?? text(held, 'issue', 'id')
  const about = issueThing(heldOr(pick(held, 'issue'), issue))
  return {
    title,
    text: present([text(held, 'subtitle'), text(held, 'url')]).join('\n'),
    url: text(held, 'url'),
    author: person(pick(held, 'creator'), text(held, 'creatorId')),
    entities: [about],
    properties: { on: nameOf(about) ?? (issue && `issue/${issue}`), tool: text(held, 'sourceType') },
  }
}
