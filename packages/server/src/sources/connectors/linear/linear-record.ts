import { type Draft, type MappedRecord, type Said, toRecord } from '../draft.ts'
import { moment, text } from '../pick.ts'
import { attachmentTold, customerTold, needTold } from './map-customers.ts'
import { commentTold, issueTold } from './map-issues.ts'
import { cycleTold, namedTold, projectTold, reactionTold, updateTold, userTold } from './map-planning.ts'
import { issueKey } from './things.ts'

interface Kind {
  /** What its records' external ids begin with, and their type. */
  id: string
  type: string
  told(held: unknown, payload: unknown): Said | undefined
}

/** The types of entities that carry knowledge. */
const KINDS = {
  Issue: { id: 'issue', type: 'issue', told: issueTold },
  Comment: { id: 'comment', type: 'comment', told: commentTold },
  Project: { id: 'project', type: 'project', told: projectTold },
  ProjectUpdate: { id: 'update', type: 'project_update', told: updateTold },
  InitiativeUpdate: { id: 'update', type: 'project_update', told: updateTold },
  Cycle: { id: 'cycle', type: 'cycle', told: cycleTold },
  User: { id: 'user', type: 'person', told: userTold },
  Reaction: { id: 'reaction', type: 'reaction', told: reactionTold },
  Customer: { id: 'customer', type: 'customer', told: customerTold },
  CustomerNeed: { id: 'customer_need', type: 'customer_request', told: needTold },
  Attachment: { id: 'attachment', type: 'attachment', told: attachmentTold },
  Document: named('document'),
  Release: named('release'),
  ReleaseNote: named('release_note'),
  Initiative: named('initiative'),
  ProjectMilestone: named('milestone'),
  Team: named('team'),
} satisfies Record<string, Kind>

function named(type: string): Kind {
  return { id: type, type, told: (held, payload) => namedTold(type, held, payload) }
}

/** A type of entity that carries knowledge. */
type ToldType = keyof typeof KINDS

/** Whether entities of a type carry knowledge. */
export function isTold(type: string): type is ToldType {
  return Object.hasOwn(KINDS, type)
}

/** The record of an entity as it stands, or its withdrawal where the delivery tells that it was removed. */
export function linearRecord(type: ToldType, held: unknown, payload?: unknown): MappedRecord | undefined {
  const kind: Kind = KINDS[type]
  // Without an id an issue is known as its server of tools knows it, by its key.
  const id = text(held, 'id') ?? (type === 'Issue' ? issueKey(held, text(payload, 'url')) : undefined)
  const isGone = text(payload, 'action') === 'remove'
  const said = isGone ? {} : kind.told(held, payload)
  if (!id || !said) return undefined
  const stands: Draft = { ...said, externalId: `${kind.id}/${id}`, type: kind.type }
  if (isGone) return toRecord({ ...stands, gone: { asOf: moment(held, 'archivedAt') ?? moment(payload, 'createdAt') } })
  return toRecord({ ...stands, occurredAt: moment(held, 'createdAt'), asOf: moment(held, 'updatedAt') })
}
