import type { Scope } from '@cairnstore/engine/rank'
import {
  anySiteKey,
  type Declaration,
  declarationsOf,
  decodeContent,
  displayName,
  isNamedType,
  isSited,
  isSiteScoped,
  type Name,
  type NamedEntity,
  type ParsedRecord,
  type ReadRecord,
  type StoredContent,
  withFields,
} from '@cairnstore/engine/resolve'
import { mentionedIn } from './mentions.ts'
import type { RecordText } from './port.ts'
import type { SandboxView } from './sandbox-view.ts'

/** Maximum number of records per entity that are read for its name. The entity's own records come first. */
const RECORDS_PER_NAME = 3
/** Approximate bytes of a parsed record per byte of content: strings of two bytes per character, and objects. */
const BYTES_PER_CONTENT_BYTE = 5

/** Reads records with the entities that they declare, in the order of the ids. Missing records are left out. */
export async function readRecords(view: SandboxView, ids: readonly string[]): Promise<Map<string, ReadRecord>> {
  const parsed = new Map<string, ParsedRecord>()
  const missing: { id: string; row: number }[] = []
  for (const id of ids) {
    const row = view.rowOf(id)
    if (row === undefined) continue
    const cached = view.cache.get(view.cacheKey(row))
    if (cached) parsed.set(id, cached)
    else missing.push({ id, row })
  }
  const read = await view.store.recordsAt(
    view.head,
    missing.map(({ row }) => row),
  )
  for (const { id, row } of missing) {
    const text = read.get(id)
    if (!text) continue
    const record = parseRecord(text)
    parsed.set(id, record)
    view.cache.put(view.cacheKey(row), record, text.content.byteLength * BYTES_PER_CONTENT_BYTE)
  }
  const found = new Map<string, ReadRecord>()
  for (const id of ids) {
    const record = parsed.get(id)
    if (record) found.set(id, resolveMentions(view, record))
  }
  return found
}

export function parseRecord(row: RecordText): ParsedRecord {
  // Records that are not yet reindexed have their status only in the properties.
  const content = withFields(decodeContent<StoredContent>(row.content))
  const sourceId = row.sourceId ?? null
  const things = declarationsOf(content, { sourceId, provider: content.provider })
  return { id: row.id, sourceId, projectId: row.projectId ?? null, content, things }
}

/** Finds the canonical entity of each entity that the record declares and, if it has facts, of each mention. */
export function resolveMentions(view: SandboxView, record: ParsedRecord): ReadRecord {
  const things = record.things.map((thing) => ({ thing, entityId: entityOf(view, thing) }))
  return { ...record, things, ...(record.content.facts && { mentioned: mentionedIn(view, record.content) }) }
}

/** Returns the canonical entity of a declared entity, by identifier or name. Returns undefined if ambiguous. */
function entityOf(view: SandboxView, thing: Declaration): string | undefined {
  const identifiedBy = (key: string) => {
    if (!isSiteScoped(key) || isSited(key)) return ownersOf(view, [key])
    const owners = ownersOf(view, [key, anySiteKey(key)])
    return owners.length === 1 ? owners : []
  }
  const [identified] = thing.identifiers.flatMap(identifiedBy)
  if (identified) return identified
  const named = namesakes(view, thing)
  return named.length === 1 ? named[0] : undefined
}

/** Returns the canonical entities that have one of the declared names. */
export function namesakes(view: SandboxView, { names }: Declaration): string[] {
  return ownersOf(
    view,
    names.map(({ key }) => key),
  )
}

function ownersOf({ graph, hash, canonical }: SandboxView, keys: readonly string[]): string[] {
  return [...new Set(keys.flatMap((key) => graph.entitiesWithKey(hash(key)).map(canonical)))]
}

/** The names of one entity in records, during collection. */
interface CollectedNames {
  type: string
  names: Name[]
  /** Names that are only its id at a provider. */
  ids: Set<string>
  /** Name of the entity in its own record, and the time of that record. */
  own?: { text: string; at: string }
}

