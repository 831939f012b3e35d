import { openEvidence, sealEvidence } from '../../store/merge-ledger.ts'
import { forgetSuggestions } from '../../store/merge-suggestions.ts'
import type { Planes } from '../../store/planes.ts'
import type { SandboxView } from '../../store/sandbox-view.ts'
import type { SandboxRef } from '../../tenancy/sandboxes/sandbox-ref.ts'

/**
 * Takes out of the reasons for merges what no live record says any more; the merges stay. What may be one goes with the
 * last record of either of the two.
 */
export async function forgetEvidence(planes: Planes, view: SandboxView, place: SandboxRef): Promise<void> {
  await planes.sql.transact(place.userId, async (tx) => {
    await forgetSuggestions(tx, place, (partId) => view.graph.knows(view.canonical(partId), null))
    const merges = await tx
      .selectFrom('merge_ledger')
      .select(['id', 'evidence'])
      .where('user_id', '=', place.userId)
      .where('sandbox_id', '=', place.sandboxId)
      .execute()
    for (const { id, evidence: kept } of merges) {
      const evidence = openEvidence(id, kept, view.seal)
      const { keys = [] } = evidence as { keys?: string[] }
      const said = keys.filter((key) => view.graph.countDeclaring(view.hash(key), null) > 0)
      if (said.length === keys.length) continue
      await tx
        .updateTable('merge_ledger')
        .set({ evidence: sealEvidence(id, { ...evidence, keys: said }, view.seal) })
        .where('user_id', '=', place.userId)
        .where('sandbox_id', '=', place.sandboxId)
        .where('id', '=', id)
        .execute()
    }
  })
}
