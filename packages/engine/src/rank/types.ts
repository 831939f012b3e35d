import { recordIdAt } from './record-ids.ts'
import type { ScopeView } from './scope-view.ts'

/** The records of some types in a scope. */
export interface RecordsOfTypes {
  readonly ids: readonly string[]
  /** Rises when any of them, or any entity, changes; equal versions of one graph mean equal records. */
  readonly version: number
}

/** The types of the records in scope. */
export function typesIn({ store, open }: ScopeView): Set<string> {
  return new Set(store.parts.flatMap(({ type, records }, part) => (open[part] === 1 && records > 0 ? [type] : [])))
}

/** The records in scope that are of one of the types. */
export function recordsOfTypes({ store, open }: ScopeView, types: ReadonlySet<string>): RecordsOfTypes {
  const wanted = Uint8Array.from(store.parts, ({ type }, part) => (open[part] === 1 && types.has(type) ? 1 : 0))
  let version = store.entitiesChanged
  for (const [part, { changed }] of store.parts.entries()) if (wanted[part] === 1) version = Math.max(version, changed)
  const ids: string[] = []
  for (let place = 0; place < store.recordReach; place += 1) {
    // Of a record in passages the first stands for it.
    if (wanted[store.recordParts[place]!] === 1 && store.recordPassages[place] === 0) ids.push(recordIdAt(store, place))
  }
  return { ids, version }
}
