import type { StoredBefore } from '../store/changes.ts'
import type { SandboxView } from '../store/sandbox-view.ts'
import type { Batch } from './batch-shape.ts'

/** What was stored before a batch is committed, of what the batch changes; as the view stands when it is asked. */
export function storedBefore(view: SandboxView, { replaced }: Pick<Batch, 'replaced'>): StoredBefore {
  return {
    projectOf: (recordId) => replaced.get(recordId),
    hasEntity: (entityId) => view.entityRowsOf([entityId]).length > 0,
    isSealed: view.seal !== undefined,
  }
}
