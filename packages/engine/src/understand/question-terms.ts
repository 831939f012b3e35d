import { entriesOf } from '../lexicon/entries.ts'
import {
  FORM_WORDS,
  LANGUAGES,
  MEASURES,
  NUMBERS,
  OVERVIEW_WORDS,
  QUESTION_WORDS,
  REQUESTS,
  STOP_WORDS,
  TIME_WORDS,
} from '../lexicon/languages.ts'
import { termKey } from '../text/analyse-record.ts'
import type { FoundIdentifier } from '../text/identifiers.ts'
import { KIND_WORDS_MAX, typesCalled, typeTerm } from '../text/kinds.ts'
import type { KeyHash } from '../text/names.ts'
import { isLatin } from '../text/signs.ts'
import { britishTermOf, shortHash, termOf, wholeTerm } from '../text/stem.ts'
import { pairsOf, phrasalOf, spokenPartsOf } from '../text/terms.ts'
import { foldText, type Word, wordsOfFolded } from '../text/words.ts'

/** A term of a question with how much it matters: 1 when it stands in the question, less when only in its history. */
export interface QuestionTerm {
  readonly hash: number
  /** The term itself, by which sentences of what was found are compared with it. */
  readonly text: string
  readonly weight: number
  /** Position of a term of which this is another form: they count as one term that stands where any of them does. */
  readonly formOf?: number
  /** Position of a term of which this one is a part; where records hold that one, the part counts less. */
  readonly partOf?: number
}

interface Relation {
  formOf?: number | undefined
  partOf?: number | undefined
}

interface TermDraft extends Relation {
  readonly hash: number
  readonly weight: number
  readonly at: number
}

/** The terms of a question while it is read. */
export interface QuestionTerms {
  readonly hash: KeyHash
  readonly terms: Map<string, TermDraft>
  /** Terms that are words or identifiers as they stand in the question. */
  said: number
}

/** Distinct terms that are searched; a longer question is a text, whose first words say what it is about. */
const TERMS_MAX = 64
/** Words of a text that are read together with those after them, and so many of them as one. */
const WHOLE_PIECES_MAX = 64
const WHOLE_WORDS_MAX = 4
/** What may stand between them. */
const JOINT = /^[ _./-]?$/
/** What is of the kind that is asked for counts as much as two of its words: of 1, 1.5 and 2 the last two are alike. */
const TYPE_WEIGHT = 2
/** A number beside a number is a list or a range. */
const NUMBERS_MEET = /\p{N} \p{N}/u

export function openTerms(hash: KeyHash): QuestionTerms {
  return { hash, terms: new Map(), said: 0 }
}

/** Adds a term that stands in the question or is a part of one; answers its position, or -1 when full. */
function say(draft: QuestionTerms, term: string | undefined, weight: number, partOf?: number): number {
  if (term === undefined) return -1
  const known = draft.terms.get(term)
  if (known === undefined && draft.said >= TERMS_MAX) return -1
  if (known === undefined) draft.said += 1
  else if (partOf === undefined) known.partOf = undefined
  return mean(draft, term, weight, { partOf })
}

/** Adds what is not said but meant where records have it; answers its position. */
function mean(draft: QuestionTerms, term: string, weight: number, relation: Relation): number {
  const known = draft.terms.get(term)
  if (known !== undefined) return known.at
  const at = draft.terms.size
  draft.terms.set(term, { hash: draft.hash(termKey(term)), weight, at, ...relation })
  return at
}

