import type { EntityHit } from '@cairnstore/contract'
import type { Scope } from '@cairnstore/engine/rank'
import { type NamedEntity, searchKeys } from '@cairnstore/engine/resolve'
import { identifierKey, nameKey, normaliseName } from '@cairnstore/engine/text'
import { readNames } from '../../store/read-records.ts'
import type { SandboxView } from '../../store/sandbox-view.ts'

/** Entities whose names are compared; those that share most words with the query. */
const CANDIDATES_MAX = 200
const IDENTIFIER_KINDS = ['email', 'url', 'key', 'handle']

/**
 * Entities by name or identifier, the most similar first; names and identifiers are those that records in scope use.
 */
export async function searchEntities(
  view: SandboxView,
  scope: Scope | null,
  query: string,
  { limit, minSimilarity }: { limit: number; minSimilarity: number },
): Promise<EntityHit[]> {
  const exact = new Set(identifiersIn(view, scope, query).flatMap((key) => entitiesWith(view, key)))
  const keys = new Set([nameKey(query), ...searchKeys(query)])
  const found = candidateIds(view, scope, keys, exact).map((id) => view.graph.standsFor(id, scope))
  const names = await readNames(view, scope, [...new Set(found)])
  // What leads to an entity may be a name that only other records use.
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

/** The identifiers that a query can be and that a record in scope declares. */
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

/** The entities that a record in scope holds and that most of the keys lead to. */
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
    if (view.graph.knows(id, scope)) found.push(id)
  }
  return found
}

function similarityTo(entity: NamedEntity, query: string): number {
  const wanted = normaliseName(query)
  return Math.max(...[entity.name, ...entity.aliases].map((name) => similarity(normaliseName(name), wanted)))
}

/** Dice coefficient of the letter pairs of two normalised names, words apart: 1 for equal names. */
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
