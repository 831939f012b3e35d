import { findRecord, recordIdAt } from './record-places.ts'
import { type ScopeView, sees } from './scope-view.ts'
import { PAUSE_MS, standingOf } from './signals/conversation.ts'

/**
 * Returns the ids of records near a record in its conversation, by time: up to `limit` before and after it, in its
 * thread or, until a pause, in its channel. Returns none if the record is in no conversation or not in scope.
 */
export function saidWith(view: ScopeView, recordId: string, limit: number): string[] {
  const { store } = view
  const place = findRecord(store, recordId)
  if (place === undefined || !sees(view, place)) return []
  const { order, at, isLoose } = standingOf(view, place)
  if (order === undefined) return []
  const side = (step: 1 | -1): string[] => {
    const found: string[] = []
    for (let next = at + step; next >= 0 && next < order.length && found.length < limit; next += step) {
      const [there, nearer] = [order.places[next]!, order.places[next - step]!]
      if (isLoose && Math.abs(store.recordTimes[there]! - store.recordTimes[nearer]!) > PAUSE_MS) break
      if (sees(view, there)) found.push(recordIdAt(store, there))
    }
    return found
  }
  return [...side(-1).reverse(), ...side(1)]
}
