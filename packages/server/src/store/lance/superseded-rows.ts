import type { Table } from '@lancedb/lancedb'
import type { Head } from '../../db/head.ts'
import { liveRecordSeqs } from './count-live.ts'
import * as decode from './decode.ts'
import { queryRows } from './log.ts'
import type { StoreParts } from './reader.ts'

/**
 * Numbers of the rows of vectors that were made of a version of a record which the head has no longer. It is the
 * records that say so, so that no commit has to tell the vectors, and none can forget to.
 */
export async function supersededRows(parts: StoreParts, head: Head, vectors: Table): Promise<Set<number>> {
  const seqOf = await liveRecordSeqs(parts, head)
  const superseded = new Set<number>()
  for await (const batch of queryRows(vectors, ['id', 'record_seq'], undefined)) {
    const rows = decode.rowNumbers(batch)
    const recordSeqs = decode.numbers(batch, 'record_seq')
    for (const [i, id] of decode.texts(batch, 'id').entries()) {
      if (seqOf.get(id) !== recordSeqs[i]) superseded.add(rows[i]!)
    }
  }
  return superseded
}
