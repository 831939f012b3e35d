import type { EntityHit, EntityOrder, EntityPage, EntitySummary } from '@cairnstore/contract'
import type { RecordGraph, Scope } from '@cairnstore/engine/rank'
import { type NamedEntity, normaliseType, searchKeys } from '@cairnstore/engine/resolve'
import { identifierKey, nameKey, normaliseName } from '@cairnstore/engine/text'
import { openPage, type PageRequest, type Position } from '../../base/cursor.ts'
import { createYieldPoint } from '../../base/yield-point.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import { readNames } from '../../store/read-records.ts'
import type { ReadSnapshot } from '../../store/read-snapshot.ts'
import type { SandboxView } from '../../store/sandbox-view.ts'
import type { AccessScope } from '../../tenancy/access/access-scope.ts'
import type { AnswerCtx } from '../context.ts'

interface EntitiesQuery extends PageRequest {
  type?: string | undefined
  q?: string | undefined
  sort?: EntityOrder | undefined
}

/** Maximum number of entities in a list that is filtered by words. */
const MATCHES_MAX = 1000

/** Returns one page of the entities in scope, newest first by default. */
export async function listEntities(
  ctx: Pick<AnswerCtx, 'caller' | 'cursors' | 'sql'>,
  access: AccessScope,
  { snapshot, view }: { snapshot: ReadSnapshot; view: SandboxView },
  listed: EntitiesQuery,
): Promise<EntityPage> {
  const { type, q, sort = 'newest' } = listed
  const scope = ['entities', ctx.caller.accountId, access.sandboxId, type, q, snapshot.projectId, sort]
  const page = openPage(ctx.cursors, scope, listed)
  const matching = q ? await idsMatching(view, snapshot, q) : undefined
  const kind = type && normaliseType(type)
  const all = sort === 'newest' ? view.entityIds(kind) : await entityOrder(view, snapshot, kind, sort)
  const found: string[] = []
  let at = page.after ? placeAfter(all, page.after, sort) : 0
  for (; at < all.length && found.length < page.rowsMax; at += 1) {
    const id = all[at]!
    if (matching && !matching.has(id)) continue
    if (view.graph.containsEntity(id, snapshot.scope) && view.graph.declaredNamesake(id, snapshot.scope) === id)
      found.push(id)
  }
  const { rows, end } = page.cut(found, (last) => [last, all.indexOf(last)])
  const entities = await summaries(view, snapshot, rows)
  return { entities, ...end, count: entities.length, resolution: await resolutionOf(ctx, access, snapshot) }
}

/** Returns the index after an entity. If the entity no longer exists, returns the index that it had. */
function placeAfter(ids: readonly string[], [id, place]: Position, sort: EntityOrder): number {
  if (sort === 'newest') {
    const next = ids.findIndex((each) => each < String(id))
    return next < 0 ? ids.length : next
  }
  const found = ids.indexOf(String(id))
  return found < 0 ? Number(place) : found + 1
}

/**
 * Returns the state of record linkage. `settled` means that all entities were compared and the page contains the
 * result; otherwise it is `pending` or `failed`.
 */
async function resolutionOf(
  ctx: Pick<AnswerCtx, 'sql'>,
  access: AccessScope,
  { head }: ReadSnapshot,
): Promise<EntityPage['resolution']> {
  const row = await ctx.sql.transact(access.holderId, (tx) =>
    tx
      .selectFrom('sandbox_head')
      .select(['seq', 'comparable_seq', 'compared_seq', 'comparison_failed'])
      .where(ofSandbox(access))
      .executeTakeFirst(),
  )
  const isSettled = !row || (row.seq === head.seq && row.comparable_seq <= row.compared_seq)
  if (row?.comparison_failed === 'whole' || (isSettled && row?.comparison_failed)) return 'failed'
  return isSettled ? 'settled' : 'pending'
}

async function idsMatching(view: SandboxView, { scope }: ReadSnapshot, q: string): Promise<Set<string>> {
  const hits = await searchEntities(view, scope, q, { limit: MATCHES_MAX, minSimilarity: 0 })
  return new Set(hits.map((hit) => hit.canonical_id))
}

/** Returns the list form of the entities that are in scope. */
export async function summaries(view: SandboxView, { scope }: ReadSnapshot, ids: string[]): Promise<EntitySummary[]> {
  const names = await readNames(view, scope, ids)
  return [...names.values()].map(({ canonicalId, name, type }) => ({
    canonical_id: canonicalId,
    name,
    type,
    record_count: view.graph.countRecordsOf(canonicalId, scope),
  }))
}

/** Sorted ids of all entities of a type in a scope, at one commit. */
interface Ordered {
  key: string
  ids: readonly string[]
}

/** Cache of recent sort orders. The pages of one list are then sorted only once. */
const ORDERS = new WeakMap<RecordGraph, Ordered[]>()
/** Maximum number of cached sort orders of one sandbox. */
const ORDERS_MAX = 4
/** Number of entities whose names are read in one batch. */
const NAMES_AT_ONCE = 500
/** Milliseconds of computation before yielding to other requests. */
const SLICE_MS = 2

