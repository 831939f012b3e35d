import type { Entity, EntityEvidence } from '@cairnstore/contract'
import type { BriefRecord, KnownField, KnownRelation, KnownThing } from '@cairnstore/engine/compose'
import { plainLine, predicateWords } from '@cairnstore/engine/text'
import type { Ground } from '../../store/ground.ts'
import { namesOf, readRecords } from '../../store/read-records.ts'
import type { SandboxView } from '../../store/sandbox-view.ts'
import type { Reach } from '../../tenancy/reach/reach.ts'
import type { Ctx } from '../context.ts'
import { ownEntity, toBriefRecord } from '../to-brief-record.ts'
import { entityDetail } from './entity-detail.ts'

/** Relations that are looked at, and the others' own records that are read to see how they stand. */
const RELATIONS_MAX = 200
const OTHERS_READ_MAX = 60
const VALUE_CHARS_MAX = 160

/**
 * What is told of an entity as it stands at a time, with the entity itself. Throws not_found for one that the scope
 * does not know.
 */
export async function knownThing(
  ctx: Pick<Ctx, 'clock' | 'sql'>,
  reach: Reach,
  { ground, view }: { ground: Ground; view: SandboxView },
  id: string,
  atMs: number,
): Promise<{ thing: KnownThing; entity: Entity }> {
  const entity = await entityDetail(ctx, reach, ground, view, id, atMs)
  const current = distinct(entity.relations.filter(({ is_current }) => is_current)).slice(0, RELATIONS_MAX)
  const others = [
    ...new Set(current.flatMap(({ direction, other }) => (direction === 'in' && other.canonicalId) || [])),
  ]
  const own = await ownRecords(view, ground, [entity.canonical_id, ...others.slice(0, OTHERS_READ_MAX)])
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

/** Relations that say the same as one, since the first time that any gives; those that began last first. */
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
  const told = [value].flat().filter((each) => ['string', 'number', 'boolean'].includes(typeof each))
  const text = plainLine(told.join(', '))
  const isTold = text !== '' && text.length <= VALUE_CHARS_MAX
  return isTold ? [{ key: snakeCase(key), value: text, recordIds: record_ids }] : []
}

function snakeCase(key: string): string {
  return predicateWords(plainLine(key)).replaceAll(' ', '_')
}

/** The record of each that describes it, where there is one: an entity's own records come first among its records. */
async function ownRecords(
  view: SandboxView,
  { scope }: Pick<Ground, 'scope'>,
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
