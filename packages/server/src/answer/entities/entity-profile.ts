import type { AnswerStatement, Entity, EntityEvidence, EntityProfile, EntityRelation, Id } from '@cairnstore/contract'
import {
  type BriefRecord,
  type KnownEntity,
  type KnownField,
  type KnownRelation,
  renderEntities,
  shorten,
  tokensOf,
} from '@cairnstore/engine/answer'
import { dayOf, plainLine, predicateWords, writeDay } from '@cairnstore/engine/text'
import { namesOf, readRecords } from '../../store/read-records.ts'
import type { ReadSnapshot } from '../../store/read-snapshot.ts'
import type { SandboxView } from '../../store/sandbox-view.ts'
import type { AccessScope } from '../../tenancy/access/access-scope.ts'
import type { AnswerCtx } from '../context.ts'
import { ownEntity, toBriefRecord } from '../to-brief-record.ts'
import { entityDetail } from './entity-detail.ts'

const TOKENS = 250
const ALIASES_MAX = 4
const FIELDS_MAX = 12
const VALUE_CHARS_MAX = 160
const FORMER_MAX = 4
const LATEST_MAX = 5
const RECORDS_PER_LINE = 5

/**
 * Returns a profile of an entity in a few lines, each with its records: type, current relations, open work and latest
 * records. A line that would exceed the token limit is omitted. Throws `not_found` if the scope does not contain the
 * entity.
 */
export async function entityProfile(
  ctx: Pick<AnswerCtx, 'clock' | 'sql'>,
  access: AccessScope,
  opened: { snapshot: ReadSnapshot; view: SandboxView },
  id: string,
  tokensMax: number = TOKENS,
): Promise<EntityProfile> {
  const { thing, entity } = await readEntityFacts(ctx, access, opened, id, ctx.clock.now().getTime())
  const known = renderEntities([thing], { asksWork: false, isDetailed: true, maxTokens: Number.POSITIVE_INFINITY })
  const held = (known?.statements ?? []).map(({ text, recordIds }) => ({ text, record_ids: [...recordIds] }))
  const [first, ...others] = [...held, headline(entity), ...details(entity)]
  const shown = [{ ...first!, text: shorten(first!.text, tokensMax) }]
  let used = tokensOf(shown[0]!.text)
  for (const line of others) {
    const size = tokensOf(`\n${line.text}`)
    if (used + size > tokensMax) continue
    used += size
    shown.push(line)
  }
  const text = shown.map((line) => line.text).join('\n')
  return {
    sandbox_id: access.sandboxId as Id<'sandbox'>,
    canonical_id: entity.canonical_id,
    name: entity.name,
    type: entity.type,
    text,
    tokens: Math.ceil(tokensOf(text)),
    statements: shown,
  }
}

/** Returns the additional lines of a profile, most useful first. */
function details(entity: Entity): AnswerStatement[] {
  const former = entity.relations.filter(({ is_current }) => !is_current).sort(latestFirst)
  return [
    ...latest(entity),
    ...former.slice(0, FORMER_MAX).map(formerLine),
    ...fields(entity, 'property'),
    ...fields(entity, 'identifier'),
  ]
}

function headline({ name, names, type, record_count, records, evidence }: Entity): AnswerStatement {
  const aliases = names.filter((each) => each !== name).slice(0, ALIASES_MAX)
  const also = aliases.length > 0 ? `, also ${aliases.map(plainLine).join(', ')}` : ''
  const count = `in ${record_count} record${record_count === 1 ? '' : 's'}`
  const naming = evidence.filter(({ kind }) => kind === 'name').flatMap(({ record_ids }) => record_ids)
  const ids = naming.length > 0 ? naming : records.map(({ record_id }) => record_id)
  return {
    text: `${plainLine(name)} (${type.replaceAll('_', ' ')})${also}; ${count}.`,
    record_ids: [...new Set(ids)].slice(-RECORDS_PER_LINE),
  }
}

function fields({ evidence }: Entity, wanted: 'property' | 'identifier'): AnswerStatement[] {
  return evidence
    .filter(({ kind }) => kind === wanted)
    .flatMap(({ key, value, record_ids }) => {
      const text = shortValue(value)
      return text === undefined ? [] : [{ text: `${key.replaceAll('_', ' ')}: ${text}`, record_ids }]
    })
    .slice(0, FIELDS_MAX)
}

function formerLine(relation: EntityRelation): AnswerStatement {
  const { predicate, direction, name, valid_from, valid_to, record_id, superseded_by } = relation
  const words = predicateWords(predicate)
  const other = plainLine(name)
  const stated = direction === 'out' ? `${words} ${other}` : `${other} ${words} it`
  const times = [valid_from && `since ${written(valid_from)}`, valid_to && `until ${written(valid_to)}`].filter(Boolean)
  return {
    text: `no longer: ${stated}${times.length > 0 ? ` (${times.join(', ')})` : ''}`,
    record_ids: [record_id, superseded_by].flatMap((id) => id ?? []),
  }
}

function latestFirst(one: EntityRelation, other: EntityRelation): number {
  const [left, right] = [one, other].map(({ valid_from, stated_at }) => valid_from ?? stated_at ?? '')
  return left! > right! ? -1 : left! < right! ? 1 : one.name < other.name ? -1 : 1
}

