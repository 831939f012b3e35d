import {
  type Declaration,
  declarationKeys,
  type Entity,
  encodeEntity,
  entityKeys,
  isEntityRecord,
  linkingKeys,
  normaliseType,
  type Origin,
  type RecordContent,
  turnOf,
} from '@cairnstore/engine/resolve'
import {
  type AnalysisStep,
  analyseRecord,
  type KeyHash,
  namePartKeys,
  normaliseName,
  plainKeyHash,
  predicateWords,
  tasksIn,
} from '@cairnstore/engine/text'
import type { EntityRow, RecordRow } from './port.ts'

/** Inputs of a record's row. */
export interface RecordToStore {
  content: RecordContent
  origin: Origin
  projectId: string | null
  /** The entities that it declares (`declarationsOf`). */
  things: Declaration[]
  /** The entities that its text mentions (`mentionDeclarations`). */
  mentioned: Declaration[]
  /** Analysis steps to skip, for measurements. */
  without?: readonly AnalysisStep[]
}

/** Builds the row of a record: its content, and its analysis with hashed terms. */
export function toRecordRow(
  id: string,
  key: string,
  record: RecordToStore,
  encoded: Uint8Array,
  hash: KeyHash,
): RecordRow {
  const { content, origin, projectId, things, mentioned } = record
  const occurredAtMs = content.occurred_at ? Date.parse(content.occurred_at) : null
  const [own] = isEntityRecord(content) ? things : []
  const declared = things.map((thing) => ({ keys: declaredKeys(thing) }))
  const text = content.storage_only
    ? {}
    : {
        title: content.title,
        text: content.text,
        fields: fieldsAsText(content),
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
    // The hash is not keyed, so that rankings do not differ between sandboxes.
    tie: plainKeyHash(`${content.external_id}\n${content.title ?? ''}`),
    content: encoded,
    analysis: analyseRecord(
      {
        ...text,
        declared,
        own: own?.identifiers[0],
        mentioned: mentioned.flatMap(declarationKeys),
        turn: turnOf(content, origin.sourceId, things),
        without: record.without,
      },
      hash,
    ),
  }
}

/** Returns the fields and declared relations as words, for queries such as "merged pull requests in #depot". */
function fieldsAsText({ type, properties, relations = [] }: RecordContent): string {
  const words = Object.values(properties ?? {})
    .flat()
    .filter((value): value is string => typeof value === 'string' && value.length <= FIELD_CHARS_MAX)
    .slice(0, FIELDS_MAX)
  const related = relations.slice(0, FIELDS_MAX).map(({ predicate }) => predicateWords(predicate))
  return [type.replace(/_/g, ' '), ...words, ...new Set(related)].join('. ')
}

/** Returns the types of a record and its declared entities. `titled` omits entities that its title does not name. */
function typesOf(
  { type, title = '' }: RecordContent,
  things: readonly Declaration[],
): { types: string[]; titled: string[] } {
  const own = normaliseType(type)
  const about = things.filter(({ role }) => role === 'entity').slice(0, FIELDS_MAX)
  const heading = ` ${normaliseName(title)} `
  const isTitled = ({ names }: Declaration) => names.some(({ text }) => heading.includes(` ${normaliseName(text)} `))
  const typeOf = (thing: Declaration) => thing.type
  return { types: [own, ...about.map(typeOf)], titled: [own, ...about.filter(isTitled).map(typeOf)] }
}

/** Returns the values of the declared fields for list filters, and whether tasks in its text are open. */
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

/** Maximum number of indexed fields and relations, and of characters per field. Longer values are not words. */
const FIELDS_MAX = 20
const FIELD_CHARS_MAX = 100

/** Returns keys that link the record to the entity, then keys for text mentions, then for words of its names. */
function declaredKeys(thing: Declaration): string[] {
  const linking = linkingKeys(thing.type, thing.names, thing.identifiers)
  const parts = thing.names.flatMap(({ text }) => namePartKeys(text))
  return [...new Set([...declarationKeys(thing), ...linking, ...parts])]
}

const EMPTY = new Uint8Array()

/** Returns the row that redirects a merged entity to the one that it was merged into. */
export function toMergedRow({ id, type }: Pick<Entity, 'id' | 'type'>, into: string): EntityRow {
  return { id, live: true, type, mergedInto: into, keys: [], content: EMPTY }
}

/** Returns the row of an entity, with all keys by which it is found. */
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
