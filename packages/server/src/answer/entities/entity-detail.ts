import type { Entity, EntityEvidence, EntityMerge, Id } from '@cairnstore/contract'
import { type NamedEntity, type ReadRecord, withoutSite } from '@cairnstore/engine/resolve'
import { normaliseName } from '@cairnstore/engine/text'
import { Fault } from '../../base/fault.ts'
import type { Row } from '../../db/tables.ts'
import { idsOf } from '../../store/mentions.ts'
import { listMerges } from '../../store/merge-ledger.ts'
import { entitiesWithoutName, namesOf, readNames, readNamingRecords, readRecords } from '../../store/read-records.ts'
import { type ReadSnapshot, visibleSource } from '../../store/read-snapshot.ts'
import type { SandboxView } from '../../store/sandbox-view.ts'
import type { AccessScope } from '../../tenancy/access/access-scope.ts'
import type { SandboxRef } from '../../tenancy/sandboxes/assert-writable.ts'
import type { AnswerCtx } from '../context.ts'
import { readRivals, relationsOf } from './relations-of.ts'
import { toSummary } from './wire-record.ts'

/** Maximum number of records read for an entity. Records about it come first, then those that mention it most. */
const RECORDS_READ_MAX = 500
const RECORDS_SHOWN_MAX = 50
const RELATIONS_SHOWN_MAX = 500
/** Maximum number of related entities without a name whose names are searched. */
const UNNAMED_MAX = 100
/** Maximum number of facts shown with records, and of each fact's records, latest first. */
const FACTS_SHOWN_MAX = 500
const RECORDS_PER_FACT = 5

/** Returns all data about an entity from the records in scope, as of a time. Throws `not_found` if there is none. */
export async function entityDetail(
  ctx: Pick<AnswerCtx, 'clock' | 'sql'>,
  access: AccessScope,
  snapshot: ReadSnapshot,
  view: SandboxView,
  id: string,
  atMs: number = ctx.clock.now().getTime(),
): Promise<Entity> {
  const entityId = view.graph.declaredNamesake(view.canonical(id), snapshot.scope)
  const count = view.graph.countRecordsOf(entityId, snapshot.scope)
  if (count === 0) throw new Fault('not_found')
  const ids = view.graph.recordsOf(entityId, snapshot.scope, RECORDS_READ_MAX)
  const links = await view.store.linksOf(view.head, await idsOf(view, snapshot.scope, [entityId]))
  const inScope = (link: { recordId: string }) => view.graph.hasRecord(link.recordId, snapshot.scope)
  const visible = links.filter(inScope).slice(0, RELATIONS_SHOWN_MAX)
  const rivals = (await readRivals(view, snapshot.scope, links)).filter(inScope).slice(0, RELATIONS_SHOWN_MAX)
  const stating = [...visible, ...rivals].map((link) => link.recordId)
  const records = await readRecords(view, [...new Set([...ids, ...stating])])
  const unnamed = [...entitiesWithoutName(records.values())].slice(0, UNNAMED_MAX)
  const naming = await readNamingRecords(view, snapshot.scope, unnamed, records)
  const named = namesOf([...records.values(), ...naming])
  const own = named.get(entityId) ?? (await readNames(view, snapshot.scope, [entityId])).get(entityId)
  if (!own) throw new Fault('not_found')
  const foreign = new Set(ids.filter((recordId) => isNamesakes(records.get(recordId), entityId, own)))
  const gathered = gather([...records.values()], entityId)
  const relations = relationsOf(entityId, new Set(stating), records, named, atMs, (each) =>
    view.graph.declaredNamesake(each, snapshot.scope),
  )
  const sandbox = { userId: access.holderId, sandboxId: access.sandboxId }
  return {
    canonical_id: entityId,
    sandbox_id: access.sandboxId as Id<'sandbox'>,
    name: own.name,
    type: own.type,
    names: [own.name, ...own.aliases],
    identifiers: gathered.identifiers,
    properties: gathered.properties,
    evidence: gathered.evidence,
    relations,
    records: ids
      .filter((recordId) => !foreign.has(recordId))
      .slice(0, RECORDS_SHOWN_MAX)
      .flatMap((recordId) => {
        const record = records.get(recordId)
        return record ? [toSummary(record, visibleSource(access, snapshot, record.sourceId))] : []
      }),
    record_count: count - foreign.size,
    // Merges depend on records of the whole sandbox, so they are not visible in a limited scope.
    merge_history: snapshot.scope ? [] : await mergeHistory(ctx, sandbox, view.formerIds(entityId), view.seal),
  }
}