/** Returns the ids of the entities in scope, optionally of one type, sorted by record count or name. */
async function entityOrder(
  view: SandboxView,
  { scope, projectId }: ReadSnapshot,
  type: string | undefined,
  order: Exclude<EntityOrder, 'newest'>,
): Promise<readonly string[]> {
  const sources = [...(scope?.sourceIds ?? [])].sort()
  const key = JSON.stringify([view.head.seq, order, type, projectId, sources])
  const known = ORDERS.get(view.graph) ?? []
  const found = known.find((each) => each.key === key)
  if (found) return found.ids
  const yieldIfDue = createYieldPoint(SLICE_MS)
  const ids: string[] = []
  const records = new Map<string, number>()
  for (const id of view.entityIds(type)) {
    await yieldIfDue()
    const count = view.graph.countRecordsOf(id, scope)
    if (count === 0 || !view.graph.containsEntity(id, scope) || view.graph.declaredNamesake(id, scope) !== id) continue
    ids.push(id)
    records.set(id, count)
  }
  if (order === 'records') {
    // The sort is stable, so entities with equally many records stay newest first.
    ids.sort((one, other) => records.get(other)! - records.get(one)!)
  } else {
    const names = await namesIn(view, scope, ids)
    ids.sort((one, other) => compare(names.get(one), names.get(other)))
  }
  ORDERS.set(view.graph, [{ key, ids }, ...known].slice(0, ORDERS_MAX))
  return ids
}

async function namesIn(view: SandboxView, scope: ReadSnapshot['scope'], ids: string[]): Promise<Map<string, string>> {
  const names = new Map<string, string>()
  for (let at = 0; at < ids.length; at += NAMES_AT_ONCE) {
    const some = await readNames(view, scope, ids.slice(at, at + NAMES_AT_ONCE))
    for (const [id, { name }] of some) names.set(id, normaliseName(name))
  }
  return names
}

/** Compares names. Entities without a name come last. */
function compare(one: string | undefined, other: string | undefined): number {
  if (one === other) return 0
  if (one === undefined || other === undefined) return one === undefined ? 1 : -1
  return one < other ? -1 : 1
}

/** Maximum number of entities whose names are compared: those that have most words of the query. */
const CANDIDATES_MAX = 200
const IDENTIFIER_KINDS = ['email', 'url', 'key', 'handle']

/** Returns entities by name or identifier from records in scope, most similar first. */
export async function searchEntities(
  view: SandboxView,
  scope: Scope | null,
  query: string,
  { limit, minSimilarity }: { limit: number; minSimilarity: number },
): Promise<EntityHit[]> {
  const exact = new Set(identifiersIn(view, scope, query).flatMap((key) => entitiesWith(view, key)))
  const keys = new Set([nameKey(query), ...searchKeys(query)])
  const found = candidateIds(view, scope, keys, exact).map((id) => view.graph.declaredNamesake(id, scope))
  const names = await readNames(view, scope, [...new Set(found)])
  // Only a name that is used in scope may match.
  const isNamedInScope = ({ name, aliases }: NamedEntity): boolean =>
    scope === null || [name, ...aliases].some((each) => searchKeys(each).some((key) => keys.has(key)))
  const hits = [...names.values()].flatMap((entity) => {
    if (exact.has(entity.canonicalId)) return toHit(entity, 1)
    return isNamedInScope(entity) ? toHit(entity, similarityTo(entity, query)) : []
  })
  return hits
    .filter((hit) => hit.similarity > 0 && hit.similarity >= minSimilarity)
    .sort((one, other) => other.similarity - one.similarity || (one.canonical_id < other.canonical_id ? -1 : 1))
    .slice(0, limit)
}

/** Returns the identifier keys that match the query and are declared by a record in scope. */
function identifiersIn(view: SandboxView, scope: Scope | null, query: string): string[] {
  return IDENTIFIER_KINDS.map((kind) => identifierKey(kind, query)).filter(
    (key) => view.graph.countDeclaring(view.hash(key), scope) > 0,
  )
}

function toHit({ canonicalId, name, type }: NamedEntity, similarity: number): EntityHit {
  return { canonical_id: canonicalId, name, similarity, record_type: type }
}

function entitiesWith(view: SandboxView, key: string): string[] {
  return view.graph.entitiesWithKey(view.hash(key)).map(view.canonical)
}

/** Returns the entities in scope that share most keys with the query. */
function candidateIds(
  view: SandboxView,
  scope: Scope | null,
  keys: ReadonlySet<string>,
  exact: ReadonlySet<string>,
): string[] {
  const shared = new Map<string, number>()
  for (const key of keys) for (const id of entitiesWith(view, key)) shared.set(id, (shared.get(id) ?? 0) + 1)
  for (const id of exact) shared.set(id, Number.POSITIVE_INFINITY)
  const found: string[] = []
  for (const [id] of [...shared].sort(([one, ones], [other, others]) => others - ones || (one < other ? -1 : 1))) {
    if (found.length === CANDIDATES_MAX) break
    if (view.graph.containsEntity(id, scope)) found.push(id)
  }
  return found
}

function similarityTo(entity: NamedEntity, query: string): number {
  const wanted = normaliseName(query)
  return Math.max(...[entity.name, ...entity.aliases].map((name) => similarity(normaliseName(name), wanted)))
}

/** Returns the Dice coefficient of the letter pairs of two normalized names, word by word. It is 1 for equal names. */
function similarity(one: string, other: string): number {
  if (one === other) return 1
  const ones = letterPairs(one)
  const others = letterPairs(other)
  let common = 0
  const left = new Map<string, number>()
  for (const pair of ones) left.set(pair, (left.get(pair) ?? 0) + 1)
  for (const pair of others) {
    const count = left.get(pair) ?? 0
    if (count === 0) continue
    left.set(pair, count - 1)
    common += 1
  }
  return ones.length + others.length === 0 ? 0 : (2 * common) / (ones.length + others.length)
}

function letterPairs(name: string): string[] {
  return name.split(' ').flatMap((word) => {
    const padded = ` ${word}`
    return Array.from({ length: padded.length - 1 }, (_, at) => padded.slice(at, at + 2))
  })
}