/** Adds the terms of a text with a weight; answers the positions of each word's and of each identifier's, or -1. */
export function addTextTerms(
  draft: QuestionTerms,
  folded: string,
  words: readonly Word[],
  identifiers: readonly FoundIdentifier[],
  weight: number,
): { ofWords: number[]; ofIdentifiers: number[] } {
  const languages = languagesOf(words)
  const ofWords = words.map((word) => {
    if (isSmallIn(languages, word)) return -1
    const formOf = say(draft, termOf(word.text), weight)
    const british = formOf < 0 ? undefined : britishTermOf(word.text)
    if (british !== undefined) mean(draft, british, weight, { formOf })
    if (formOf < 0 || languages.length === 0) return formOf
    for (const form of inflections(word.text, languages)) {
      const term = termOf(form)
      if (term !== undefined) mean(draft, term, weight, { formOf })
    }
    return formOf
  })
  for (const pair of pairsOf(words)) say(draft, pair, weight)
  const ofIdentifiers = identifiers.map(({ form, term, solid }) => {
    const formOf = say(draft, term, weight)
    if (formOf < 0) return formOf
    // Records that were stored before wholes were terms without their joints have them as they were written.
    mean(draft, form, weight, { formOf })
    if (solid !== undefined) mean(draft, solid, weight, { formOf })
    return formOf
  })
  addTypes(draft, folded, words, weight)
  addWholes(draft, addPieces(draft, folded, words, ofWords, weight), weight)
  return { ofWords, ofIdentifiers }
}

/** Adds the types of what is called by its kind: "the outage" means what is declared as an incident. */
function addTypes(draft: QuestionTerms, folded: string, words: readonly Word[], weight: number): void {
  for (let from = 0; from < words.length; from += 1) {
    for (let to = from; to < Math.min(words.length, from + KIND_WORDS_MAX); to += 1) {
      const { from: start, startsSentence, isAcronym } = words[from]!
      const said = folded.slice(start, words[to]!.to)
      for (const type of typesCalled(startsSentence || isAcronym ? said.toLowerCase() : said))
        mean(draft, typeTerm(type), TYPE_WEIGHT * weight, {})
    }
  }
}

/** A word, or a part of one, as it may be joined with others. */
interface WordPart {
  text: string
  isCapital: boolean
  /** It may make one word with the one after it: what an apostrophe cut off is no word. */
  begins: boolean
  /** It may make one word with the one before. */
  continues: boolean
}

/** Adds what each word may be the whole of, and the parts of those in mixed case; answers the text in such parts. */
function addPieces(
  draft: QuestionTerms,
  folded: string,
  words: readonly Word[],
  ofWords: readonly number[],
  weight: number,
): WordPart[] {
  return words.flatMap((word, at) => {
    const term = termOf(word.text)
    const isCapital = word.isCapital && !word.startsSentence
    const begins = folded[word.from - 1] !== "'"
    const continues = at > 0 && JOINT.test(folded.slice(words[at - 1]!.to, word.from))
    const formOf = ofWords[at]!
    const hash = shortHash(word.text)
    if (hash !== undefined) mean(draft, hash, weight, { formOf: mean(draft, wholeTerm(hash), weight, {}) })
    if (term === undefined || formOf < 0) return [{ text: word.text, isCapital, begins, continues }]
    mean(draft, wholeTerm(term), weight, { formOf })
    const next = words[at + 1]
    const phrasal = phrasalOf(folded, term, word, next)
    if (phrasal !== undefined) {
      const solid = mean(draft, phrasal, weight, {})
      // "Log in" has no other term for its small word.
      if (termOf(next!.text) === undefined) mean(draft, wholeTerm(phrasal), weight, { formOf: solid })
    }
    const parts = spokenPartsOf(folded, word)
    for (const part of parts) say(draft, termOf(part), weight, formOf)
    if (parts.length === 0) return [{ text: word.text, isCapital, begins, continues }]
    return parts.map((text, index) => ({ text, isCapital, begins: true, continues: index > 0 || continues }))
  })
}

/** Adds what several words side by side are as one, as records may write them: "roll back" as `rollback`. */
function addWholes(draft: QuestionTerms, pieces: readonly WordPart[], weight: number): void {
  const end = Math.min(pieces.length, WHOLE_PIECES_MAX)
  for (let from = 0; from < end; from += 1) {
    let whole = pieces[from]!.text
    if (!pieces[from]!.begins || termOf(whole) === undefined) continue
    for (let to = from + 1; to < Math.min(end, from + WHOLE_WORDS_MAX); to += 1) {
      const { text, continues, isCapital } = pieces[to]!
      const before = pieces[to - 1]!
      if (!continues || isCapital !== before.isCapital || NUMBERS_MEET.test(`${before.text} ${text}`)) break
      whole += text
      const term = termOf(text) === undefined ? undefined : termOf(whole)
      // Two words may be one of a record by chance; three, which it may have instead, are not.
      if (term !== undefined) mean(draft, term, weight * (to - from), {})
    }
  }
}

