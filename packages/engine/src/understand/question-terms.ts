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
import { isLatin } from '../text/characters.ts'
import type { FoundIdentifier } from '../text/identifiers.ts'
import { TYPE_WORDS_MAX, typesNamedBy, typeTerm } from '../text/kinds.ts'
import type { KeyHash } from '../text/names.ts'
import { britishTermOf, compoundTerm, shortHash, termOf } from '../text/stem.ts'
import { pairsOf, phrasalTermOf, queryPartsOf } from '../text/terms.ts'
import { foldText, type Word, wordsOfFolded } from '../text/words.ts'

/** A query term with its weight: 1 if it is in the question, less if it is only in the history. */
export interface QuestionTerm {
  readonly hash: number
  /** Text of the term. It is compared with sentences of found records. */
  readonly text: string
  readonly weight: number
  /** Position of another term if this is a form of it. Both count as one term, and either form matches. */
  readonly formOf?: number
  /** Position of the compound that this term is a part of. The part weighs less if records contain the compound. */
  readonly partOf?: number
}

interface Relation {
  formOf?: number | undefined
  partOf?: number | undefined
}

interface DraftTerm extends Relation {
  readonly hash: number
  readonly weight: number
  readonly at: number
}

/** Query terms under construction. */
export interface QuestionTerms {
  readonly hash: KeyHash
  readonly terms: Map<string, DraftTerm>
  /** Number of terms that are words or identifiers of the question itself. */
  ownCount: number
}

/** Maximum number of distinct terms. In a longer question, the first words usually state the topic. */
const TERMS_MAX = 64
/** Maximum number of words from which compounds are formed, and maximum number of words in a compound. */
const COMPOUND_PARTS_MAX = 64
const COMPOUND_WORDS_MAX = 4
/** Separator between the words of a compound. */
const JOINT = /^[ _./-]?$/
/** Weight of a type term, equal to two words. In benchmarks 1.5 and 2 performed equally, 1 was worse. */
const TYPE_WEIGHT = 2
/** Matches two adjacent numbers. They are a list or a range and do not form a compound. */
const NUMBERS_MEET = /\p{N} \p{N}/u

export function createQuestionTerms(hash: KeyHash): QuestionTerms {
  return { hash, terms: new Map(), ownCount: 0 }
}

/** Adds a term of the question or a part of one. Returns its position, or -1 if the limit is reached. */
function addOwnTerm(draft: QuestionTerms, term: string | undefined, weight: number, partOf?: number): number {
  if (term === undefined) return -1
  const known = draft.terms.get(term)
  if (known === undefined && draft.ownCount >= TERMS_MAX) return -1
  if (known === undefined) draft.ownCount += 1
  else if (partOf === undefined) known.partOf = undefined
  return addRelatedTerm(draft, term, weight, { partOf })
}

/** Adds a related term that is not in the question. Returns its position. */
function addRelatedTerm(draft: QuestionTerms, term: string, weight: number, relation: Relation): number {
  const known = draft.terms.get(term)
  if (known !== undefined) return known.at
  const at = draft.terms.size
  draft.terms.set(term, { hash: draft.hash(termKey(term)), weight, at, ...relation })
  return at
}

/**
 * Adds the terms of a text with a weight. Returns the position of each word and identifier, or -1 if it has no term.
 */
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
    const formOf = addOwnTerm(draft, termOf(word.text), weight)
    const british = formOf < 0 ? undefined : britishTermOf(word.text)
    if (british !== undefined) addRelatedTerm(draft, british, weight, { formOf })
    if (formOf < 0 || languages.length === 0) return formOf
    for (const form of inflections(word.text, languages)) {
      const term = termOf(form)
      if (term !== undefined) addRelatedTerm(draft, term, weight, { formOf })
    }
    return formOf
  })
  for (const pair of pairsOf(words)) addOwnTerm(draft, pair, weight)
  const ofIdentifiers = identifiers.map(({ form, term, solid }) => {
    const formOf = addOwnTerm(draft, term, weight)
    if (formOf < 0) return formOf
    // Older records were indexed under the compound or identifier as written.
    addRelatedTerm(draft, form, weight, { formOf })
    if (solid !== undefined) addRelatedTerm(draft, solid, weight, { formOf })
    return formOf
  })
  addTypes(draft, folded, words, weight)
  addCompounds(draft, addWordParts(draft, folded, words, ofWords, weight), weight)
  return { ofWords, ofIdentifiers }
}

/** Adds the types that a question names: "the outage" means records declared as incidents. */
function addTypes(draft: QuestionTerms, folded: string, words: readonly Word[], weight: number): void {
  for (let from = 0; from < words.length; from += 1) {
    for (let to = from; to < Math.min(words.length, from + TYPE_WORDS_MAX); to += 1) {
      const { from: start, startsSentence, isAcronym } = words[from]!
      const said = folded.slice(start, words[to]!.to)
      for (const type of typesNamedBy(startsSentence || isAcronym ? said.toLowerCase() : said))
        addRelatedTerm(draft, typeTerm(type), TYPE_WEIGHT * weight, {})
    }
  }
}

/** A word or part of a word that may be joined with others. */
interface WordPart {
  text: string
  isCapital: boolean
  /** True if it can be joined with the next part. A fragment after an apostrophe cannot. */
  begins: boolean
  /** True if it can be joined with the previous part. */
  continues: boolean
}