/** Returns one line for each of the latest records. */
function latest({ records }: Entity): AnswerStatement[] {
  return records
    .flatMap(({ record_id, title, type, occurred_at }) =>
      occurred_at ? [{ record_id, title, type, occurred_at }] : [],
    )
    .sort((one, other) => (one.occurred_at > other.occurred_at ? -1 : one.occurred_at < other.occurred_at ? 1 : 0))
    .slice(0, LATEST_MAX)
    .map(({ record_id, title, type, occurred_at }) => {
      const kind = (type ?? 'record').replaceAll('_', ' ')
      const text = `${written(occurred_at)}: ${title ? `${plainLine(title)} (${kind})` : kind}`
      return { text, record_ids: [record_id] }
    })
}

function written(moment: string): string {
  return writeDay(dayOf(Date.parse(moment)))
}

/** Maximum number of relations that are examined, and of related entities whose own record is read for their status. */
const RELATIONS_MAX = 200
const OTHERS_READ_MAX = 60

/** Returns an entity with the facts that hold at a given time. Throws `not_found` if the scope does not contain it. */
export async function readEntityFacts(
  ctx: Pick<AnswerCtx, 'clock' | 'sql'>,
  access: AccessScope,
  { snapshot, view }: { snapshot: ReadSnapshot; view: SandboxView },
  id: string,
  atMs: number,
): Promise<{ thing: KnownEntity; entity: Entity }> {
  const entity = await entityDetail(ctx, access, snapshot, view, id, atMs)
  const current = distinct(entity.relations.filter(({ is_current }) => is_current)).slice(0, RELATIONS_MAX)
  const others = [
    ...new Set(current.flatMap(({ direction, other }) => (direction === 'in' && other.canonicalId) || [])),
  ]
  const own = await ownRecords(view, snapshot, [entity.canonical_id, ...others.slice(0, OTHERS_READ_MAX)])
  const ownOf = (entityId: string | undefined) => (entityId === undefined ? undefined : own.get(entityId))
  const described = ownOf(entity.canonical_id)
  return {
    entity,
    thing: {
      canonicalId: entity.canonical_id,
      name: plainLine(entity.name),
      type: entity.type,
      aliases: entity.names.filter((name) => name !== entity.name),
      fields: entity.evidence.flatMap(toField),
      relations: current.map(({ direction, other, ...relation }): KnownRelation => {
        const record = ownOf(other.canonicalId)
        return { ...relation, isOut: direction === 'out', other, ...(record && { own: record }) }
      }),
      ...(described && { own: described }),
    },
  }
}

/** Merges equal relations, each with its earliest start. Returns those with the latest start first. */
function distinct(relations: Entity['relations']) {
  const found = new Map<string, Omit<KnownRelation, 'isOut' | 'own'> & Pick<Entity['relations'][number], 'direction'>>()
  for (const { predicate, direction, canonical_id: id, name, valid_from, record_id } of relations) {
    const words = predicateWords(plainLine(predicate))
    const key = JSON.stringify([words, direction, id ?? name])
    const fromMs = valid_from ? Date.parse(valid_from) : undefined
    const known = found.get(key)
    const recordIds = [...new Set([...(known?.recordIds ?? []), ...(record_id ? [record_id] : [])])]
    const since = [known?.fromMs, fromMs].flatMap((ms) => ms ?? [])
    const other = { name: plainLine(name), ...(id && { canonicalId: id }) }
    found.set(key, {
      predicate: words,
      direction,
      other,
      recordIds,
      ...(since.length > 0 && { fromMs: Math.min(...since) }),
    })
  }
  return [...found.values()].sort((one, other) => (other.fromMs ?? 0) - (one.fromMs ?? 0))
}

function toField({ kind, key, value, record_ids }: EntityEvidence): KnownField[] {
  if (kind !== 'property') return []
  const text = shortValue(value)
  return text === undefined ? [] : [{ key: snakeCase(key), value: text, recordIds: record_ids }]
}

/** Returns a field's value on one line; undefined if it is not a plain value or is too long. */
function shortValue(value: EntityEvidence['value']): string | undefined {
  const plain = [value].flat().filter((each) => ['string', 'number', 'boolean'].includes(typeof each))
  const text = plainLine(plain.join(', '))
  return text !== '' && text.length <= VALUE_CHARS_MAX ? text : undefined
}

function snakeCase(key: string): string {
  return predicateWords(plainLine(key)).replaceAll(' ', '_')
}

/** Returns the record that describes each entity, if any. That record is the first in the entity's list. */
async function ownRecords(
  view: SandboxView,
  { scope }: Pick<ReadSnapshot, 'scope'>,
  entityIds: readonly string[],
): Promise<Map<string, BriefRecord>> {
  const firsts = entityIds.flatMap((id) => view.graph.recordsOf(view.canonical(id), scope, 1))
  const records = [...(await readRecords(view, [...new Set(firsts)])).values()]
  const names = namesOf(records)
  return new Map(
    records.flatMap((record) => {
      const owned = ownEntity(record)
      const ranked = { score: 1, tuples: [], entityIds: [] }
      return owned === undefined ? [] : [[owned, toBriefRecord(record, ranked, names, new Map())] as const]
    }),
  )
}
