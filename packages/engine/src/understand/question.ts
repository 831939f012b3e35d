import { ASKING, type QuestionKind, type Topic } from '../lexicon/asked.ts'
import { topicsAsked } from '../text/kinds.ts'
import { aboutTerms, isForeign } from './about-terms.ts'
import { type AskedWord, askedWords } from './asked-words.ts'
import { type Aspect, aspectsOf } from './aspects.ts'
import { splitClauses } from './clauses.ts'
import { type WaysOfAsking, waysOfAsking } from './ways-of-asking.ts'
import { type Wording, wordingOf } from './wording.ts'
import { namesWritten, type WrittenName } from './written-names.ts'

/** What a question or a part of it says, in its own words and with the subject that it leaves to an earlier one. */
export interface Said {
  readonly wording: Wording
  readonly wordingInTalk: Wording
  readonly words: readonly AskedWord[]
  readonly wordsInTalk: readonly AskedWord[]
  /** Whether a word behind its first begins with a capital: then names do. */
  readonly writesCapitals: boolean
  /** What its own words write as names are written. */
  readonly names: readonly WrittenName[]
  readonly ways: WaysOfAsking
}

/** The question as the brief understands it. */
export interface Question extends Said {
  /** What its first part asks for. */
  kind: QuestionKind
  /** What all its parts ask for. */
  kinds: QuestionKind[]
  /** Distinct analyser terms of the question. */
  terms: string[]
  /** Those of its terms that stand for a subject named in an earlier part. */
  carried?: ReadonlySet<string>
  /** Those of its terms that say what it is about: none of its times, of numbers and of how it asks. */
  about: readonly string[]
  /** Whether it is in another known language than English, of which records in English have names alone. */
  isForeign: boolean
  aspects: Aspect[]
  /** The sections of a document that would answer it, by their labels. */
  topics: Topic[]
  /** The times that the question asks about: from the first millisecond until just before the last. */
  times?: readonly { fromMs: number; toMs: number }[]
}

/** What one clause of a question, in lower case, asks for; undefined when it asks nothing. */
export function kindOf(clause: string): QuestionKind | undefined {
  return ASKING.find(([, asks]) => asks.test(clause))?.[0]
}

/** What a question has beside its text. */
export interface Beside {
  /** The times that it names. */
  times?: Question['times'] | undefined
  /** Its text without the times that it names; as it is when absent. */
  timeless?: string | undefined
  /** What it is about by an earlier question; empty when it says so itself. */
  subject?: string
}

/** Reads a question: its kind, its terms and what it asks about. */
export function readQuestion(
  text: string,
  termsOf: (text: string) => string[],
  { times = [], timeless = text, subject = '' }: Beside = {},
): Question {
  const terms = termsOf(text)
  const carried = new Set(termsOf(subject).filter((term) => !terms.includes(term)))
  const lower = text.toLowerCase()
  const kinds = [...new Set(splitClauses(lower).flatMap((clause) => kindOf(clause) ?? []))]
  return {
    ...readSaid(text, subject ? `${text} ${subject}` : text, termsOf),
    kind: kinds[0] ?? 'overview',
    kinds: kinds.length > 0 ? kinds : ['overview'],
    terms: [...new Set([...terms, ...carried])],
    ...(carried.size > 0 && { carried }),
    about: aboutTerms(`${timeless} ${subject}`, termsOf),
    isForeign: isForeign(text),
    aspects: aspectsOf(lower),
    topics: topicsAsked(lower),
    ...(times.length > 0 && { times }),
  }
}

/** Reads the words of a question or a part, by themselves and as its talk makes them whole. */
export function readSaid(text: string, inTalk: string, termsOf: (text: string) => string[]): Said {
  return {
    wording: wordingOf(text),
    wordingInTalk: wordingOf(inTalk),
    words: askedWords(text),
    wordsInTalk: askedWords(inTalk),
    writesCapitals: /\S\s+\p{Lu}/u.test(inTalk),
    names: namesWritten(text, termsOf),
    ways: waysOfAsking(text, inTalk),
  }
}

/** The terms of a question without those of a subject named in an earlier part or question. */
export function ownTerms({ terms, carried }: Question): ReadonlySet<string> {
  return new Set(terms.filter((term) => !carried?.has(term)))
}

/** Whether a time is outside all that the question asks about; false when it asks about any. */
export function isOtherTime({ times }: Question, atMs: number): boolean {
  return times !== undefined && !times.some(({ fromMs, toMs }) => atMs >= fromMs && atMs < toMs)
}

const TOLD_OVER_TIME: ReadonlySet<QuestionKind> = new Set(['why', 'change', 'open', 'overview', 'status'])

/** Whether a question asks how something is now, or when it will be, of no time that it names. */
export function asksOfNow({ ways, kind, times }: Question): boolean {
  return times === undefined && !TOLD_OVER_TIME.has(kind) && ways.isOfNow
}
