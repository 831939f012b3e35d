import type { Planes } from '../handler.ts'
import type { SandboxRef } from '../ingest/inbox.ts'
import type { SandboxView } from '../knowledge/knowledge.ts'

/** Takes out of the reasons for merges what no live record says any more; the merges stay. */
export async function forgetEvidence(planes: Planes, view: SandboxView, place: SandboxRef): Promise<void> {
  await planes.sql.transact(place.userId, async (tx) => {
    const merges = await tx
      .selectFrom('merge_ledger')
      .select(['id', 'evidence'])
      .where('user_id', '=', place.userId)
      .where('sandbox_id', '=', place.sandboxId)
      .execute()
    for (const { id, evidence } of merges) {
      const { keys = [] } = evidence as { keys?: string[] }
      const said = keys.filter((key) => view.graph.countDeclaring(view.hash(key), null) > 0)
      if (said.length === keys.length) continue
      await tx
        .updateTable('merge_ledger')
        .set({ evidence: { ...evidence, keys: said } })
        .where('user_id', '=', place.userId)
        .where('sandbox_id', '=', place.sandboxId)
        .where('id', '=', id)
        .execute()
    }
  })
}
