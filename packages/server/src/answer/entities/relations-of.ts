import type { EntityRelation } from '@cairnstore/contract'
import type { Scope } from '@cairnstore/engine/rank'
import {
  type EntityReference,
  findDeclaration,
  isSomeUser,
  type NamedEntity,
  type ReadRecord,
  type Relation,
  relationEndKey,
  relationsIn,
  type TextFact,
} from '@cairnstore/engine/resolve'
import { changingEnd, predicateWords } from '@cairnstore/engine/text'
import { idsOf } from '../../store/mentions.ts'
import type { LinkRow } from '../../store/port.ts'
import type { SandboxView } from '../../store/sandbox-view.ts'

/** Maximum number of other entities whose relations are read, because they may supersede those of this entity. */
const RIVALS_MAX = 20

/** A relation stated in a record, with its ends resolved to current entities. */
interface StatedRelation {
  relation: Relation | TextFact
  recordId: string
  statedAt: string | undefined
  subjectId: string | undefined
  objectId: string | undefined
}

/**
 * Returns the links of the entities to which this one has an exclusive relation, such as the lead of a project. A newer
 * link of another entity may supersede this entity's.
 */
export async function readRivals(
  view: SandboxView,
  scope: Scope | null,
  links: readonly LinkRow[],
): Promise<LinkRow[]> {
  const exclusiveIds = links.flatMap((link) => {
    const changes = changingEnd(link.predicate)
    return (changes === 'subject' ? link.objectId : changes === 'object' ? link.subjectId : null) ?? []
  })
  const declared = exclusiveIds.map((id) => view.graph.declaredNamesake(view.canonical(id), scope))
  const ids = await idsOf(view, scope, [...new Set(declared)].slice(0, RIVALS_MAX))
  return ids.length === 0 ? [] : view.store.linksOf(view.head, ids)
}

/**
 * Returns the relations of an entity that records state, after all merges and splits. Of an exclusive relation, only
 * the one with the latest start is current. If no start is stated, the time of the record is used.
 * @param toDeclared returns the declared entity with the same name, for an entity that is only mentioned
 */
export function relationsOf(
  entityId: string,
  recordIds: ReadonlySet<string>,
  records: ReadonlyMap<string, ReadRecord>,
  named: ReadonlyMap<string, NamedEntity>,
  nowMs: number,
  toDeclared: (id: string) => string,
): EntityRelation[] {
  const stated = [...recordIds].flatMap((id) => statedBy(records.get(id), toDeclared))
  const latest = latestOf(stated, nowMs)
  const ends = endsOf(stated, nowMs)
  return stated.flatMap((each): EntityRelation[] => {
    const { relation, recordId, statedAt, subjectId, objectId } = each
    if (subjectId !== entityId && objectId !== entityId) return []
    const isOut = subjectId === entityId
    const otherId = isOut ? objectId : subjectId
    const place = placeOf(each)
    const newest = place === undefined ? undefined : latest.get(place)
    const isOver =
      newest !== undefined && startOf(each) < startOf(newest) && changingValue(each) !== changingValue(newest)
    const holds = startOf(each) <= nowMs && !(relation.valid_to && Date.parse(relation.valid_to) <= nowMs)
    return [
      {
        predicate: relation.predicate,
        direction: isOut ? 'out' : 'in',
        canonical_id: otherId ?? null,
        name: (otherId && named.get(otherId)?.name) || nameOf(isOut ? relation.object : relation.subject),
        valid_from: relation.valid_from ?? null,
        valid_to: relation.valid_to ?? null,
        stated_at: statedAt ?? null,
        is_current: holds && !isOver && !(startOf(each) < (ends.get(tripleOf(each)) ?? Number.NEGATIVE_INFINITY)),
        superseded_by: isOver ? newest.recordId : null,
        record_id: recordId,
        span: spanOf(relation),
      },
    ]
  })
}

/** Returns the position of the relation in the record's text; null for a declared relation. */
function spanOf(relation: Relation | TextFact): EntityRelation['span'] {
  if (!('confidence' in relation)) return null
  const { start, end, confidence } = relation
  return { start, end, confidence }
}

function statedBy(record: ReadRecord | undefined, toDeclared: (id: string) => string): StatedRelation[] {
  if (!record) return []
  const things = record.things.map(({ thing }) => thing)
  const entityOf = (end: EntityReference, isFromText: boolean) => {
    const found = isFromText && isSomeUser(end) ? undefined : findDeclaration(things, end)
    if (found) return record.things.find(({ thing }) => thing === found)?.entityId
    const key = isFromText ? relationEndKey(end) : undefined
    const id = key && record.mentioned?.find(({ thing }) => thing.names[0]?.key === key)?.entityId
    return id ? toDeclared(id) : undefined
  }
  return relationsIn(record.content).map((relation) => ({
    relation,
    recordId: record.id,
    statedAt: record.content.occurred_at,
    subjectId: entityOf(relation.subject, 'confidence' in relation),
    objectId: entityOf(relation.object, 'confidence' in relation),
  }))
}

/** Returns the current value of each exclusive relation: the one with the latest start that is not in the future. */
function latestOf(stated: readonly StatedRelation[], nowMs: number): Map<string, StatedRelation> {
  const latest = new Map<string, StatedRelation>()
  for (const each of stated) {
    const place = placeOf(each)
    if (place === undefined || startOf(each) > nowMs || isEnd(each)) continue
    const known = latest.get(place)
    if (!known || isAfter(each, known)) latest.set(place, each)
  }
  return latest
}

/** Returns true if a record states only the end of a relation: "I left Acme". */
function isEnd({ relation }: StatedRelation): boolean {
  return relation.valid_to !== undefined && relation.valid_from === undefined
}

/** Returns the latest stated end of each relation. */
function endsOf(stated: readonly StatedRelation[], nowMs: number): Map<string, number> {
  const ends = new Map<string, number>()
  for (const each of stated) {
    if (!isEnd(each)) continue
    const at = Date.parse(each.relation.valid_to!)
    if (at <= nowMs) ends.set(tripleOf(each), Math.max(at, ends.get(tripleOf(each)) ?? at))
  }
  return ends
}

function tripleOf({ relation, subjectId, objectId }: StatedRelation): string {
  const [subject, object] = [subjectId ?? nameOf(relation.subject), objectId ?? nameOf(relation.object)]
  return JSON.stringify([subject, predicateWords(relation.predicate), object])
}

/** Compares by start, then by content, so that the result does not depend on the order of ingestion. */
function isAfter(one: StatedRelation, other: StatedRelation): boolean {
  const [left, right] = [startOf(one), startOf(other)]
  return left === right ? JSON.stringify(one.relation) > JSON.stringify(other.relation) : left > right
}

function startOf({ relation, statedAt }: StatedRelation): number {
  const from = relation.valid_from ?? statedAt
  return from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(from)
}

function placeOf({ relation, subjectId, objectId }: StatedRelation): string | undefined {
  const changes = changingEnd(relation.predicate)
  if (changes === undefined) return undefined
  const holder = changes === 'subject' ? (objectId ?? nameOf(relation.object)) : (subjectId ?? nameOf(relation.subject))
  return `${predicateWords(relation.predicate)}|${holder}`
}

function changingValue({ relation, subjectId, objectId }: StatedRelation): string {
  return changingEnd(relation.predicate) === 'subject'
    ? (subjectId ?? nameOf(relation.subject))
    : (objectId ?? nameOf(relation.object))
}

function nameOf(reference: EntityReference): string {
  return typeof reference === 'string' ? reference : reference.name
}
