import type { EntityOrder } from '@cairnstore/contract'
import type { RecordGraph } from '@cairnstore/engine/rank'
import { normaliseName } from '@cairnstore/engine/text'
import { createBreath } from '../../base/breath.ts'
import type { Ground } from '../../store/ground.ts'
import { readNames } from '../../store/read-records.ts'
import type { SandboxView } from '../../store/sandbox-view.ts'

/** An order of all entities of a type in a scope, at one commit. */
interface Ordered {
  key: string
  ids: readonly string[]
}

/** The orders that were asked for lately, so that the pages of one list cost one computation. */
const ORDERS = new WeakMap<RecordGraph, Ordered[]>()
/** Orders that are remembered of one sandbox: ids alone. */
const ORDERS_MAX = 4
/** Entities whose names are read at once. */
const NAMES_AT_ONCE = 500
/** Other requests wait at most so long. */
const SLICE_MS = 2

/** Ids of the entities of a type, or of all, in scope, by the number of their records in scope, or by their name. */
export async function entityOrder(
  view: SandboxView,
  { scope, projectId }: Ground,
  type: string | undefined,
  order: Exclude<EntityOrder, 'newest'>,
): Promise<readonly string[]> {
  const sources = [...(scope?.sourceIds ?? [])].sort()
  const key = JSON.stringify([view.head.seq, order, type, projectId, sources])
  const known = ORDERS.get(view.graph) ?? []
  const found = known.find((each) => each.key === key)
  if (found) return found.ids
  const breathe = createBreath(SLICE_MS)
  const ids: string[] = []
  const records = new Map<string, number>()
  for (const id of view.entityIds(type)) {
    await breathe()
    const count = view.graph.countRecordsOf(id, scope)
    if (count === 0 || !view.graph.knows(id, scope) || view.graph.standsFor(id, scope) !== id) continue
    ids.push(id)
    records.set(id, count)
  }
  if (order === 'records') {
    // The sort is stable, so that of equals the newest comes first.
    ids.sort((one, other) => records.get(other)! - records.get(one)!)
  } else {
    const names = await namesIn(view, scope, ids)
    ids.sort((one, other) => compare(names.get(one), names.get(other)))
  }
  ORDERS.set(view.graph, [{ key, ids }, ...known].slice(0, ORDERS_MAX))
  return ids
}

async function namesIn(view: SandboxView, scope: Ground['scope'], ids: string[]): Promise<Map<string, string>> {
  const names = new Map<string, string>()
  for (let at = 0; at < ids.length; at += NAMES_AT_ONCE) {
    const some = await readNames(view, scope, ids.slice(at, at + NAMES_AT_ONCE))
    for (const [id, { name }] of some) names.set(id, normaliseName(name))
  }
  return names
}

/** Those without a name come last. */
function compare(one: string | undefined, other: string | undefined): number {
  if (one === other) return 0
  if (one === undefined || other === undefined) return one === undefined ? 1 : -1
  return one < other ? -1 : 1
}
