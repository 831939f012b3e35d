import { type Thing, thing, toRecord } from '../draft.ts'
import type { MappedRecord } from '../mapped-record.ts'
import { list, moment, number, pick, present, text } from '../pick.ts'
import { withoutHidden } from '../references.ts'
import { heldOr, issueThing, nameOf, person, project } from './things.ts'

/** A customer, known by the domains of its mail too. */
function customer(held: unknown, id?: string): Thing | undefined {
  const known = text(held, 'id') ?? id
  return thing('organisation', text(held, 'name') ?? known, { id: known, domain: text(held, 'domains', 0) })
}

/** A customer as it stands. */
export function customerRecord(held: unknown, payload: unknown): MappedRecord | undefined {
  const id = text(held, 'id')
  const own = customer(held)
  if (!id || !own || !nameOf(own)) return undefined
  const owner = person(pick(held, 'owner'), text(held, 'ownerId'))
  return toRecord({
    externalId: `customer/${id}`,
    type: 'customer',
    title: own.name,
    url: text(held, 'url') ?? text(payload, 'url'),
    occurredAt: moment(held, 'createdAt'),
    asOf: moment(held, 'updatedAt'),
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
  })
}

/** What a customer asks for, and the issue or project in which it is worked on. */
export function needRecord(held: unknown, payload: unknown): MappedRecord | undefined {
  const id = text(held, 'id')
  if (!id) return undefined
  const by = customer(pick(held, 'customer'), text(held, 'customerId'))
  const part = (name: string) => heldOr(pick(held, name), text(held, `${name}Id`))
  const about = issueThing(part('issue')) ?? project(part('project'))
  const source = pick(held, 'attachment')
  const body = withoutHidden(text(held, 'body')) ?? text(source, 'title')
  const title = present([nameOf(by), about && nameOf(about) && `on ${about.aliases?.[0] ?? about.name}`]).join(' ')
  if (!body && !title) return undefined
  return toRecord({
    externalId: `customer_need/${id}`,
    type: 'customer_request',
    title: `Request of ${title || 'a customer'}`,
    text: body,
    url: text(held, 'url') ?? text(payload, 'url') ?? text(source, 'url'),
    occurredAt: moment(held, 'createdAt'),
    asOf: moment(held, 'updatedAt'),
    author: person(pick(held, 'creator'), text(held, 'creatorId')),
    entities: [by, about],
    relations: [{ subject: about, predicate: 'requested_by', object: by }],
    properties: {
      customer: nameOf(by),
      on: nameOf(about),
      important: number(held, 'priority') === 1 ? true : undefined,
    },
  })
}

/** What an issue links to: a pull request, a thread, a ticket, a file. */
export function attachmentRecord(held: unknown): MappedRecord | undefined {
  const id = text(held, 'id')
  const title = text(held, 'title')
  if (!id || !title) return undefined
  const issue = text(held, 'issueId') ?? text(held, 'issue', 'id')
  const about = issueThing(heldOr(pick(held, 'issue'), issue))
  return toRecord({
    externalId: `attachment/${id}`,
    type: 'attachment',
    title,
    text: present([text(held, 'subtitle'), text(held, 'url')]).join('\n'),
    url: text(held, 'url'),
    occurredAt: moment(held, 'createdAt'),
    asOf: moment(held, 'updatedAt'),
    author: person(pick(held, 'creator'), text(held, 'creatorId')),
    entities: [about],
    properties: { on: nameOf(about) ?? (issue && `issue/${issue}`), tool: text(held, 'sourceType') },
  })
}