/** Adds the compound form of each word and the parts of words in mixed case. Returns all parts of the text. */
function addWordParts(
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
    if (hash !== undefined)
      addRelatedTerm(draft, hash, weight, { formOf: addRelatedTerm(draft, compoundTerm(hash), weight, {}) })
    if (term === undefined || formOf < 0) return [{ text: word.text, isCapital, begins, continues }]
    addRelatedTerm(draft, compoundTerm(term), weight, { formOf })
    const next = words[at + 1]
    const phrasal = phrasalTermOf(folded, term, word, next)
    if (phrasal !== undefined) {
      const solid = addRelatedTerm(draft, phrasal, weight, {})
      // The particle of "log in" has no term of its own.
      if (termOf(next!.text) === undefined) addRelatedTerm(draft, compoundTerm(phrasal), weight, { formOf: solid })
    }
    const parts = queryPartsOf(folded, word)
    for (const part of parts) addOwnTerm(draft, termOf(part), weight, formOf)
    if (parts.length === 0) return [{ text: word.text, isCapital, begins, continues }]
    return parts.map((text, index) => ({ text, isCapital, begins: true, continues: index > 0 || continues }))
  })
}

/** Adds compounds of adjacent words, as records may write them: "roll back" as `rollback`. */
function addCompounds(draft: QuestionTerms, parts: readonly WordPart[], weight: number): void {
  const end = Math.min(parts.length, COMPOUND_PARTS_MAX)
  for (let from = 0; from < end; from += 1) {
    let compound = parts[from]!.text
    if (!parts[from]!.begins || termOf(compound) === undefined) continue
    for (let to = from + 1; to < Math.min(end, from + COMPOUND_WORDS_MAX); to += 1) {
      const { text, continues, isCapital } = parts[to]!
      const before = parts[to - 1]!
      if (!continues || isCapital !== before.isCapital || NUMBERS_MEET.test(`${before.text} ${text}`)) break
      compound += text
      const term = termOf(text) === undefined ? undefined : termOf(compound)
      // Two words often form a compound by chance, three rarely, so longer compounds weigh more.
      if (term !== undefined) addRelatedTerm(draft, term, weight * (to - from), {})
    }
  }
}

/** Returns the added terms by position. */
export function listTerms({ terms }: QuestionTerms): QuestionTerm[] {
  return Array.from(terms, ([text, { hash, weight, formOf, partOf }]) => ({
    hash,
    text,
    weight,
    ...(formOf !== undefined && { formOf }),
    ...(partOf !== undefined && { partOf }),
  }))
}

/** Words that occur in questions of any topic. */
const ASKING = [
  ...[...OVERVIEW_WORDS, ...FORM_WORDS, ...MEASURES, ...QUESTION_WORDS, ...REQUESTS],
  ...[...TIME_WORDS, ...NUMBERS],
]
/** Matches a number, an indexed day, or a compound, whose parts are terms too. */
const NUMBER_OR_COMPOUND = /^(?:~.*|[\d-]+)$/

/**
 * Returns the distinct topic terms of a question in any supported language. Times, numbers, question verbs and stop
 * words are excluded. Only these terms are checked for being out-of-vocabulary.
 */
export function aboutTerms(text: string, termsOf: (text: string) => string[]): string[] {
  const words = wordsOfFolded(foldText(text))
  const languages = languagesOf(words)
  const small = languages.length === 0 ? [] : words.filter((word) => isSmallIn(languages, word))
  const formal = new Set(termsOf([...ASKING, ...small.map((word) => word.text)].join(' ')))
  return [...new Set(termsOf(text))].filter((term) => !formal.has(term) && !NUMBER_OR_COMPOUND.test(term))
}

/** Returns true if a question is more likely in another supported language than in English. */
export function isForeign(text: string): boolean {
  return languagesOf(wordsOfFolded(foldText(text))).length > 0
}

/** Stop words that identify a language, and its word endings; all folded. */
interface Language {
  /** Stop words. */
  readonly small: ReadonlySet<string>
  /** Inflectional endings that can be exchanged for each other, including the empty ending. */
  readonly endings: readonly string[]
}

/** Languages with more inflections than a plural in -s. Umlauts need no rule, because folding removes them. */
const INFLECTED: readonly Language[] = LANGUAGES.flatMap(({ stopWords, endings }) =>
  endings ? [{ small: new Set(entriesOf(stopWords)), endings: ['', ...entriesOf(endings)] }] : [],
)
/** Minimum length of a stem in characters. Shorter stems match too many words. */
const STEM_CHARS_MIN = 4

/** Returns true for a word in lower case or at the start of a sentence. Other capitals may be part of a name. */
function isSmall(word: Word): boolean {
  return !word.isCapital || word.startsSentence
}

/** Returns the languages that a question may be in, by its stop words; none if English is more likely. */
export function languagesOf(words: readonly Word[]): readonly Language[] {
  const plain = words.filter(isSmall).map(({ text }) => text)
  const count = (small: ReadonlySet<string>) => plain.filter((text) => small.has(text)).length
  const counts = INFLECTED.map(({ small }) => count(small))
  const most = Math.max(...counts)
  return most === 0 || most <= count(STOP_WORDS) ? [] : INFLECTED.filter((_, at) => counts[at] === most)
}

/** Returns true if a word is a stop word in one of the languages. */
export function isSmallIn(languages: readonly Language[], word: Word): boolean {
  return isSmall(word) && languages.some(({ small }) => small.has(word.text))
}

/** Returns possible inflections of a word in these languages. Most do not exist, and they match no record. */
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
