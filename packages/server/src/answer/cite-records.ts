import type { InterpretCitation } from '@cairnstore/contract'
import type { BriefRecord, Citation } from '@cairnstore/engine/answer'
import type { Scope } from '@cairnstore/engine/rank'
import { linkOf } from '../base/link.ts'
import { namesOf, readRecords } from '../store/read-records.ts'
import type { SandboxView } from '../store/sandbox-view.ts'

/** Maximum number of records in a citation. */
const RECORDS_MAX = 10
const DECIMALS = 1_000

/** A cited record with its entities and link. */
export type CitedRecord = Pick<BriefRecord, 'id' | 'type' | 'title' | 'url' | 'entities'> & {
  /** The entity that the record describes. */
  own?: string | undefined
}

/**
 * Returns the citations with their records, most relevant first. The statements have the weights 1, ½, ¼ and so on, in
 * order. A citation's relevance is the sum of the weights of its statements, divided by the highest such sum. Among
 * equals, the record of the first statement and the entity that it describes come first.
 */
export function citeRecords(
  citations: readonly Citation[],
  statements: readonly { recordIds: readonly string[] }[],
  records: readonly CitedRecord[],
): InterpretCitation[] {
  const carrying = new Map<string, CitedRecord[]>()
  for (const record of records) {
    for (const id of [record.id, ...record.entities.map(({ canonicalId }) => canonicalId)]) {
      carrying.set(id, [...(carrying.get(id) ?? []), record])
    }
  }
  const weights = weighRecords(statements)
  const cited = citations.map((citation) => {
    const own = carrying.get(citation.canonical_id) ?? []
    const used = own.filter(({ id }) => weights.has(id))
    return {
      ...toCitation(citation, used.length > 0 ? used : own, weights),
      weight: weightOfStatements(used, statements),
    }
  })
  const most = Math.max(...cited.map(({ weight }) => weight), Number.MIN_VALUE)
  const firstIds = new Set(statements[0]?.recordIds)
  const leading = new Set(records.flatMap(({ id, own }) => (firstIds.has(id) ? [id, ...(own ? [own] : [])] : [])))
  const leads = ({ canonical_id: id }: InterpretCitation) => Number(leading.has(id))
  return cited
    .toSorted((one, other) => other.weight - one.weight || leads(other) - leads(one))
    .map(({ weight, ...citation }) => ({ ...citation, relevance: rounded(weight / most) }))
}

/** Returns the weight of each record, which is the weight of the first statement that cites it. */
function weighRecords(statements: readonly { recordIds: readonly string[] }[]): Map<string, number> {
  const weights = new Map<string, number>()
  for (const [at, { recordIds }] of statements.entries()) {
    for (const id of recordIds) if (!weights.has(id)) weights.set(id, weightOf(at))
  }
  return weights
}

function weightOf(position: number): number {
  return 2 ** -position
}

function weightOfStatements(
  records: readonly CitedRecord[],
  statements: readonly { recordIds: readonly string[] }[],
): number {
  const ids = new Set(records.map(({ id }) => id))
  return statements.reduce(
    (sum, { recordIds }, at) => (recordIds.some((id) => ids.has(id)) ? sum + weightOf(at) : sum),
    0,
  )
}

function rounded(share: number): number {
  return Math.max(1 / DECIMALS, Math.round(share * DECIMALS) / DECIMALS)
}

function toCitation(
  { canonical_id: id, name, relevance }: Citation,
  carrying: readonly CitedRecord[],
  weights: ReadonlyMap<string, number>,
): InterpretCitation {
  const isOwn = (record: CitedRecord) => record.own === id || record.id === id
  const weight = (record: CitedRecord) => weights.get(record.id) ?? 0
  const records = carrying.toSorted(
    (one, other) => Number(isOwn(other)) - Number(isOwn(one)) || weight(other) - weight(one),
  )
  const [first] = records
  const entity = first?.entities.find(({ canonicalId }) => canonicalId === id)
  const type = entity?.type ?? first?.type
  const title = records.find((record) => record.title)?.title
  const url = records.map((record) => linkOf(record.url)).find((link) => link !== undefined)
  return {
    canonical_id: id,
    name,
    ...(type && { type }),
    relevance,
    record_ids: records.slice(0, RECORDS_MAX).map((record) => record.id),
    ...(title && { title }),
    ...(url && { url }),
  }
}

/**
 * Returns the citations of a table answer. Each has the records behind the answer that contain its entity, or if there
 * are none, other records of the entity.
 */
export async function citeRows(
  view: SandboxView,
  scope: Scope | null,
  citations: readonly Citation[],
  behind: readonly string[],
): Promise<InterpretCitation[]> {
  const ids = citations.map(({ canonical_id }) => canonical_id)
  const held = new Map(behind.map((id) => [id, view.graph.entitiesOf(id, scope)]))
  const carrying = ids.map((id) => {
    if (view.graph.hasRecord(id, scope)) return [id]
    const matching = behind.filter((recordId) => held.get(recordId)?.includes(id))
    return matching.length > 0 ? matching.slice(0, RECORDS_MAX) : view.graph.recordsOf(id, scope, RECORDS_MAX)
  })
  const records = await readRecords(view, [...new Set(carrying.flatMap(([first]) => first ?? []))])
  const names = namesOf(records.values())
  return citations.map((citation, at) => {
    const [first] = carrying[at]!
    const read = first === undefined ? undefined : records.get(first)
    const { type, title } = read?.content ?? {}
    const url = linkOf(read?.content.url)
    const kind = names.get(citation.canonical_id)?.type ?? (first === citation.canonical_id ? type : undefined)
    return {
      canonical_id: citation.canonical_id,
      name: citation.name,
      ...(kind && { type: kind }),
      relevance: citation.relevance,
      record_ids: carrying[at]!,
      ...(title && { title }),
      ...(url && { url }),
    }
  })
}
