import {
  declarationsOf,
  decodeContent,
  encodeContent,
  mentionDeclarations,
  recordKey,
  type StoredContent,
} from '@cairnstore/engine/resolve'
import { takeLease } from '../../packages/server/src/store/lease.ts'
import type { RecordRow } from '../../packages/server/src/store/port.ts'
import { toRecordRow } from '../../packages/server/src/store/record-row.ts'
import type { ContentCipher } from '../../packages/server/src/tenancy/caller-keys/content-cipher.ts'
import type { TestApp } from './test-app.ts'

/** A sandbox, with its customer-managed key if it has one. */
interface Aged {
  userId: string
  sandboxId: string
  seal?: ContentCipher
}

const ROWS = 500

/**
 * Rewrites every record of a sandbox in the format before records stored blocks and statement states, with their
 * vectors. Then marks the sandbox as a migration does, so that it is reindexed when it is next opened.
 */
export async function storeAsBefore({ cairn: { app } }: TestApp, { seal, ...sandbox }: Aged): Promise<void> {
  await app.applier.runExclusive(sandbox.sandboxId, async () => {
    const lease = await app.sql.transact(sandbox.userId, (tx) => takeLease(tx, sandbox, app))
    if (!lease) throw new Error('The sandbox is at work.')
    const view = await app.knowledge.view({ ...sandbox, ...(seal && { seal }) }, lease.head)
    const records: RecordRow[] = []
    for await (const rows of view.store.scanRecords(lease.head, { batchRows: ROWS })) {
      for (const row of rows) records.push(older(row, view.hash))
    }
    const seqs = records.map(({ id }) => ({ id, seq: view.graph.seqOf(id)! }))
    const vectors = await view.store.vectorsOf(lease.head, seqs)
    const seq = lease.head.seq + 1
    const head = await view.store.commit(lease.head, {
      records,
      entities: [],
      links: [],
      vectors: vectors.map((row) => ({ ...row, recordSeq: seq })),
    })
    const { recordsVersion, vectorsVersion } = head
    const bytes = records.reduce((sum, { content }) => sum + content.length, 0)
    await app.sql.transact(sandbox.userId, (tx) =>
      tx
        .updateTable('sandbox_head')
        .set({ seq, records_version: recordsVersion, vectors_version: vectorsVersion, reread_up_to: seq })
        .set({ content_bytes: bytes })
        .where('sandbox_id', '=', sandbox.sandboxId)
        .execute(),
    )
    app.knowledge.committed(sandbox, head)
  })
}

function older(row: RecordRow, hash: Parameters<typeof toRecordRow>[4]): RecordRow {
  const {
    blocks: _,
    phase: __,
    owner: ___,
    due: ____,
    kind: _____,
    basis: ______,
    ...content
  } = decodeContent<StoredContent>(row.content)
  const origin = { sourceId: row.sourceId ?? null, provider: content.provider }
  const said = { things: declarationsOf(content, origin), mentioned: mentionDeclarations(content) }
  const record = { content, origin, projectId: row.projectId ?? null, ...said }
  return toRecordRow(row.id, recordKey(origin.sourceId, content.external_id), record, encodeContent(content), hash)
}
