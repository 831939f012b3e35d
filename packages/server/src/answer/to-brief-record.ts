import { type BriefRecord, USER_SUBJECT } from '@cairnstore/engine/answer'
import type { Scope } from '@cairnstore/engine/rank'
import {
  type EntityReference,
  isOfUnnamedSpeaker,
  isSomeUser,
  isUnnamedUser,
  type NamedEntity,
  type ReadRecord,
  relationsIn,
  SENT_BY,
  turnOf,
} from '@cairnstore/engine/resolve'
import { linkOf } from '../base/link.ts'
import type { SandboxView } from '../store/sandbox-view.ts'
import { namesOfIds } from './mentioned-by-id.ts'

/** Name for the unnamed user of an assistant, in answers to other people. */
const ANY_USER = 'The user'

/** Author of a message without an author that another account sent. The sandbox's own user did not write it. */
const OTHER_USER = 'Another user'

/**
 * Returns a record in the form from which answers are composed.
 * @param isOwner true if the caller owns the sandbox, so that answers address its unnamed user as "you"
 */
export function toBriefRecord(
  record: ReadRecord,
  ranked: { score: number; tuples: number[]; entityIds: readonly string[] },
  names: ReadonlyMap<string, NamedEntity>,
  sources: ReadonlyMap<string, { name: string; provider: string }>,
  isOwner = false,
): BriefRecord {
  const { id, sourceId, content, things } = record
  const source = sourceId ? sources.get(sourceId) : undefined
  const author = things.find(({ thing }) => thing.role === 'author')
  const entityIds = new Set([...ranked.entityIds, ...things.flatMap(({ entityId }) => entityId ?? [])])
  const link = linkOf(content.url)
  const mentions = namesOfIds(content.text ?? '', record, names)
  const owner = content.owner && nameOfReference(content.owner, record, names)
  const { conversation } = turnOf(
    content,
    sourceId,
    things.map(({ thing }) => thing),
  )
  const userOf = (end: EntityReference) => (isOwner && isUnnamedUser(end) ? USER_SUBJECT : ANY_USER)
  const nameOf = (end: EntityReference, isFromText: boolean) =>
    isFromText && isSomeUser(end) ? userOf(end) : nameOfReference(end, record, names)
  return {
    id,
    tuples: ranked.tuples,
    score: ranked.score,
    type: content.type,
    ...(content.title && { title: content.title }),
    ...(content.text && { text: content.text }),
    ...(mentions.size > 0 && { mentions }),
    ...(link && { url: link }),
    ...(source && { sourceName: source.name, provider: source.provider }),
    ...(content.occurred_at && { occurredAtMs: Date.parse(content.occurred_at) }),
    ...(conversation && { conversation }),
    ...(author && { author: toAuthor(author, names) }),
    ...(!author && isOfOtherUser(content) && { author: { name: OTHER_USER } }),
    ...(content.properties && { properties: content.properties }),
    ...(content.phase && { phase: content.phase }),
    ...(owner && { owner }),
    ...(content.due && { due: content.due }),
    entities: [...entityIds].flatMap((id) => names.get(id) ?? []),
    ...((content.relations || content.facts) && {
      relations: relationsIn(content).map((relation) => ({
        subject: nameOf(relation.subject, 'confidence' in relation),
        predicate: relation.predicate,
        object: nameOf(relation.object, 'confidence' in relation),
        ...(relation.valid_from && { validFromMs: Date.parse(relation.valid_from) }),
        ...(relation.valid_to && { validToMs: Date.parse(relation.valid_to) }),
      })),
    }),
  }
}

function isOfOtherUser(content: ReadRecord['content']): boolean {
  return content.properties?.[SENT_BY] !== undefined && isOfUnnamedSpeaker(content)
}

/** Returns the entity that a record describes. */
export function ownEntity(record: ReadRecord | undefined): string | undefined {
  return record?.things.find(({ thing }) => thing.role === 'own')?.entityId
}

function toAuthor({ thing, entityId }: ReadRecord['things'][number], names: ReadonlyMap<string, NamedEntity>) {
  const given = thing.names[0]?.text ?? ''
  const name = (entityId && names.get(entityId)?.name) ?? given
  return { name, ...(given !== name && { given }), ...(entityId && { canonicalId: entityId }) }
}

function nameOfReference(
  end: EntityReference,
  { things }: ReadRecord,
  names: ReadonlyMap<string, NamedEntity>,
): string {
  const text = typeof end === 'string' ? end : end.name
  const declared = things.find(({ thing }) => thing.names.some((name) => name.text === text))
  return (declared?.entityId && names.get(declared.entityId)?.name) || text
}

/** Returns the pinned ids that do not exist in the scope. */
export function unresolvedIds(view: SandboxView, scope: Scope | null, tuples: readonly string[][]): string[] {
  const ids = new Set(tuples.flat())
  return [...ids].filter((id) => {
    const known = view.canonical(id)
    return !view.graph.hasRecord(known, scope) && !view.graph.containsEntity(known, scope)
  })
}
