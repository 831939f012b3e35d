import { recordKey } from '@cairnstore/engine/resolve'
import { plainKeyHash } from '@cairnstore/engine/text'
import type { Head } from '../../db/head.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import { chunkOf } from '../../ingest/inbox.ts'
import type { Planes } from '../../store/planes.ts'
import type { SandboxStore } from '../../store/port.ts'
import type { SandboxRef } from '../../tenancy/sandboxes/assert-writable.ts'

/**
 * Leaves out of what waits in the database what the storage had applied already when the database was still at an older
 * commit: applied once more, it would replace what came after it. What waits sealed is left as it is. Returns how many
 * records were left out.
 */
export async function leaveOutApplied(
  { sql: control }: Planes,
  sandbox: SandboxRef,
  store: Pick<SandboxStore, 'readSince'>,
  { head, since }: { head: Head; since: number },
): Promise<number> {
  const rows = await control.transact(sandbox.userId, (tx) =>
    tx.selectFrom('inbox').select(['id', 'source_id', 'payload']).where(ofSandbox(sandbox)).execute(),
  )
  if (rows.length === 0) return 0
  const later = new Set<number>()
  for await (const columns of store.readSince(head, since)) {
    if (columns.kind !== 'records') continue
    for (let at = 0; at < columns.count; at++) {
      if (columns.seqs[at]! > since) later.add(columns.externalKeys[at]!)
    }
  }
  let leftOut = 0
  for (const row of rows) {
    if (!row.payload.startsWith('{')) continue
    const chunk = chunkOf(row, undefined)
    const isLater = (externalId: string) => later.has(plainKeyHash(recordKey(row.source_id, externalId)))
    const records = chunk.records.filter(({ content }) => !isLater(content.external_id))
    if (records.length === chunk.records.length) continue
    leftOut += chunk.records.length - records.length
    await control.transact(sandbox.userId, (tx) =>
      tx
        .updateTable('inbox')
        .set({ payload: JSON.stringify({ ...chunk, records }) })
        .where(ofSandbox(sandbox))
        .where('id', '=', row.id)
        .execute(),
    )
  }
  return leftOut
}
