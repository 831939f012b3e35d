import {
  comparableProperties,
  contradict,
  type Declaration,
  decodeEntity,
  type Entity,
  fixedGroup,
  isLinkable,
  type Match,
  type MatchCluster,
  partFor,
  partsOf,
  type ReadRecord,
  type Subject,
} from '@cairnstore/engine/resolve'
import type { FoundSuggestion } from '../../store/merge-suggestions.ts'
import { namesakes, parseRecord, resolveMentions } from '../../store/read-records.ts'
import type { SandboxView } from '../../store/sandbox-view.ts'

/** A subject of record linkage, with the constraints for its matches. */
export interface GatheredSubject extends Subject {
  /** The entity that it currently belongs to. */
  entityId: string
  /** Identifiers, except those that only name the record itself. */
  identifiers: readonly string[]
  /** Ids of parts that a user declared to be other entities. */
  apart: readonly string[]
  /** Ids of all parts of the subject, including itself. */
  partIds: readonly string[]
  /** Entities that records name together with this person, up to NEIGHBOURS_MAX. */
  neighbours: readonly string[]
  /** True if a record is about the subject; false if records only name it. */
  isOwn: boolean
}

/** The compared fields of an entity's own record. Whole records with their texts would need too much memory. */
interface OwnRecord extends Pick<Subject, 'properties' | 'source'> {
  thing: Pick<Declaration, 'type' | 'names' | 'identifiers'>
  entityId: string
}

/** A person as named in some records, while subjects are collected. */
interface PersonMention {
  thing: Declaration
  /** True if only a name identifies the person, and other people have the same name. */
  isInDoubt: boolean
  source: string
  neighbours: Set<string>
}

/** Maximum number of co-occurring entities per person. More would add no information. */
const NEIGHBOURS_MAX = 32
/** Maximum number of entities per name. A name that more entities have identifies none of them. */
const NAMESAKES_MAX = 8
/** Number of records per read. Processing them takes a few milliseconds. */
const BATCH_RECORDS = 200
const ENTITIES_PER_READ = 500
/** Maximum subjects per type, because all are in memory. Entities of a larger type are not linked. */
const SUBJECTS_MAX = 150_000

/** Collects all subjects of record linkage, by type. Parts that an identifier or a user has joined form one subject. */
export async function gatherSubjects(
  view: SandboxView,
  yieldIfDue: () => Promise<void> | undefined,
): Promise<Map<string, GatheredSubject[]>> {
  const owned: OwnRecord[] = []
  const people = new Map<string, Map<string, PersonMention>>()
  for await (const batch of view.store.scanRecords(view.head, { batchRows: BATCH_RECORDS })) {
    for (const row of batch) {
      const record = parseRecord(row)
      collectPeople(people, resolveMentions(view, record), view)
      const [own] = record.things
      if (!own || !isLinkable(own)) continue
      const [resolved] = resolveMentions(view, { ...record, things: [own] }).things
      if (resolved?.entityId) {
        const { type, names, identifiers, given } = own
        const properties = comparableProperties(given.properties)
        const source = record.sourceId ?? ''
        owned.push({ thing: { type, names, identifiers }, properties, source, entityId: resolved.entityId })
      }
      await yieldIfDue()
    }
  }
  const ids = new Set([...owned.map(({ entityId }) => entityId), ...people.keys()])
  const entities = await readEntities(view, ids, yieldIfDue)
  const subjects = new Map<string, GatheredSubject>()
  for (const { thing, properties, source, entityId } of owned) {
    const entity = entities.get(entityId)
    if (entity?.type !== thing.type) continue
    const parts = partsOf(entity)
    const fixed = fixedGroup(parts, partFor(entity, thing))
    const id = fixed[0]?.id ?? entityId
    const before = subjects.get(id)
    const names = thing.names.map((name) => name.text)
    subjects.set(id, {
      id,
      entityId,
      source: before?.source ?? source,
      names: [...new Set([...(before?.names ?? []), ...names])],
      properties: { ...properties, ...before?.properties },
      identifiers: fixed.flatMap((part) => part.identifiers).filter((key) => !key.startsWith('ref:')),
      apart: fixed.flatMap((part) => part.apart ?? []),
      partIds: fixed.map((part) => part.id),
      neighbours: [],
      isOwn: true,
    })
    await yieldIfDue()
  }
  for (const [entityId, written] of people) {
    const entity = entities.get(entityId)
    // An ambiguous name counts only for an entity that has no identifiers.
    const isNamed = (person: PersonMention) => !person.isInDoubt || entity?.identifiers.length === 0
    if (entity?.type === 'person') addPeople(subjects, entity, [...written.values()].filter(isNamed))
    await yieldIfDue()
  }
  const byType = new Map<string, GatheredSubject[]>()
  for (const subject of subjects.values()) {
    const type = entities.get(subject.entityId)?.type ?? ''
    const list = byType.get(type)
    if (list) list.push(subject)
    else byType.set(type, [subject])
  }
  for (const [type, list] of byType) {
    const hasProperties = list.some(({ properties }) => Object.keys(properties).length > 0)
    if ((!hasProperties && type !== 'person') || list.length < 2 || list.length > SUBJECTS_MAX) byType.delete(type)
  }
  return byType
}

/**
 * Collects each spelling of a person in a record, with the entities that the record names too. An ambiguous name is
 * added to every entity with that name.
 */
