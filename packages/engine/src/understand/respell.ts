import { REQUESTS } from '../lexicon/languages.ts'
import { isLatin } from '../text/characters.ts'
import { joinName, NAME_WORDS_MAX } from '../text/names.ts'
import { IN_NAME, IN_TEXT, nearSpellings } from '../text/near-spellings.ts'
import { termOf } from '../text/stem.ts'
import { queryPartsOf } from '../text/terms.ts'
import { foldText, type Word, wordsOfFolded } from '../text/words.ts'
import { countRecordsWith, type KnownWords } from './known-words.ts'
import { inflections, languagesOf } from './question-terms.ts'

/** A question after spelling correction, with a message about the corrections. */
interface CorrectedQuestion {
  text: string
  note?: string
  /** The corrected words. Undefined if no word was corrected. */
  read?: readonly string[]
}

/** Information that distinguishes typos from words: the records in scope, and an English dictionary if available. */
export interface Spelling<S> extends KnownWords<S> {
  /** Returns true if a lower-case word is in the dictionary. */
  readonly isWord?: (word: string) => boolean
}

/** Maximum number of words per question that are corrected. It bounds the cost of many unknown words. */
const CORRECTIONS_MAX = 3
const QUESTION_CHARS_MAX = 1_000

/**
 * Corrects the out-of-vocabulary words of a question. A word becomes another inflection, a word within one edit, or two
 * words with the missing space. A correction that completes a name with the adjacent words is preferred, then the one
 * in most records. A capitalized word is corrected only to another name. Dictionary words are never changed. Other
 * languages have no dictionary, so typos in them are corrected only within names.
 */
export function respell<S>(query: string, view: Spelling<S>, scope: S | null): CorrectedQuestion {
  if (query.length > QUESTION_CHARS_MAX) return { text: query }
  const folded = foldText(query)
  const words = wordsOfFolded(folded)
  const degreeOf = (word: string): number => {
    const term = termOf(word)
    if (term === undefined) return 0
    return countRecordsWith(term, view, scope)
  }
  const languages = languagesOf(words)
  // If every word is capitalized, capitals do not indicate names.
  const hasSmall = words.some((word) => !word.isCapital)
  const isWrittenAsName = (word: Word) => hasSmall && word.isCapital && !word.isAcronym && !word.startsSentence
  const corrected: { word: Word; text: string }[] = []
  const isWord = (text: string) => view.isWord?.(text) ?? false
  let tried = 0
  for (const [at, word] of words.entries()) {
    if (termOf(word.text) === undefined || REQUESTS.has(word.text) || degreeOf(word.text) > 0) continue
    if (queryPartsOf(folded, word).some((part) => degreeOf(part) > 0)) continue
    const near = nearSpellings(word.text, IN_NAME)
    if (near.size === 0) continue
    if (tried === CORRECTIONS_MAX) break
    tried += 1
    const isName = isWrittenAsName(word)
    const inflected = isName && languages.length === 0 ? undefined : mostFrequent(inflections(word.text), degreeOf)
    if (inflected !== undefined) {
      // For a supported foreign language, other inflections of the words are searched anyway.
      if (languages.length === 0 && !isWord(word.text)) corrected.push({ word, text: casedAs(word, inflected) })
      continue
    }
    const isEnglish = languages.length === 0 && isLatin(word.text)
    const candidates = isEnglish ? nearSpellings(word.text, IN_TEXT) : NONE
    const likely = isName ? namesAmong(word.text, candidates, view, scope) : candidates
    let best = { text: '', degree: 0, isInName: false }
    for (const text of near) {
      const degree = degreeOf(text)
      if (degree === 0) continue
      const found = { text, degree, isInName: isInName(words, at, text, view, scope) }
      if (!found.isInName && !likely.has(text)) continue
      if ((Number(found.isInName) - Number(best.isInName) || degree - best.degree) > 0) best = found
    }
    const text = best.degree > 0 ? best.text : isName || !isEnglish ? undefined : splitInTwo(word.text, degreeOf)
    if (text !== undefined && !isWord(word.text)) corrected.push({ word, text: casedAs(word, text) })
  }
  if (corrected.length === 0) return { text: query }
  let text = folded.length === query.length ? query : folded
  for (const { word, text: meant } of corrected.toReversed())
    text = text.slice(0, word.from) + meant + text.slice(word.to)
  const corrections = corrected.map(
    ({ word, text: meant }) => `“${folded.slice(word.from, word.to)}” is read as “${meant}”`,
  )
  const note = `No record has the word, so ${corrections.join(' and ')}.`
  return { text, note, read: corrected.map(({ text: meant }) => meant) }
}

const NONE: ReadonlySet<string> = new Set()

/**
 * Returns the spellings that are known names and end with the same letter. A name may differ from another name only in
 * its ending: "Daniela" is not a typo of "Daniel".
 */
function namesAmong<S>(
  word: string,
  candidates: ReadonlySet<string>,
  { graph, hash }: KnownWords<S>,
  scope: S | null,
): Set<string> {
  const isName = (text: string) => graph.holdsKey(hash(`n:${joinName([text])}`), scope)
  return new Set([...candidates].filter((text) => text.at(-1) === word.at(-1) && isName(text)))
}

/** Returns the form that occurs in most records; undefined if none occurs. */
function mostFrequent(forms: Iterable<string>, degreeOf: (word: string) => number): string | undefined {
  let best: { form: string; degree: number } | undefined
  for (const form of forms) {
    const degree = degreeOf(form)
    if (degree > (best?.degree ?? 0)) best = { form, degree }
  }
  return best?.form
}

/** Minimum length of each half of a split word. Shorter words occur in most long words. */
const HALF_CHARS_MIN = 4

/** Splits a word into two known ones: `nightbatch` becomes "night batch". Maximizes the frequency of the rarer one. */
function splitInTwo(text: string, degreeOf: (word: string) => number): string | undefined {
  const cuts = Array.from({ length: Math.max(0, text.length - 2 * HALF_CHARS_MIN + 1) }, (_, at) => at + HALF_CHARS_MIN)
  const pairs = new Map(cuts.map((at) => [`${text.slice(0, at)} ${text.slice(at)}`, at]))
  return mostFrequent(pairs.keys(), (pair) => {
    const at = pairs.get(pair)!
    return Math.min(degreeOf(text.slice(0, at)), degreeOf(text.slice(at)))
  })
}

/** Returns true if the word and its neighbors form a name in scope. */
function isInName<S>(
  words: readonly Word[],
  at: number,
  text: string,
  { graph, hash }: KnownWords<S>,
  scope: S | null,
): boolean {
  for (let from = Math.max(0, at - NAME_WORDS_MAX + 1); from <= at; from += 1) {
    for (let to = at; to < words.length && to - from < NAME_WORDS_MAX; to += 1) {
      if (from === to) continue
      const run = words.slice(from, to + 1).map((word, index) => (from + index === at ? text : word.text))
      if (graph.holdsKey(hash(`n:${joinName(run)}`), scope)) return true
    }
  }
  return false
}

/** Returns the text with the capitalization of the word. */
function casedAs(word: Word, text: string): string {
  if (word.isAcronym) return text.toUpperCase()
  return word.isCapital ? text[0]!.toUpperCase() + text.slice(1) : text
}
