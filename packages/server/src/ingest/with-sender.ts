import { isDeepStrictEqual } from 'node:util'
import {
  decodeContent,
  isOfUnnamedSpeaker,
  mentionDeclarations,
  type RecordContent,
  SENT_BY,
  type StoredContent,
} from '@cairnstore/engine/resolve'
import type { AccessScope } from '../tenancy/access/access-scope.ts'
import type { Caller } from '../tenancy/caller.ts'
import type { IncomingRecord, StoredRecord } from './batch-shape.ts'

/**
 * Adds the sender to a record whose text may contain "I": the sandbox's owner, or the account that has access. Records
 * that did not come with a request of an account have no sender.
 */
export function withSender(
  content: RecordContent,
  { caller }: { caller: Caller },
  access: AccessScope,
  { isOfOther }: { isOfOther?: boolean },
): RecordContent {
  if (!isOfUnnamedSpeaker(content)) return content
  if (access.role === 'owner') return isOfOther ? content : { ...content, from_owner: true }
  return { ...content, properties: { ...content.properties, [SENT_BY]: caller.accountId } }
}

/**
 * Keeps the original sender of a message when another account sends the same message again. The message is then
 * unchanged, and its words are still attributed to the first sender.
 */
export function keepStoredSender(record: IncomingRecord, before: StoredRecord): void {
  if (record.deleted || !isOfUnnamedSpeaker(record.content)) return
  const { provider: _, ...known } = decodeContent<StoredContent>(before.content)
  if (senderOf(known) === undefined || !hasSameContent(record.content, known)) return
  record.content = known
  record.mentioned = mentionDeclarations(known)
}

function senderOf({ from_owner: fromOwner, properties }: RecordContent): unknown {
  return fromOwner ?? properties?.[SENT_BY]
}

/** Returns true if two messages differ only in the sender and in fields that are derived from it. */
function hasSameContent(one: RecordContent, other: RecordContent): boolean {
  return isDeepStrictEqual(withoutSender(one), withoutSender(other))
}

function withoutSender({ from_owner: _, facts: __, mentions: ___, properties = {}, ...compared }: RecordContent) {
  const { [SENT_BY]: ____, ...given } = properties
  return { ...compared, properties: given }
}
