import type { Scope } from '@cairnstore/engine/rank'
import type { SandboxView } from './sandbox-view.ts'

/** Whether an entity is known and every record about it is in scope: then whatever it rests on may be shown there. */
export function isWhollyIn({ graph }: SandboxView, scope: Scope | null, entityId: string): boolean {
  if (!graph.knows(entityId, scope)) return false
  return scope === null || graph.countRecordsOf(entityId, scope) === graph.countRecordsOf(entityId, null)
}
