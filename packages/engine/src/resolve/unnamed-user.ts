import type { RecordContent, ThingReference } from './record-content.ts'
import { normaliseType } from './things.ts'

/** A user of an assistant whom a message does not name, as facts have them: the person whose sandbox it is. */
export const UNNAMED_USER = { type: 'person', name: 'User', identifiers: { session: 'owner' } } as const

/** The property of a message of somebody else than the sandbox's holder: it is not that of the sandbox's person. */
export const SENT_BY = 'sent_by'

/** Whether an end of a fact is that person. What a record declares itself never is, whatever it writes. */
export function isUnnamedUser(end: ThingReference): boolean {
  if (typeof end === 'string' || end.name !== UNNAMED_USER.name) return false
  return end.identifiers?.session === UNNAMED_USER.identifiers.session
}

/** The same, and whoever was taken for that person before it was kept who had sent a record. */
export function isSomeUser(end: ThingReference): boolean {
  if (typeof end === 'string' || end.name !== UNNAMED_USER.name) return false
  return isUnnamedUser(end) || end.identifiers?.session === 'user'
}

/** Whether a record reads as a message of a session by its user, whom nothing names: anybody can write one. */
export function isOfUnnamedSpeaker({ type, author, properties }: RecordContent): boolean {
  const { role, session } = properties ?? {}
  return author === undefined && role === 'user' && typeof session === 'string' && normaliseType(type) === 'message'
}

/** Whether a record is what that person says: such a message, proven to be sent by the sandbox's owner. */
export function isOfUnnamedUser(content: RecordContent): boolean {
  return content.from_owner === true && content.properties?.[SENT_BY] === undefined && isOfUnnamedSpeaker(content)
}
