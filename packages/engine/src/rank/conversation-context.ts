import { findRecord, recordIdAt } from './record-doc-ids.ts'
import { isInScope, type ScopeView } from './scope-view.ts'
import { conversationPosition, PAUSE_MS } from './signals/conversation.ts'

/**
 * Returns the ids of up to `limit` records before and `limit` after a record in its conversation, by time. In a channel
 * it stops at a pause. Returns none if the record is in no conversation or not in scope.
 */
export function conversationContext(view: ScopeView, recordId: string, limit: number): string[] {
  const { store } = view
  const docId = findRecord(store, recordId)
  if (docId === undefined || !isInScope(view, docId)) return []
  const { order, at, isLoose } = conversationPosition(view, docId)
  if (order === undefined) return []
  const side = (step: 1 | -1): string[] => {
    const found: string[] = []
    for (let next = at + step; next >= 0 && next < order.length && found.length < limit; next += step) {
      const [there, nearer] = [order.docIds[next]!, order.docIds[next - step]!]
      if (isLoose && Math.abs(store.recordTimes[there]! - store.recordTimes[nearer]!) > PAUSE_MS) break
      if (isInScope(view, there)) found.push(recordIdAt(store, there))
    }
    return found
  }
  return [...side(-1).reverse(), ...side(1)]
}