/** What was added, by position. */
export function termsAdded({ terms }: QuestionTerms): QuestionTerm[] {
  return Array.from(terms, ([text, { hash, weight, formOf, partOf }]) => ({
    hash,
    text,
    weight,
    ...(formOf !== undefined && { formOf }),
    ...(partOf !== undefined && { partOf }),
  }))
}

/** Words by which people ask, in any question. */
const ASKING = [
  ...[...OVERVIEW_WORDS, ...FORM_WORDS, ...MEASURES, ...QUESTION_WORDS, ...REQUESTS],
  ...[...TIME_WORDS, ...NUMBERS],
]
/** A number, or a day as it is indexed; and a whole, whose parts are terms too. */
const FIGURE_OR_WHOLE = /^(?:~.*|[\d-]+)$/

/**
 * The terms of what a question is about, each once: none of times, numbers, verbs of asking and small words, in
 * whatever of the known languages it is. These alone can be what nothing mentions.
 */
export function aboutTerms(text: string, termsOf: (text: string) => string[]): string[] {
  const words = wordsOfFolded(foldText(text))
  const languages = languagesOf(words)
  const small = languages.length === 0 ? [] : words.filter((word) => isSmallIn(languages, word))
  const said = new Set(termsOf([...ASKING, ...small.map((word) => word.text)].join(' ')))
  return [...new Set(termsOf(text))].filter((term) => !said.has(term) && !FIGURE_OR_WHOLE.test(term))
}

/** Whether a question is rather in one of the other known languages than in English. */
export function isForeign(text: string): boolean {
  return languagesOf(wordsOfFolded(foldText(text))).length > 0
}

/** What tells a language in a question, and how its words end; all folded. */
interface Language {
  /** Words that say nothing about what is asked for. */
  readonly small: ReadonlySet<string>
  /** What a word may end with in one form and another has in place of it; an empty one is among them. */
  readonly endings: readonly string[]
}

/** Languages whose words have more forms than a plural in s. A change of vowel needs no rule: its dots fold away. */
const INFLECTED: readonly Language[] = LANGUAGES.flatMap(({ stopWords, endings }) =>
  endings ? [{ small: new Set(entriesOf(stopWords)), endings: ['', ...entriesOf(endings)] }] : [],
)
/** What is left of a word before its ending at least: shorter ones have too many words beside them. */
const STEM_CHARS_MIN = 4

/** Small letters or the first word: a capital makes a small word part of a name. */
function isSmall(word: Word): boolean {
  return !word.isCapital || word.startsSentence
}

/** The languages that a question may be in by its small words, unless it is more likely English. */
export function languagesOf(words: readonly Word[]): readonly Language[] {
  const plain = words.filter(isSmall).map(({ text }) => text)
  const count = (small: ReadonlySet<string>) => plain.filter((text) => small.has(text)).length
  const counts = INFLECTED.map(({ small }) => count(small))
  const most = Math.max(...counts)
  return most === 0 || most <= count(STOP_WORDS) ? [] : INFLECTED.filter((_, at) => counts[at] === most)
}

/** Whether a word of a question says nothing in one of the languages. */
export function isSmallIn(languages: readonly Language[], word: Word): boolean {
  return isSmall(word) && languages.some(({ small }) => small.has(word.text))
}

/**
 * The other forms that a word may have in these languages. Most of them are not words; they match no record and do no
 * harm.
 */
export function inflections(word: string, languages: readonly Language[] = INFLECTED): Set<string> {
  const forms = new Set<string>()
  if (!isLatin(word)) return forms
  for (const { endings } of languages) {
    for (const ending of endings) {
      const base = word.slice(0, word.length - ending.length)
      if (!word.endsWith(ending) || base.length < STEM_CHARS_MIN) continue
      for (const other of endings) forms.add(base + other)
    }
  }
  forms.delete(word)
  return forms
}
