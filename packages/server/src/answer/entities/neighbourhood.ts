import type { Id, NeighbourEdge, Neighbourhood } from '@cairnstore/contract'
import type { Scope } from '@cairnstore/engine/rank'
import { Fault } from '../../base/fault.ts'
import { idsOf } from '../../store/mentions.ts'
import { namesOf, readNames, readRecords } from '../../store/read-records.ts'
import type { ReadSnapshot } from '../../store/read-snapshot.ts'
import type { SandboxView } from '../../store/sandbox-view.ts'
import type { AccessScope } from '../../tenancy/access/access-scope.ts'
import type { AnswerCtx } from '../context.ts'
import { readRivals, relationsOf } from './relations-of.ts'

const NODES = 100
/** Maximum number of entities of the first step that are expanded in the second step. */
const CENTRES_MAX = 20
/**
 * Maximum number of records that are searched around an entity, by step. Records that describe it come first, then
 * those that mention it most often.
 */
const RECORDS_LOOKED_AT = { 1: 200, 2: 50 } as const
/**
 * Maximum number of entities of a record that count as neighbors, most specific first. Later ones are often only items
 * of one list.
 */
const ENTITIES_OF_RECORD = 12
const RELATIONS_MAX = 500
const EDGES_MAX = 1_000
const RECORDS_PER_EDGE = 5

interface NeighbourhoodQuery {
  depth?: number | undefined
  limit?: number | undefined
}

/**
 * Returns the neighbors of an entity, nearest first. An edge is a relation that a record in scope states, or a record
 * about both entities. Throws `not_found` if the scope does not contain the entity.
 */
export async function neighbourhood(
  ctx: Pick<AnswerCtx, 'clock'>,
  access: AccessScope,
  { snapshot: { scope }, view }: { snapshot: ReadSnapshot; view: SandboxView },
  id: string,
  { depth = 1, limit = NODES }: NeighbourhoodQuery,
): Promise<Neighbourhood> {
  const root = view.graph.declaredNamesake(view.canonical(id), scope)
  if (!view.graph.containsEntity(root, scope)) throw new Fault('not_found')
  const depths = new Map([[root, 0]])
  const edges = createEdges()
  for (let step = 1; step <= depth; step += 1) {
    const centres = [...depths].filter(([, at]) => at === step - 1).map(([each]) => each)
    const from = centres.slice(0, step === 1 ? 1 : CENTRES_MAX)
    const stated = await readStated(view, scope, from, ctx.clock.now().getTime())
    const shared = from.flatMap((centre) => sharedBy(view, scope, centre, step === 1 ? 1 : 2))
    shared.sort((one, other) => other.record_count - one.record_count || compareIds(one, other))
    for (const edge of [...stated, ...shared]) {
      for (const end of [edge.from, edge.to]) {
        if (!depths.has(end) && depths.size < limit) depths.set(end, step)
      }
      edges.add(edge)
    }
  }
  const names = await readNames(view, scope, [...depths.keys()])
  if (!names.has(root)) throw new Fault('not_found')
  return {
    sandbox_id: access.sandboxId as Id<'sandbox'>,
    canonical_id: root,
    nodes: [...depths].flatMap(([canonical_id, at]) => {
      const named = names.get(canonical_id)
      if (!named) return []
      const record_count = view.graph.countRecordsOf(canonical_id, scope)
      return [{ canonical_id, name: named.name, type: named.type, depth: at, record_count }]
    }),
    edges: edges.between(names),
  }
}

function compareIds(one: NeighbourEdge, other: NeighbourEdge): number {
  return one.to < other.to ? -1 : one.to > other.to ? 1 : one.from < other.from ? -1 : 1
}

/** Creates a collection of edges that merges equal relations, and edges that were found from both ends. */
function createEdges() {
  const edges = new Map<string, NeighbourEdge>()
  return {
    add: (edge: NeighbourEdge) => {
      const isShared = edge.predicate === null
      const ends = isShared ? [edge.from, edge.to].sort() : [edge.from, edge.to]
      const key = JSON.stringify([...ends, edge.predicate, edge.valid_from, edge.valid_to, edge.is_current])
      const known = edges.get(key)
      if (!known) edges.set(key, edge)
      else if (!isShared && !known.record_ids.includes(edge.record_ids[0] ?? '')) {
        const record_ids = [...known.record_ids, ...edge.record_ids].slice(0, RECORDS_PER_EDGE)
        edges.set(key, { ...known, record_count: known.record_count + edge.record_count, record_ids })
      }
    },
    between: (nodes: ReadonlyMap<string, unknown>): NeighbourEdge[] =>
      [...edges.values()]
        .filter(({ from, to }) => from !== to && nodes.has(from) && nodes.has(to))
        .sort((one, other) => Number(one.predicate === null) - Number(other.predicate === null))
        .slice(0, EDGES_MAX),
  }
}

/** Returns the relations of these entities stated in records in scope, current ones first, then latest first. */
async function readStated(
  view: SandboxView,
  scope: Scope | null,
  ids: readonly string[],
  nowMs: number,
): Promise<NeighbourEdge[]> {
  const inScope = ({ recordId }: { recordId: string }) => view.graph.hasRecord(recordId, scope)
  const all = await view.store.linksOf(view.head, await idsOf(view, scope, ids))
  const links = all.filter(inScope).slice(0, RELATIONS_MAX)
  const rivals = (await readRivals(view, scope, links)).filter(inScope).slice(0, RELATIONS_MAX)
  const stating = new Set([...links, ...rivals].map(({ recordId }) => recordId))
  const records = await readRecords(view, [...stating])
  const named = namesOf(records.values())
  const toDeclared = (id: string) => view.graph.declaredNamesake(id, scope)
  const edges = ids.flatMap((id) =>
    relationsOf(id, stating, records, named, nowMs, toDeclared).flatMap((relation): NeighbourEdge[] => {
      const {
        canonical_id: other,
        predicate,
        direction,
        valid_from,
        valid_to,
        stated_at,
        is_current,
        record_id,
      } = relation
      if (!other) return []
      const ends = direction === 'out' ? { from: id, to: other } : { from: other, to: id }
      const fields = { ...ends, predicate, valid_from, valid_to, stated_at, is_current }
      return [{ ...fields, record_count: 1, record_ids: record_id ? [record_id] : [] }]
    }),
  )
  const since = (edge: NeighbourEdge) => edge.valid_from ?? edge.stated_at ?? ''
  return edges.sort(
    (one, other) =>
      Number(other.is_current) - Number(one.is_current) ||
      (since(one) > since(other) ? -1 : since(one) < since(other) ? 1 : compareIds(one, other)),
  )
}

/** Returns an edge to each entity that occurs in records together with the center. */
function sharedBy(view: SandboxView, scope: Scope | null, centre: string, step: 1 | 2): NeighbourEdge[] {
  const shared = new Map<string, string[]>()
  for (const recordId of view.graph.recordsOf(centre, scope, RECORDS_LOOKED_AT[step])) {
    for (const id of view.graph.entitiesOf(recordId, scope).slice(0, ENTITIES_OF_RECORD)) {
      if (id !== centre) shared.set(id, [...(shared.get(id) ?? []), recordId])
    }
  }
  return [...shared].map(([to, ids]) => {
    const edge = { from: centre, to, predicate: null, record_count: ids.length }
    return { ...edge, record_ids: ids.slice(0, RECORDS_PER_EDGE) }
  })
}
