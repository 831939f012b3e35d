import type { Tx } from '../db/open.ts'
import { linkRecords } from '../store/original-rows.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'
import type { Batch, IncomingRecord } from './batch-shape.ts'

/**
 * Links the records of a batch to the original files from which they were read. If a record without an original
 * replaces one with an original, the link is removed.
 */
export async function linkOriginals(
  tx: Tx,
  sandbox: SandboxRef,
  incoming: readonly IncomingRecord[],
  { ids, refused, replaced, unchanged }: Pick<Batch, 'ids' | 'refused' | 'replaced' | 'unchanged'>,
): Promise<void> {
  const links = new Map<string, { recordId: string; originalId: string; projectId: string | null }>()
  const without = new Set<string>()
  for (const record of incoming) {
    const recordId = ids.get(record)
    if (recordId === undefined || record.deleted || refused.has(record)) continue
    const { original: originalId, projectId } = record
    if (originalId !== undefined) links.set(recordId, { recordId, originalId, projectId })
    else if (replaced.has(recordId) && !unchanged.has(record)) without.add(recordId)
  }
  await linkRecords(
    tx,
    sandbox,
    [...links.values()],
    [...without].filter((id) => !links.has(id)),
  )
}
