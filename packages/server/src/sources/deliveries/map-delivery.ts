import type { Chunk, WaitingRecord } from '../../ingest/inbox.ts'
import { checkRecord } from '../../ingest/record-check.ts'
import { toRecordContent } from '../../ingest/to-record-content.ts'
import type { Connector, Delivered, Mapped } from '../connectors/connector.ts'
import type { Ignored } from '../connectors/draft.ts'
import { mapUnrecognised } from '../connectors/json/map-unrecognised.ts'
import { moment } from '../connectors/pick.ts'

/** What a delivery comes to in the inbox: nothing, or a chunk. */
interface Readings {
  chunk: Chunk | undefined
  /** Why there is no chunk, or that the mapping failed, so that the delivery is kept as it came; null otherwise. */
  reason: Ignored | 'unreadable' | null
}

/**
 * Turns a delivery into what the inbox takes. What its connector does not recognise is read like any other JSON, when
 * it says something. What a connector cannot read in spite of all is a fault of ours that its
 * sender could do nothing about: the delivery is kept as it came, stored and exported, and found by nothing.
 */
export async function mapDelivery(
  connector: Connector,
  provider: string,
  delivered: Delivered,
  eventHash: string,
): Promise<Readings> {
  try {
    const { records, ignored } = await mapped(connector, delivered)
    const waiting = toWaiting(records)
    if (waiting.length === 0) return { chunk: undefined, reason: ignored ?? 'incomplete' }
    return { chunk: { provider, records: waiting, event: eventHash }, reason: null }
  } catch {
    return { chunk: { provider, records: [asItCame(delivered, eventHash)], event: eventHash }, reason: 'unreadable' }
  }
}

/** Why a connector has nothing of a delivery that may say something all the same. */
const UNRECOGNISED: ReadonlySet<Ignored | undefined> = new Set(['unknown_event', 'incomplete'] as const)

async function mapped(connector: Connector, delivered: Delivered): Promise<Mapped> {
  const told = await connector.map(delivered)
  const isRecognised = told.records.length > 0 || !UNRECOGNISED.has(told.ignored)
  return isRecognised ? told : ((await mapUnrecognised(delivered)) ?? told)
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