function collectPeople(
  people: Map<string, Map<string, PersonMention>>,
  { things, sourceId }: ReadRecord,
  view: SandboxView,
): void {
  const named = things.flatMap(({ thing, entityId }) =>
    entityId && thing.type !== 'person' && thing.role !== 'own' ? [entityId] : [],
  )
  for (const { thing, entityId } of things) {
    if (thing.type !== 'person') continue
    const isInDoubt = !entityId && thing.identifiers.length === 0
    const entityIds = entityId ? [entityId] : isInDoubt ? namesakes(view, thing) : []
    if (entityIds.length > NAMESAKES_MAX) continue
    const spelling = JSON.stringify([thing.names, thing.identifiers])
    for (const id of entityIds) {
      const written = people.get(id) ?? new Map<string, PersonMention>()
      people.set(id, written)
      const neighbours = new Set<string>()
      const person = written.get(spelling) ?? { thing, isInDoubt, source: sourceId ?? '', neighbours }
      written.set(spelling, person)
      for (const each of named) if (person.neighbours.size < NEIGHBOURS_MAX) person.neighbours.add(each)
    }
  }
}

/** Adds the people of an entity as subjects. Parts joined by an identifier or by a user form one subject. */
function addPeople(subjects: Map<string, GatheredSubject>, entity: Entity, written: readonly PersonMention[]): void {
  const parts = partsOf(entity)
  for (const { thing, source, neighbours } of written) {
    const fixed = fixedGroup(parts, partFor(entity, thing))
    const id = fixed[0]?.id ?? entity.id
    const before = subjects.get(id)
    subjects.set(id, {
      id,
      entityId: entity.id,
      source: before?.source ?? source,
      names: [...new Set([...(before?.names ?? []), ...fixed.flatMap((part) => part.names.map(({ text }) => text))])],
      properties: before?.properties ?? {},
      identifiers: fixed.flatMap((part) => part.identifiers).filter((key) => !key.startsWith('ref:')),
      apart: fixed.flatMap((part) => part.apart ?? []),
      partIds: fixed.map((part) => part.id),
      neighbours: [...new Set([...(before?.neighbours ?? []), ...neighbours])].slice(0, NEIGHBOURS_MAX),
      isOwn: before?.isOwn ?? false,
    })
  }
}

async function readEntities(
  view: SandboxView,
  ids: ReadonlySet<string>,
  yieldIfDue: () => Promise<void> | undefined,
): Promise<Map<string, Entity>> {
  const entities = new Map<string, Entity>()
  const all = [...ids]
  for (let at = 0; at < all.length; at += ENTITIES_PER_READ) {
    const rows = await view.store.entitiesAt(view.head, view.entityRowsOf(all.slice(at, at + ENTITIES_PER_READ)))
    for (const row of rows.values()) entities.set(row.id, decodeEntity(row))
    await yieldIfDue()
  }
  return entities
}

/** The constraints of all members of a group. */
interface GroupFacts {
  partIds: Set<string>
  apart: Set<string>
  identifiers: Set<string>
}

/**
 * Returns the pairs of groups that may be the same entity, each with its most likely pair of members. Leaves out pairs
 * that a user declared different or whose identifiers contradict each other.
 */
export function suggestionsOf(
  subjects: readonly GatheredSubject[],
  groups: ReadonlyMap<string, MatchCluster>,
  maybe: readonly Match[],
): FoundSuggestion[] {
  const known = groupFactsOf(subjects, groups)
  const positions = new Map([...known.keys()].map((group, at) => [group, at]))
  const best = new Map<string, Match>()
  for (const match of maybe) {
    const [one, other] = [groups.get(match.one), groups.get(match.other)]
    if (!one || !other || one === other || areDistinct(known.get(one)!, known.get(other)!)) continue
    const pair = [positions.get(one)!, positions.get(other)!].sort((a, b) => a - b).join(' ')
    const previous = best.get(pair)
    if (!previous || match.probability > previous.probability) best.set(pair, match)
  }
  return [...best.values()].map((match) => {
    const [onePart, otherPart] = [match.one, match.other].sort() as [string, string]
    return { onePart, otherPart, likelihood: likelihoodOf(match), evidence: evidenceOf(match) }
  })
}

/** Returns the match score, rounded to thousandths. */
export function likelihoodOf({ probability }: Match): number {
  return Math.round(probability * 1000) / 1000
}

/** Returns an explanation of a match: the fields that agree and those that differ, and a short summary. */
export function evidenceOf({ agree, differ }: Match) {
  const summary = agree.length > 0 ? `similar in ${agree.join(', ')}` : 'similar overall'
  const reason = differ.length > 0 ? `${summary}; less similar in ${differ.join(', ')}` : `${summary}; no contradiction`
  return { agree, differ, reason }
}

function groupFactsOf(
  subjects: readonly GatheredSubject[],
  groups: ReadonlyMap<string, MatchCluster>,
): Map<MatchCluster, GroupFacts> {
  const known = new Map<MatchCluster, GroupFacts>()
  for (const { id, partIds, apart, identifiers } of subjects) {
    const group = groups.get(id)
    if (!group) continue
    const before = known.get(group) ?? { partIds: new Set(), apart: new Set(), identifiers: new Set() }
    known.set(group, before)
    for (const each of partIds) before.partIds.add(each)
    for (const each of apart) before.apart.add(each)
    // Email addresses are left out, because a person can have several.
    for (const each of identifiers) if (!each.startsWith('email:')) before.identifiers.add(each)
  }
  return known
}

function areDistinct(one: GroupFacts, other: GroupFacts): boolean {
  const isKeptApart = (these: GroupFacts, those: GroupFacts) => [...these.apart].some((id) => those.partIds.has(id))
  return isKeptApart(one, other) || isKeptApart(other, one) || contradict([...one.identifiers], [...other.identifiers])
}
