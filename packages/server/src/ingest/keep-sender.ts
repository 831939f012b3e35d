import { decodeContent, mentionedThings, SENT_BY, type StoredContent } from '@cairn/engine/resolve'
import type { IncomingRecord, StoredRecord } from './batch-shape.ts'

/**
 * Leaves a message with who sent it first, when another account sends the session again: the same message changes
 * nothing, and its words stay those of the person who is known to have said them.
 */
export function keepSender(record: IncomingRecord, before: StoredRecord): void {
  const { content } = record
  if (content.properties?.session === undefined || record.deleted) return
  const { text, properties = {}, facts } = decodeContent<StoredContent>(before.content)
  const [sender, known] = [content.properties[SENT_BY], properties[SENT_BY]]
  if (sender === known || text !== content.text) return
  const { [SENT_BY]: _, ...given } = content.properties
  const { facts: __, ...said } = content
  const kept = { ...given, ...(known !== undefined && { [SENT_BY]: known }) }
  record.content = { ...said, properties: kept, ...(facts && { facts }) }
  record.mentioned = mentionedThings(record.content)
}
