import type { Phase as RecordPhase } from '@cairnstore/contract'
import type { EmptyTime } from '../understand/empty-time.ts'
import type { RequestedFacts } from '../understand/kinds-asked.ts'
import type { QuestionParts } from '../understand/parts.ts'

/** Subject of a relation that is about the user who asks. */
export const USER_SUBJECT = 'You'

/** Content of a record that an answer is built from, without storage details. */
export interface BriefRecord {
  id: string
  /** Indexes of the pinned tuples that this record belongs to. */
  tuples: number[]
  /** Relevance to the question, 0 to 1. */
  score: number
  type: string
  title?: string
  text?: string
  /** Ranked passages of a long text, as UTF-16 offsets. If omitted, only the beginning is read. */
  passages?: readonly { readonly start: number; readonly end: number }[]
  /** Current names of people and channels, by the ids in the text: `@U123` → `@Ada`. */
  mentions?: ReadonlyMap<string, string>
  url?: string
  sourceName?: string
  provider?: string
  occurredAtMs?: number
  /** Id of the conversation that a message belongs to. */
  conversation?: string
  /** Author. `given` is the author's name as written in the record, if it differs from the canonical name. */
  author?: { name: string; given?: string; canonicalId?: string }
  properties?: Record<string, unknown>
  /** Phase of the work, declared or derived from properties. */
  phase?: RecordPhase
  owner?: string
  /** Due date: a day or a time. */
  due?: string
  entities: BriefEntity[]
  relations?: BriefRelation[]
}

export interface BriefEntity {
  canonicalId: string
  name: string
  type: string
  aliases?: string[]
}

/** A typed relation that a record states, with the time in which it holds if known. */
export interface BriefRelation {
  subject: string
  predicate: string
  object: string
  validFromMs?: number
  validToMs?: number
}

/** Corpus statistics of all records in scope. */
export interface Corpus {
  /** Number of records in scope. */
  records: number
  /** Returns the number of records in scope that contain a term of the analyzer. */
  degreeOf(term: string): number
  /**
   * Returns true if a name, or a near spelling of it, occurs in any text or declared name. If omitted, the terms of the
   * name are looked up instead.
   */
  occurs?(name: string): boolean
  /** True if semantic search is on. A word that no record contains is then no evidence for abstaining. */
  isByMeaning?: boolean
}

/** Semantic similarity of statements to the question, computed by an embedding model. */
export interface SemanticScores {
  /** Words of the question, in lower case and without accents. */
  words: readonly string[]
  /**
   * Similarity values by compared text. `alike` is the cosine similarity to the question. `said` has for each word of
   * the question how well the text expresses it. Both are at most 1.
   */
  texts: ReadonlyMap<string, { alike: number; said: ArrayLike<number> }>
}

/** All inputs of an answer. Equal input gives an equal answer. */
export interface BriefInput {
  /** Returns the analyzer's terms of a text, in order. */
  terms: (text: string) => string[]
  /** Day on which current facts must hold, YYYY-MM-DD. */
  referenceDate: string
  /** The analyzed question. */
  asked: QuestionParts
  /** Facts about the user that the question asks for. */
  factsAsked?: RequestedFacts | undefined
  /** Times in the question for which no record exists, either in scope or among the given ones. */
  emptyTime?: EmptyTime | undefined
  records: BriefRecord[]
  tuples: string[][]
  unresolvedIds: string[]
  /** Corpus statistics. If omitted, the engine never abstains. */
  corpus?: Corpus
  /** Similarity values of the statements in `comparisonInput`. If omitted, only words are compared. */
  meant?: SemanticScores
  /** Maximum length of the answer, in tokens of 4 UTF-8 bytes. */
  maxTokens: number
  detail?: 'concise' | 'detailed'
}

/** A statement of an answer with its records and, for a computed statement, the computation. */
export interface Statement {
  text: string
  recordIds: string[]
  computed?: string
}

/** An entity that the answer is based on, or a record without entities. Relevance is in (0, 1]. */
export interface Citation {
  canonical_id: string
  name: string
  relevance: number
}

/** An answer in one or two paragraphs. Its text is the statements in order. */
export interface Brief {
  /** True if the records answer the question. Otherwise the text is one sentence that says so, without citations. */
  answered: boolean
  brief: string
  citations: Citation[]
  statements: Statement[]
}

/** Role of a statement. The text of an answer has the statements in the order of these roles. */
export type DraftRole = 'answer' | 'story' | 'open'

/** A statement of the answer before formatting. Its dates are still date tokens (see civil-date.ts). */
export interface Draft extends Statement {
  role: DraftRole
  /** Importance. The statement with the lowest weight is dropped first. */
  weight: number
}
