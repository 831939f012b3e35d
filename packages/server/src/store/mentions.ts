import type { Scope } from '@cairnstore/engine/rank'
import {
  type Declaration,
  decodeEntity,
  isMentionedKey,
  mentionDeclarations,
  mentionedKey,
  mentionsIn,
  type RecordContent,
} from '@cairnstore/engine/resolve'
import type { SandboxView } from './sandbox-view.ts'

/** A name in a record's text and the entity that it refers to. */
export interface ReadMention {
  text: string
  start: number
  end: number
  canonical_id: string
  type: string
  confidence: number
}

/** Returns the entity with this key of a mentioned name. Undefined if there is none. */
function entityOf({ graph, hash, canonical }: SandboxView, key: string): string | undefined {
  return graph.entitiesWithKey(hash(key)).map(canonical)[0]
}

/** Returns the names in a record's text, in order, each with its entity in the scope. */
export function findMentions(view: SandboxView, scope: Scope | null, content: RecordContent): ReadMention[] {
  const ids = new Map<string, string | undefined>()
  const idOf = (name: string, type: string): string | undefined => {
    const key = mentionedKey(name, type)
    if (!ids.has(key)) {
      const id = entityOf(view, key)
      ids.set(key, id && view.graph.declaredNamesake(id, scope))
    }
    return ids.get(key)
  }
  return mentionsIn(content).flatMap(({ name, start, end, type, confidence }) => {
    const id = idOf(name, type)
    return id === undefined ? [] : [{ text: name, start, end, canonical_id: id, type, confidence }]
  })
}

/** Returns the distinct names that a record's text mentions, each with the entity of that name. */
export function mentionedIn(view: SandboxView, content: RecordContent): { thing: Declaration; entityId: string }[] {
  return mentionDeclarations(content).flatMap((thing) => {
    const entityId = entityOf(view, thing.names[0]!.key)
    return entityId === undefined ? [] : [{ thing, entityId }]
  })
}

/** Maximum number of names per entity for which mentions are looked up. */
const NAMES_MAX = 50

/** Returns these ids, those that were merged into them, and those of mentions with the entities' names. */
export async function idsOf(view: SandboxView, scope: Scope | null, ids: readonly string[]): Promise<string[]> {
  const rows = await view.store.entitiesAt(view.head, view.entityRowsOf(ids))
  const named = [...rows.values()].flatMap((row) => {
    const { id, names } = decodeEntity(row)
    return names.slice(0, NAMES_MAX).flatMap(({ text, key }) => {
      const mention = isMentionedKey(key) ? undefined : entityOf(view, mentionedKey(text))
      return mention !== undefined && view.graph.declaredNamesake(mention, scope) === id ? [mention] : []
    })
  })
  return [...new Set([...ids, ...named].flatMap((id) => view.formerIds(id)))]
}
