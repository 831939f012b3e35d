import type { Scope } from '@cairnstore/engine/rank'
import { UNNAMED_USER_KEY } from '@cairnstore/engine/resolve'
import { predicateWords } from '@cairnstore/engine/text'
import type { Intent } from '@cairnstore/engine/understand'
import { idsOf } from '../store/mentions.ts'
import type { SandboxView } from '../store/sandbox-view.ts'
import type { Pinned } from './brief-input.ts'

/** Records of facts that one answer is told from, the latest ones. */
const OWN_RECORDS_MAX = 20

/**
 * The records to tell of with those before them in which the sandbox's unnamed user stated what the question asks for;
 * as they are where it asks for none, or is of somebody else.
 */
export async function withOwnRecords(
  view: SandboxView,
  scope: Scope | null,
  pinned: readonly Pinned[],
  { factsAsked }: Pick<Intent, 'factsAsked'>,
): Promise<readonly Pinned[]> {
  if (factsAsked === undefined) return pinned
  const [user] = view.graph.entitiesWithKey(view.hash(UNNAMED_USER_KEY)).map(view.canonical)
  if (user === undefined) return pinned
  const wanted = new Set(factsAsked.predicates.map(predicateWords))
  const links = await view.store.linksOf(view.head, await idsOf(view, scope, [user]))
  const stated = links.filter(
    ({ predicate, recordId }) => wanted.has(predicateWords(predicate)) && view.graph.hasRecord(recordId, scope),
  )
  const known = new Map(pinned.map((each) => [each.id, each]))
  // Ids are in the order in which records came.
  const ids = [...new Set(stated.map(({ recordId }) => recordId))].sort().slice(-OWN_RECORDS_MAX)
  const more = ids.filter((id) => !known.has(id)).map((id): Pinned => ({ id, score: SCORE, tuples: [], entityIds: [] }))
  return [...pinned, ...more]
}

/** Beside what was ranked such a record counts little: it is there for its facts. */
const SCORE = 0.01
