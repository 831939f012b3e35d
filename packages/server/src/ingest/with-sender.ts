import { isDeepStrictEqual } from 'node:util'
import {
  decodeContent,
  isOfUnnamedSpeaker,
  mentionedThings,
  type RecordContent,
  SENT_BY,
  type StoredContent,
} from '@cairnstore/engine/resolve'
import type { Caller } from '../tenancy/caller.ts'
import type { Reach } from '../tenancy/reach/reach.ts'
import type { IncomingRecord, StoredRecord } from './batch-shape.ts'

/**
 * A record with who sent it, where "I" in it would be whoever that is: the sandbox's owner, or the account that has a
 * share. What comes by another way than a request of an account has no sender, and is said by nobody.
 */
export function withSender(
  content: RecordContent,
  { caller }: { caller: Caller },
  reach: Reach,
  { isOfOther }: { isOfOther?: boolean },
): RecordContent {
  if (!isOfUnnamedSpeaker(content)) return content
  if (reach.role === 'owner') return isOfOther ? content : { ...content, from_owner: true }
  return { ...content, properties: { ...content.properties, [SENT_BY]: caller.accountId } }
}

/**
 * Leaves a message with who sent it first, when another account sends it again as it was: the same message changes
 * nothing, and its words stay those of the person who is known to have said them.
 */
export function keepSender(record: IncomingRecord, before: StoredRecord): void {
  if (record.deleted || !isOfUnnamedSpeaker(record.content)) return
  const { provider: _, ...known } = decodeContent<StoredContent>(before.content)
  if (senderOf(known) === undefined || !saysTheSame(record.content, known)) return
  record.content = known
  record.mentioned = mentionedThings(known)
}

/** Undefined where it was not kept. */
function senderOf({ from_owner: fromOwner, properties }: RecordContent): unknown {
  return fromOwner ?? properties?.[SENT_BY]
}

/** Whether two messages differ in who sent them alone, and in what is read of them by that. */
function saysTheSame(one: RecordContent, other: RecordContent): boolean {
  return isDeepStrictEqual(withoutSender(one), withoutSender(other))
}

function withoutSender({ from_owner: _, facts: __, mentions: ___, properties = {}, ...said }: RecordContent) {
  const { [SENT_BY]: ____, ...given } = properties
  return { ...said, properties: given }
}
