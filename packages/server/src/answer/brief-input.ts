import type { RecordPointer } from '@cairnstore/contract'
import type { BriefInput, Corpus } from '@cairnstore/engine/answer'
import { nameOccurs, type RankedPassage, type Scope } from '@cairnstore/engine/rank'
import type { ReadRecord } from '@cairnstore/engine/resolve'
import { rankedPassagesOf, terms } from '@cairnstore/engine/text'
import { countRecordsWith, emptyTimeAmong, findPassages, type Intent } from '@cairnstore/engine/understand'
import { entitiesWithoutName, namesOf, readNamingRecords, readRecords } from '../store/read-records.ts'
import type { SandboxView } from '../store/sandbox-view.ts'
import { type SourcesById, toRecordPointer } from './record-pointer.ts'
import { ownEntity, toBriefRecord, unresolvedIds } from './to-brief-record.ts'

/** A record for the answer, with the indexes of the pinned tuples that it belongs to. */
export interface Pinned {
  id: string
  /** In (0, 1]. */
  score: number
  /** Indexes of the requested tuples to which it belongs. Empty for a record that was added because it is related. */
  tuples: number[]
  entityIds: readonly string[]
  /** Ranked passages of a long record. */
  passages?: readonly RankedPassage[]
}

/** Options of an answer, including its limits. */
export interface AnswerOptions {
  intent: Intent
  tuples: string[][]
  maxTokens: number
  detail?: 'concise' | 'detailed'
  /** True to include the evidence of each statement. */
  isDetailed: boolean
  /** True if the caller owns the sandbox. "I" in the question then means its unnamed user. */
  isOwner: boolean
  /** True if the caller chose the records. If none is from a time in the question, that time counts as empty. */
  arePinned?: boolean
  /** True if the records were also ranked by semantic similarity. */
  isByMeaning?: boolean
  /** Options for a language model; undefined if none may be used. */
  writing?: { isStreamed: boolean }
}

/** Returns the name and provider of each record's source, by source id. */
type SourcesOf = (records: readonly ReadRecord[]) => Promise<SourcesById>

/** Sources from which an answer is composed. */
interface BriefSources {
  input: BriefInput
  /** Returns true if an id may be cited. */
  isKnown(id: string): boolean
  /** The entity that each record describes, if any. */
  ownEntities: ReadonlyMap<string, string | undefined>
  pointers(ids: readonly string[]): RecordPointer[]
}

/** Reads the records, names and sources that an answer is composed from. */
export async function readBriefInput(
  view: SandboxView,
  scope: Scope | null,
  pinned: readonly Pinned[],
  options: AnswerOptions,
  sourcesOf: SourcesOf,
): Promise<BriefSources> {
  const ids = pinned.map(({ id }) => id)
  const records = await readRecords(view, ids)
  const sources = await sourcesOf([...records.values()])
  const naming = await readNamingRecords(view, scope, toLookUp(records), records)
  const names = namesOf([...records.values(), ...naming])
  const { intent } = options
  const briefRecords = pinned.flatMap((ranked) => {
    const record = records.get(ranked.id)
    if (!record) return []
    const passages = passagesIn(record, ranked, intent)
    const briefRecord = toBriefRecord(record, ranked, names, sources, options.isOwner)
    return [passages.length > 0 ? { ...briefRecord, passages } : briefRecord]
  })
  const input: BriefInput = {
    asked: intent,
    ...(options.isOwner && intent.factsAsked && { factsAsked: intent.factsAsked }),
    terms,
    referenceDate: intent.referenceDate,
    records: briefRecords,
    emptyTime: options.arePinned ? emptyTimeAmong(briefRecords, intent) : intent.emptyTime,
    tuples: options.tuples,
    unresolvedIds: unresolvedIds(view, scope, options.tuples),
    corpus: { ...corpusOf(view, scope), isByMeaning: options.isByMeaning ?? false },
    maxTokens: options.maxTokens,
    ...(options.detail && { detail: options.detail }),
  }
  const ownEntities = new Map(Array.from(records, ([id, record]) => [id, ownEntity(record)]))
  return {
    input,
    isKnown: (id) => records.has(id) || names.has(id),
    ownEntities,
    pointers: (some) => some.flatMap((id) => records.get(id) ?? []).map((record) => toRecordPointer(record, sources)),
  }
}

/** Returns the corpus statistics of the records in scope: the record count, document frequencies and known names. */
export function corpusOf(view: SandboxView, scope: Scope | null): Corpus {
  return {
    records: view.graph.countRecords(scope),
    degreeOf: (term) => countRecordsWith(term, view, scope),
    occurs: (name) => nameOccurs(name, view, scope),
  }
}

/**
 * Returns the spans of a long record's best passages by the ranking. If keyword search did not find the record, returns
 * the passages that match the query terms best.
 */
function passagesIn(
  { content }: ReadRecord,
  { passages }: Pinned,
  { stems }: Intent,
): { readonly start: number; readonly end: number }[] {
  const { text = '' } = content
  if (passages === undefined) return findPassages(text, stems)
  const all = rankedPassagesOf(text)
  const places = passages.flatMap(({ index }) => all[index] ?? [])
  return places.map(({ from, to }) => ({ start: from, end: to })).sort((one, other) => one.start - other.start)
}

/** Maximum number of entities whose names are searched in other records. */
const LOOKUPS_MAX = 40

/** Returns the entities whose names must be searched: authors, who often have only a login, and unnamed ones. */
function toLookUp(records: ReadonlyMap<string, ReadRecord>): string[] {
  const things = [...records.values()].flatMap((record) => record.things)
  const writers = things.flatMap(({ thing, entityId }) => (thing.role === 'author' && entityId) || [])
  return [...new Set([...writers, ...entitiesWithoutName(records.values())])].slice(0, LOOKUPS_MAX)
}
