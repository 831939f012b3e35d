import type { Entity, EntityRelation, Id, RecordSummary } from '@cairn/contract'
import { Fault } from '../../base/fault.ts'
import type { Ctx } from '../handler.ts'
import type { Reach } from '../sharing/reach.ts'
import { type Ground, shownSource } from './ground.ts'
import type { SandboxView } from './knowledge.ts'
import { namesOf, type ReadRecord, readRecords } from './read-records.ts'
import { decodeContent, type Relation, type ThingReference } from './record-content.ts'

/** Records that an entity is gathered from: its own first, then those that name it most. */
const RECORDS_READ_MAX = 500
const RECORDS_SHOWN_MAX = 50
const RELATIONS_SHOWN_MAX = 500

/** Everything that the records in scope say of an entity. Throws not_found when they say nothing. */
export async function entityDetail(
  ctx: Ctx,
  reach: Reach,
  ground: Ground,
  view: SandboxView,
  id: string,
): Promise<Entity> {
  const entityId = view.canonical(id)
  const count = view.graph.countRecordsOf(entityId, ground.scope)
  if (count === 0) throw new Fault('not_found')
  const ids = view.graph.recordsOf(entityId, ground.scope, RECORDS_READ_MAX)
  const links = await view.store.linksOf(view.head, view.formerIds(entityId))
  const visible = links
    .filter((link) => view.graph.hasRecord(link.recordId, ground.scope))
    .slice(0, RELATIONS_SHOWN_MAX)
  const records = await readRecords(view, [...new Set([...ids, ...visible.map((link) => link.recordId)])])
  const named = namesOf(records.values())
  const own = named.get(entityId)
  if (!own) throw new Fault('not_found')
  const gathered = gather([...records.values()], entityId)
  return {
    canonical_id: entityId,
    sandbox_id: reach.sandboxId as Id<'sandbox'>,
    name: own.name,
    type: own.type,
    names: [own.name, ...own.aliases],
    identifiers: gathered.identifiers,
    properties: gathered.properties,
    relations: visible.map((link) => toRelation(link, entityId, view, named)),
    records: ids.slice(0, RECORDS_SHOWN_MAX).flatMap((recordId) => {
      const record = records.get(recordId)
      return record ? [toSummary(record, shownSource(reach, ground, record.sourceId))] : []
    }),
    record_count: count,
    merge_history: ground.scope ? [] : await mergeHistory(ctx, reach, view.formerIds(entityId)),
  }
}

/** Identifiers of all records, and of each property what the latest record says. */
function gather(records: ReadRecord[], entityId: string) {
  const identifiers: Record<string, string[]> = {}
  const properties: Record<string, unknown> = {}
  const byTime = records.toSorted((one, other) => timeOf(one) - timeOf(other))
  for (const { things } of byTime) {
    for (const { thing, entityId: of } of things) {
      if (of !== entityId) continue
      for (const [kind, values] of Object.entries(thing.given.identifiers)) {
        identifiers[kind] = [...new Set([...(identifiers[kind] ?? []), ...[values].flat()])]
      }
      Object.assign(properties, thing.given.properties)
    }
  }
  return { identifiers, properties }
}

function timeOf({ content }: ReadRecord): number {
  return content.occurred_at ? Date.parse(content.occurred_at) : 0
}

function toRelation(
  link: {
    recordId: string
    subjectId: string
    objectId?: string | null | undefined
    predicate: string
    content: Uint8Array
  },
  entityId: string,
  view: SandboxView,
  named: ReturnType<typeof namesOf>,
): EntityRelation {
  const relation = decodeContent<Relation>(link.content)
  const isOut = view.canonical(link.subjectId) === entityId
  const otherId = isOut ? link.objectId && view.canonical(link.objectId) : view.canonical(link.subjectId)
  const written = nameOf(isOut ? relation.object : relation.subject)
  return {
    predicate: link.predicate,
    direction: isOut ? 'out' : 'in',
    canonical_id: otherId || null,
    name: (otherId && named.get(otherId)?.name) || written,
    valid_from: relation.valid_from ?? null,
    valid_to: relation.valid_to ?? null,
    record_id: link.recordId,
  }
}

function nameOf(reference: ThingReference): string {
  return typeof reference === 'string' ? reference : reference.name
}

/** A record as it is listed with an entity. */
function toSummary({ id, content }: ReadRecord, sourceId: string | null): RecordSummary {
  return {
    record_id: id as Id<'record'>,
    external_id: content.external_id,
    type: content.type,
    title: content.title ?? null,
    occurred_at: content.occurred_at ?? null,
    source_id: sourceId,
  }
}

async function mergeHistory(ctx: Ctx, reach: Reach, ids: string[]): Promise<Record<string, unknown>[]> {
  const rows = await ctx.sql.transact(reach.holderId, (tx) =>
    tx
      .selectFrom('merge_ledger')
      .selectAll()
      .where('user_id', '=', reach.holderId)
      .where('sandbox_id', '=', reach.sandboxId)
      .where('into_entity', 'in', ids)
      .orderBy('merged_at')
      .execute(),
  )
  return rows.map((row) => ({
    from: row.from_entity,
    into: row.into_entity,
    evidence: row.evidence,
    merged_at: row.merged_at.toISOString(),
    undone_at: row.undone_at?.toISOString() ?? null,
  }))
}