/** Creates a collector of the names that records give to the entities that they declare. */
export function createNameCollector(): { add(record: ReadRecord): void; found(): Map<string, NamedEntity> } {
  const found = new Map<string, CollectedNames>()
  return {
    add: ({ things, content }) => {
      for (const { thing, entityId } of things) {
        if (!entityId) continue
        const entity = found.get(entityId) ?? { type: thing.type, names: [], ids: new Set() }
        found.set(entityId, entity)
        for (const name of thing.names)
          if (!entity.names.some(({ text }) => text === name.text)) entity.names.push(name)
        for (const id of idsOf(thing)) entity.ids.add(id)
        const at = content.as_of ?? content.occurred_at ?? ''
        const [title] = thing.role === 'own' && isNamedType(thing.type) ? thing.names : []
        if (title && (!entity.own || at > entity.own.at)) entity.own = { text: title.text, at }
      }
    },
    found: () =>
      new Map(
        [...found].map(([canonicalId, collected]) => {
          const name = displayNameOf(collected)
          const aliases = [...new Set(collected.names.map((other) => other.text))].filter((other) => other !== name)
          return [canonicalId, { canonicalId, name, type: collected.type, aliases }]
        }),
      ),
  }
}

function idsOf({ given }: Declaration): string[] {
  return [given.identifiers.id ?? []].flat()
}

/** Returns the entities that these records identify only by an id at a provider. */
export function entitiesWithoutName(records: Iterable<ReadRecord>): Set<string> {
  const [unnamed, named] = [new Set<string>(), new Set<string>()]
  for (const { things } of records) {
    for (const { thing, entityId } of things) {
      if (!entityId) continue
      const isNamed = thing.names.some(({ text }) => !idsOf(thing).includes(text))
      if (isNamed) named.add(entityId)
      else unnamed.add(entityId)
    }
  }
  return new Set([...unnamed].filter((id) => !named.has(id)))
}

/** Reads further records in scope that best describe these entities, to find their names. Skips `records`. */
export async function readNamingRecords(
  view: SandboxView,
  scope: Scope | null,
  entityIds: readonly string[],
  records: ReadonlyMap<string, ReadRecord>,
): Promise<ReadRecord[]> {
  const shown = entityIds.flatMap((id) => view.graph.recordsOf(id, scope, RECORDS_PER_NAME))
  const more = [...new Set(shown)].filter((id) => !records.has(id))
  return [...(await readRecords(view, more)).values()]
}

/** Returns the display name of an entity: from its own record, else another name, else a provider id. */
function displayNameOf({ type, names, ids, own }: CollectedNames): string {
  const properNames = names.filter(({ text }) => !ids.has(text))
  const known = properNames.length > 0 ? properNames : names
  const isOwn = (name: Name) => name.text === own?.text
  return displayName({ type, names: [...known.filter(isOwn), ...known.filter((name) => !isOwn(name))] })
}

/** Returns the names of all entities that the records declare, from these records only. */
export function namesOf(records: Iterable<ReadRecord>): Map<string, NamedEntity> {
  const names = createNameCollector()
  for (const record of records) names.add(record)
  return names.found()
}

/** Returns the record with the mentioned entities added to the declared ones. */
function withMentions(view: SandboxView, record: ReadRecord): ReadRecord {
  return { ...record, things: [...record.things, ...mentionedIn(view, record.content)] }
}

/** Returns the name of each entity from its own records in scope. Entities without a name are left out. */
export async function readNames(
  view: SandboxView,
  scope: Scope | null,
  ids: readonly string[],
): Promise<Map<string, NamedEntity>> {
  const own = ids.map((id) => ({ id, recordIds: view.graph.recordsOf(id, scope, RECORDS_PER_NAME) }))
  const records = await readRecords(view, [...new Set(own.flatMap(({ recordIds }) => recordIds))])
  const names = new Map<string, NamedEntity>()
  for (const { id, recordIds } of own) {
    const declaring = recordIds.flatMap((recordId) => records.get(recordId) ?? [])
    const named = namesOf(declaring).get(id) ?? namesOf(declaring.map((record) => withMentions(view, record))).get(id)
    if (named) names.set(id, named)
  }
  return names
}
