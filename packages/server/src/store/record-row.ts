import {
  type Entity,
  encodeEntity,
  entityKeys,
  isThing,
  linkingKeys,
  normaliseType,
  type Origin,
  type RecordContent,
  type Thing,
  thingKeys,
  turnOf,
} from '@cairnstore/engine/resolve'
import {
  analyseRecord,
  type KeyHash,
  namePartKeys,
  normaliseName,
  plainKeyHash,
  predicateWords,
  type ReadingName,
  tasksIn,
} from '@cairnstore/engine/text'
import type { EntityRow, RecordRow } from './port.ts'

/** A record with what its row is made of. */
interface RecordToStore {
  content: RecordContent
  origin: Origin
  projectId: string | null
  /** What it declares (`declaredThings`). */
  things: Thing[]
  /** What its text mentions (`mentionedThings`). */
  mentioned: Thing[]
  /** Ways of reading its text that are left out, as measurements do. */
  without?: readonly ReadingName[]
}

/** The row of a record: its content, and what is searched of it under the hash. */
export function toRecordRow(
  id: string,
  key: string,
  record: RecordToStore,
  encoded: Uint8Array,
  hash: KeyHash,
): RecordRow {
  const { content, origin, projectId, things, mentioned } = record
  const occurredAtMs = content.occurred_at ? Date.parse(content.occurred_at) : null
  const [own] = isThing(content) ? things : []
  const declared = things.map((thing) => ({ keys: declaredKeys(thing) }))
  const text = content.storage_only
    ? {}
    : {
        title: content.title,
        text: content.text,
        fields: fieldsInWords(content),
        ...typesOf(content, things),
        ...declaredIn(content),
      }
  return {
    id,
    live: true,
    sourceId: origin.sourceId,
    projectId,
    type: content.type,
    occurredAtMs,
    externalKey: hash(key),
    // The same in every sandbox, whatever hides it in one, so that their rankings are.
    tie: plainKeyHash(`${content.external_id}\n${content.title ?? ''}`),
    content: encoded,
    analysis: analyseRecord(
      {
        ...text,
        declared,
        own: own?.identifiers[0],
        mentioned: mentioned.flatMap(thingKeys),
        turn: turnOf(content, origin.sourceId, things),
        without: record.without,
      },
      hash,
    ),
  }
}

/**
 * What the fields and declared relations say in words, so that "merged pull requests in #depot" and "on call" find what
 * they ask for.
 */
function fieldsInWords({ type, properties, relations = [] }: RecordContent): string {
  const words = Object.values(properties ?? {})
    .flat()
    .filter((value): value is string => typeof value === 'string' && value.length <= FIELD_CHARS_MAX)
    .slice(0, FIELDS_MAX)
  const related = relations.slice(0, FIELDS_MAX).map(({ predicate }) => predicateWords(predicate))
  return [type.replace(/_/g, ' '), ...words, ...new Set(related)].join('. ')
}

/** The types of a record and of what it is declared to be about; `titled`: its own, and of things in its title. */
function typesOf({ type, title = '' }: RecordContent, things: readonly Thing[]): { types: string[]; titled: string[] } {
  const own = normaliseType(type)
  const about = things.filter(({ role }) => role === 'entity').slice(0, FIELDS_MAX)
  const heading = ` ${normaliseName(title)} `
  const isTitled = ({ names }: Thing) => names.some(({ text }) => heading.includes(` ${normaliseName(text)} `))
  const typeOf = (thing: Thing) => thing.type
  return { types: [own, ...about.map(typeOf)], titled: [own, ...about.filter(isTitled).map(typeOf)] }
}

/** The values of the declared fields, as records are listed by them, and whether tasks of its text are open. */
function declaredIn({ phase, owner, due, kind, text = '', blocks }: RecordContent): {
  declaredFields: Record<string, string>
} {
  const name = typeof owner === 'string' ? owner : owner?.name
  const tasks = tasksIn(text, blocks)
  return {
    declaredFields: {
      ...(phase && { phase }),
      ...(name && { owner: name }),
      ...(due && { due }),
      ...(kind && { kind }),
      ...(tasks.length > 0 && { tasks: tasks.every(({ isDone }) => isDone) ? 'done' : 'open' }),
    },
  }
}

/** Fields of a record that are searched, as many of its relations, and the longest field; more is data, not words. */
const FIELDS_MAX = 20
const FIELD_CHARS_MAX = 100

/**
 * Returns the keys that link the record to the entity, then the keys by which text mentions find the entity, then the
 * keys of the words of its names.
 */
function declaredKeys(thing: Thing): string[] {
  const linking = linkingKeys(thing.type, thing.names, thing.identifiers)
  const parts = thing.names.flatMap(({ text }) => namePartKeys(text))
  return [...new Set([...thingKeys(thing), ...linking, ...parts])]
}

const EMPTY = new Uint8Array()

/** The row by which the id of an entity that was merged away leads to the one that it became. */
export function toMergedRow({ id, type }: Pick<Entity, 'id' | 'type'>, into: string): EntityRow {
  return { id, live: true, type, mergedInto: into, keys: [], content: EMPTY }
}

/** The row that keeps an entity, under every key that leads to it. */
export function toEntityRow(entity: Entity, hash: KeyHash): EntityRow {
  return {
    id: entity.id,
    live: true,
    type: entity.type,
    mergedInto: null,
    keys: entityKeys(entity, hash),
    content: encodeEntity(entity),
  }
}
