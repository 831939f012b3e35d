import type { RecordContent, ThingReference } from './record-content.ts'
import { normaliseType } from './things.ts'

/** A user of an assistant whom a message does not name, as facts have them: the person whose sandbox it is. */
export const UNNAMED_USER = { type: 'person', name: 'User', identifiers: { session: 'user' } } as const

/** The property of a message of somebody else than the sandbox's holder: it is not that of the sandbox's person. */
export const SENT_BY = 'sent_by'

/** Whether an end of a fact is that person. What a record declares itself never is, whatever it writes. */
export function isUnnamedUser(end: ThingReference): boolean {
  return typeof end === 'object' && end.name === UNNAMED_USER.name && end.identifiers?.session === 'user'
}

/** Whether a record is what that person says: a message of a session by its user, whom nothing names. */
export function isOfUnnamedUser({ type, author, properties }: RecordContent): boolean {
  const { role, session, [SENT_BY]: sender } = properties ?? {}
  const isOfUser = role === 'user' && typeof session === 'string' && sender === undefined
  return author === undefined && isOfUser && normaliseType(type) === 'message'
}
