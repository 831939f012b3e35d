import type { RecordPointer } from '@cairnstore/contract'
import type { BriefInput, Corpus } from '@cairnstore/engine/answer'
import { nameOccurs, type RankedPassage, type Scope } from '@cairnstore/engine/rank'
import type { ReadRecord } from '@cairnstore/engine/resolve'
import { rankedPassagesOf, terms } from '@cairnstore/engine/text'
import { emptyTimeAmong, type Intent, passagesAbout, recordsHolding } from '@cairnstore/engine/understand'
import { knownByIdAlone, namesOf, readNaming, readRecords } from '../store/read-records.ts'
import type { SandboxView } from '../store/sandbox-view.ts'
import { pointTo, type SourcesById } from './point-to.ts'
import { ownEntity, toBriefRecord, unresolvedIds } from './to-brief-record.ts'

/** A record to tell of, and the tuples it stands for. */
export interface Pinned {
  id: string
  /** In (0, 1]. */
  score: number
  /** Indexes of tuples; none for a record that was found around them. */
  tuples: number[]
  entityIds: readonly string[]
  /** The passages that the ranking found in a long record. */
  passages?: readonly RankedPassage[]
}

/** What is asked of the records, and how long the answer may be. */
export interface Telling {
  intent: Intent
  tuples: string[][]
  maxTokens: number
  detail?: 'concise' | 'detailed'
  /** Whether the statements are given with their grounds. */
  isDetailed: boolean
  /** Whether the sandbox is of who asks: "I" in the question is then its unnamed user. */
  isTheirs: boolean
  /** Whether the caller chose the records, so that a time is empty where none of them is of it. */
  arePinned?: boolean
  /** Whether the records were found by their meaning too. */
  isByMeaning?: boolean
  /** How a model may write, where one is configured; without it none is asked. */
  writing?: { isStreamed: boolean }
}

/** Finds the name and provider of each source that records come from, by its id. */
type SourcesOf = (records: readonly ReadRecord[]) => Promise<SourcesById>

/** What a brief is composed of. */
interface BriefGround {
  input: BriefInput
  /** Whether an id may be cited. */
  isKnown(id: string): boolean
  /** The entity that each record describes, where it describes one. */
  ownEntities: ReadonlyMap<string, string | undefined>
  /** Those of the records that are told of, as they are pointed to. */
  pointers(ids: readonly string[]): RecordPointer[]
}

/** Reads what a brief is composed of. */
export async function readBriefInput(
  view: SandboxView,
  scope: Scope | null,
  pinned: readonly Pinned[],
  telling: Telling,
  sourcesOf: SourcesOf,
): Promise<BriefGround> {
  const ids = pinned.map(({ id }) => id)
  const records = await readRecords(view, ids)
  const sources = await sourcesOf([...records.values()])
  const naming = await readNaming(view, scope, toLookUp(records), records)
  const names = namesOf([...records.values(), ...naming])
  const { intent } = telling
  const told = pinned.flatMap((ranked) => {
    const record = records.get(ranked.id)
    if (!record) return []
    const passages = passagesIn(record, ranked, intent)
    const told = toBriefRecord(record, ranked, names, sources, telling.isTheirs)
    return [passages.length > 0 ? { ...told, passages } : told]
  })
  const input: BriefInput = {
    asked: intent,
    ...(telling.isTheirs && intent.factsAsked && { factsAsked: intent.factsAsked }),
    terms,
    referenceDate: intent.referenceDate,
    records: told,
    emptyTime: telling.arePinned ? emptyTimeAmong(told, intent) : intent.emptyTime,
    tuples: telling.tuples,
    unresolvedIds: unresolvedIds(view, scope, telling.tuples),
    corpus: { ...corpusOf(view, scope), isByMeaning: telling.isByMeaning ?? false },
    maxTokens: telling.maxTokens,
    ...(telling.detail && { detail: telling.detail }),
  }
  const ownEntities = new Map(Array.from(records, ([id, record]) => [id, ownEntity(record)]))
  return {
    input,
    isKnown: (id) => records.has(id) || names.has(id),
    ownEntities,
    pointers: (some) => some.flatMap((id) => records.get(id) ?? []).map((record) => pointTo(record, sources)),
  }
}

/** What is known of all records in scope, which tells how rare a word is and what is mentioned nowhere. */
export function corpusOf(view: SandboxView, scope: Scope | null): Corpus {
  return {
    records: view.graph.countRecords(scope),
    degreeOf: (term) => recordsHolding(term, view, scope),
    occurs: (name) => nameOccurs(name, view, scope),
  }
}

/**
 * Returns the spans of a long record's best passages, from the ranking. For a record that keyword search did not find,
 * returns the passages with the best match for the query terms.
 */
function passagesIn(
  { content }: ReadRecord,
  { passages }: Pinned,
  { sought }: Intent,
): { readonly start: number; readonly end: number }[] {
  const { text = '' } = content
  if (passages === undefined) return passagesAbout(text, sought)
  const all = rankedPassagesOf(text)
  const places = passages.flatMap(({ index }) => all[index] ?? [])
  return places.map(({ from, to }) => ({ start: from, end: to })).sort((one, other) => one.start - other.start)
}

/** Entities whose names are looked up in other records than those that are told. */
const LOOKED_UP_MAX = 40

/** Writers, as a message often has no more of its writer than a login, and what is known by an id alone. */
function toLookUp(records: ReadonlyMap<string, ReadRecord>): string[] {
  const things = [...records.values()].flatMap((record) => record.things)
  const writers = things.flatMap(({ thing, entityId }) => (thing.role === 'author' && entityId) || [])
  return [...new Set([...writers, ...knownByIdAlone(records.values())])].slice(0, LOOKED_UP_MAX)
}
