import type { EntityHit } from '@cairn/contract'
import { identifierKey, nameKey, normaliseName } from './analyser/names.ts'
import type { Scope } from './graph/scope-view.ts'
import { type NamedEntity, readNames } from './read-records.ts'
import type { SandboxView } from './sandbox-view.ts'
import { searchKeys } from './things.ts'

/** Entities whose names are compared; those that share most words with the query. */
const CANDIDATES_MAX = 200
const IDENTIFIER_KINDS = ['email', 'url', 'key', 'handle']

/** Entities by name or identifier, the most similar first; names are those that records in scope use. */
export async function searchEntities(
  view: SandboxView,
  scope: Scope | null,
  query: string,
  { limit, minSimilarity }: { limit: number; minSimilarity: number },
): Promise<EntityHit[]> {
  const exact = new Set(IDENTIFIER_KINDS.flatMap((kind) => entitiesWith(view, identifierKey(kind, query))))
  const candidates = candidateIds(view, scope, query, exact)
  const names = await readNames(view, scope, candidates)
  const hits = [...names.values()].map((entity) =>
    toHit(entity, exact.has(entity.canonicalId) ? 1 : similarityTo(entity, query)),
  )
  return hits
    .filter((hit) => hit.similarity > 0 && hit.similarity >= minSimilarity)
    .sort((one, other) => other.similarity - one.similarity || (one.canonical_id < other.canonical_id ? -1 : 1))
    .slice(0, limit)
}

function toHit({ canonicalId, name, type }: NamedEntity, similarity: number): EntityHit {
  return { canonical_id: canonicalId, name, similarity, record_type: type }
}

function entitiesWith(view: SandboxView, key: string): string[] {
  return view.graph.entitiesWithKey(view.hash(key)).map(view.canonical)
}

function candidateIds(view: SandboxView, scope: Scope | null, query: string, exact: ReadonlySet<string>): string[] {
  const shared = new Map<string, number>()
  for (const key of [nameKey(query), ...searchKeys(query)]) {
    for (const id of entitiesWith(view, key)) shared.set(id, (shared.get(id) ?? 0) + 1)
  }
  for (const id of exact) shared.set(id, Number.POSITIVE_INFINITY)
  return [...shared]
    .sort(([one, ones], [other, others]) => others - ones || (one < other ? -1 : 1))
    .slice(0, CANDIDATES_MAX)
    .map(([id]) => id)
    .filter((id) => view.graph.knows(id, scope))
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