/** Returns true if a record is about another entity with the same name, and refers to this one only by the name. */
function isNamesakes(record: ReadRecord | undefined, entityId: string, { name, aliases }: NamedEntity): boolean {
  if (!record || record.things.some((each) => each.entityId === entityId)) return false
  const names = new Set([name, ...aliases].map(normaliseName))
  return record.things.some(
    (each) => each.entityId && each.thing.names.some(({ text }) => names.has(normaliseName(text))),
  )
}

/** Returns the identifiers of all records, the latest value of each property, and the evidence for each. */
function gather(records: ReadRecord[], entityId: string) {
  const identifiers = new Map<string, string[]>()
  const properties = new Map<string, unknown>()
  const evidence = new Map<string, EntityEvidence>()
  const note = (kind: EntityEvidence['kind'], key: string, value: unknown, recordId: string) => {
    const place = JSON.stringify([kind, key, kind === 'property' ? null : value])
    const before = evidence.get(place)
    const ids = [...(before?.record_ids ?? []).filter((id) => id !== recordId), recordId]
    evidence.set(place, { kind, key, value, record_ids: ids.slice(-RECORDS_PER_FACT) })
  }
  const byTime = records.toSorted((one, other) => timeOf(one) - timeOf(other))
  for (const { id, things } of byTime) {
    for (const { thing, entityId: of } of things) {
      if (of !== entityId) continue
      for (const name of thing.names) note('name', 'name', name.text, id)
      for (const [kind, values] of Object.entries(thing.given.identifiers)) {
        identifiers.set(kind, [...new Set([...(identifiers.get(kind) ?? []), ...[values].flat()])])
        for (const value of [values].flat()) note('identifier', kind, value, id)
      }
      for (const [key, value] of Object.entries(thing.given.properties)) {
        properties.set(key, value)
        note('property', key, value, id)
      }
    }
  }
  return {
    identifiers: Object.fromEntries(identifiers),
    properties: Object.fromEntries(properties),
    evidence: [...evidence.values()].slice(0, FACTS_SHOWN_MAX),
  }
}

function timeOf({ content }: ReadRecord): number {
  return content.occurred_at ? Date.parse(content.occurred_at) : 0
}

async function mergeHistory(
  ctx: Pick<AnswerCtx, 'sql'>,
  sandbox: SandboxRef,
  ids: string[],
  seal: SandboxView['seal'],
): Promise<EntityMerge[]> {
  const rows = await ctx.sql.transact(sandbox.userId, (tx) => listMerges(tx, sandbox, ids, seal))
  return rows.map((row) => ({
    merge_id: row.id,
    kind: row.kind,
    from: row.from_entity,
    into: row.into_entity,
    reason: reasonOf(row),
    evidence: row.evidence,
    decided_by: row.actor_user_id,
    merged_at: row.merged_at.toISOString(),
    undone_at: row.undone_at?.toISOString() ?? null,
    undone_by: row.undone_by,
  }))
}

/** Maximum number of identifiers in a reason. The evidence contains all of them. */
const NAMED_MAX = 3

const KIND_WORDS = new Map(
  Object.entries({
    email: 'e-mail address',
    url: 'web address',
    login: 'login',
    key: 'number',
    ref: 'record',
  }),
)

/** Returns the reason of a merge in a few words that a user can check. */
function reasonOf({ kind, evidence }: Pick<Row<'merge_ledger'>, 'kind' | 'evidence'>): string {
  if (kind === 'person') return 'a user decided that they are the same'
  if (kind === 'split') return 'a user decided that they are different'
  if (kind === 'alike' || kind === 'name') return String(evidence.reason ?? 'the same name without contradictions')
  const keys = Array.isArray(evidence.keys) ? evidence.keys.map(String) : []
  const sharedKeys = keys.filter((key) => !key.startsWith('ref:')).slice(0, NAMED_MAX)
  return sharedKeys.length > 0 ? `same ${sharedKeys.map(spelled).join(', ')}` : 'a record names both'
}

function spelled(key: string): string {
  const [kind = '', ...rest] = withoutSite(key).split(':')
  // The value of a login follows its provider.
  const value = rest.length > 1 && kind !== 'url' ? rest.slice(1).join(':') : rest.join(':')
  return `${KIND_WORDS.get(kind) ?? kind.replace(/_/g, ' ')} ${value}`
}
