import { decodeContent, type StoredContent } from '@cairnstore/engine/resolve'
import type { Clock } from '../../base/clock.ts'
import { buildBatch } from '../../ingest/batch.ts'
import { batchContext } from '../../ingest/batch-context.ts'
import type { Batch, IncomingRecord, Room } from '../../ingest/batch-shape.ts'
import type { HeadSize, Lease } from '../../store/lease.ts'
import type { RecordText } from '../../store/port.ts'
import type { SandboxView } from '../../store/sandbox-view.ts'

/** Removals need no room. */
const ENDLESS: Room = { records: null, bytes: null }

/** What a commit writes that removes these records, with whatever only they supported. */
export async function removalOf(view: SandboxView, stored: readonly RecordText[], clock: Clock): Promise<Batch> {
  const incoming = stored.map((row): IncomingRecord => {
    const content = decodeContent<StoredContent>(row.content)
    const origin = { sourceId: row.sourceId, provider: content.provider }
    return { content, origin, projectId: null, deleted: true, things: [], mentioned: [], line: 0 }
  })
  const given = { decisions: [], room: ENDLESS, links: new Set<string>(), marks: new Map() }
  return buildBatch(incoming, await batchContext(view, incoming, given, clock))
}

/** What the head holds after a batch; nothing where nobody has counted yet. */
export function sizeAfter({ size }: Lease, { added, addedBytes }: Batch): { size?: HeadSize } {
  return size ? { size: { records: size.records + added, bytes: size.bytes + addedBytes } } : {}
}
