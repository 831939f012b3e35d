import type { Phase as RecordPhase } from '@cairnstore/contract'
import type { EmptyTime } from '../understand/empty-time.ts'
import type { FactsAsked } from '../understand/kinds-asked.ts'
import type { AskedParts } from '../understand/parts.ts'

/** How a relation names who asks, where they are the person that it is about. */
export const READER = 'You'

/** One pinned record as the brief reads it: plain content, no storage. */
export interface BriefRecord {
  id: string
  /** Indexes of the pinned tuples that this record stands for. */
  tuples: number[]
  /** Relevance to the question, 0..1. */
  score: number
  type: string
  title?: string
  text?: string
  /** The ranked passages of a long text, as UTF-16 offsets. If omitted, only the beginning is read. */
  passages?: readonly { readonly start: number; readonly end: number }[]
  /** The current names of people and channels by the ids that the text mentions them with: `@U123` → `@Ada`. */
  mentions?: ReadonlyMap<string, string>
  url?: string
  sourceName?: string
  provider?: string
  occurredAtMs?: number
  /** What the messages of one conversation have in common. */
  conversation?: string
  /** `given` is what the record itself calls its author, when that is not the name. */
  author?: { name: string; given?: string; canonicalId?: string }
  properties?: Record<string, unknown>
  /** How it stands, as it declares or its properties say. */
  phase?: RecordPhase
  owner?: string
  /** A day or a moment. */
  due?: string
  entities: BriefEntity[]
  relations?: BriefRelation[]
}

/** One canonical entity that a record carries. */
export interface BriefEntity {
  canonicalId: string
  name: string
  type: string
  aliases?: string[]
}

/** One typed relation that a record states, with the time it held if that is known. */
export interface BriefRelation {
  subject: string
  predicate: string
  object: string
  validFromMs?: number
  validToMs?: number
}

/** What is known of all records in scope beside those that are told of. */
export interface Corpus {
  /** How many there are. */
  records: number
  /** In how many of them a term of the analyser stands. */
  degreeOf(term: string): number
  /** Returns whether a name, or a near spelling, occurs in any text or declared name. If omitted, its terms decide. */
  occurs?(name: string): boolean
  /** True if semantic search is on. An out-of-vocabulary word is then no sign that no record answers. */
  isByMeaning?: boolean
}

/** What a model that compares meanings says of some statements beside a question. */
export interface Meant {
  /** Of the question, in lower case without accents. */
  words: readonly string[]
  /** By the text that was compared: its cosine with the question, and how much it says of each word, both up to 1. */
  texts: ReadonlyMap<string, { alike: number; said: ArrayLike<number> }>
}

/** Everything that a brief is made of; equal input gives an equal brief. */
export interface BriefInput {
  /** The analyser's terms of a text, in order. */
  terms: (text: string) => string[]
  /** YYYY-MM-DD, the day on which what holds now holds. */
  referenceDate: string
  /** What the question asks for. */
  asked: AskedParts
  /** What it asks of who asks it, where facts may tell that. */
  factsAsked?: FactsAsked | undefined
  /** The times that it asks about and that none of the records, or of all in scope, is of. */
  emptyTime?: EmptyTime | undefined
  records: BriefRecord[]
  tuples: string[][]
  unresolvedIds: string[]
  /** What is known of all records in scope; without it no question is refused. */
  corpus?: Corpus
  /** What a model says of the statements that `toCompare` names; without it words alone tell whether they answer. */
  meant?: Meant
  /** The most the brief may take, in UTF-8 bytes / 4. */
  maxTokens: number
  detail?: 'concise' | 'detailed'
}

/** One statement of a brief with the records it comes from and, when it was computed, the computation. */
export interface Statement {
  text: string
  recordIds: string[]
  computed?: string
}

/** One canonical entity (or a record that carries none) that the brief rests on; relevance lies in (0, 1]. */
export interface Citation {
  canonical_id: string
  name: string
  relevance: number
}

/** A brief of one or two paragraphs; its text is the statements in order. */
export interface Brief {
  /** Whether the records answer; a brief that does not says so in one sentence and cites nothing. */
  answered: boolean
  brief: string
  citations: Citation[]
  statements: Statement[]
}

/** Where a statement stands in the brief: the order of the names is the order of the prose. */
export type DraftRole = 'answer' | 'story' | 'open'

/** A statement on its way into the brief; its dates are still tokens (see civil-date.ts). */
export interface Draft extends Statement {
  role: DraftRole
  /** Importance: what weighs least is dropped first. */
  weight: number
}
