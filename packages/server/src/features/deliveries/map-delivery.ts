import type { Connector, Delivered, Mapped } from '../../connectors/connector.ts'
import { moment } from '../../connectors/pick.ts'
import type { Chunk, WaitingRecord } from '../ingest/inbox.ts'
import { checkRecord } from '../ingest/record-check.ts'
import { toRecordContent } from '../ingest/to-record-content.ts'

/** What a delivery comes to in the inbox: nothing, or a chunk. */
export interface Readings {
  chunk: Chunk | undefined
  /** The mapping failed, so that the delivery is kept as it came. */
  isUnreadable: boolean
}

/**
 * Turns a delivery into what the inbox takes. What a connector cannot read in spite of all is a fault of ours that its
 * sender could do nothing about: the delivery is kept as it came, stored and exported, and found by nothing.
 */
export async function mapDelivery(
  connector: Connector,
  provider: string,
  delivered: Delivered,
  eventHash: string,
): Promise<Readings> {
  try {
    const { records } = await connector.map(delivered)
    const waiting = toWaiting(records)
    return { chunk: waiting.length > 0 ? { provider, records: waiting } : undefined, isUnreadable: false }
  } catch {
    return { chunk: { provider, records: [asItCame(delivered, eventHash)] }, isUnreadable: true }
  }
}

class Unreadable extends Error {}

function toWaiting(records: Mapped['records']): WaitingRecord[] {
  return records.map((record, index) => {
    const problem = checkRecord(record)
    if (problem) throw new Unreadable(problem.reason)
    const asOf = moment(record.as_of)
    const beside = { ...(asOf && { as_of: asOf }), ...(record.site && { site: record.site }) }
    const content = { ...toRecordContent(record), ...beside }
    return { line: index + 1, content, projectId: null, deleted: record.deleted === true }
  })
}

function asItCame({ body }: Delivered, eventHash: string): WaitingRecord {
  const text = body instanceof Uint8Array ? Buffer.from(body).toString('latin1') : JSON.stringify(body)
  const content = { external_id: `delivery/${eventHash}`, type: 'delivery', text, storage_only: true }
  return { line: 1, content, projectId: null, deleted: false }
}
