import { nameWords } from '@cairnstore/engine/answer'
import { foldText, monthNumber, numberOf, splitSentences, terms } from '@cairnstore/engine/text'
import { isForeign } from '@cairnstore/engine/understand'
import { isEnglishWord } from '../dictionary.ts'

/** The evidence for checking a model's statement. */
export interface Evidence {
  /** The cited records as text, with titles, authors and dates. */
  readonly text: string
  /** Further words that a statement may contain: words of the question, today's date and fixed phrases. */
  readonly known: ReadonlySet<string>
  /** Maximum number that is accepted as a count of records. */
  readonly countMax: number
}

/** Minimum share of a statement's terms that its evidence sentences contain. */
const COVER_MIN = 0.6
/** Share of the terms that are not in the question. The evidence must contain more than this share. */
const FRESH_SHARE = 0.5
/** Maximum number of evidence sentences for one statement. */
const SENTENCES_MAX = 4
/** Words of negation. */
const DENIAL =
  /\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|unable|fail(?:ed|s)? to)\b|n[’']t(?!\p{L})/giu
const CAPITAL = /^\p{Lu}/u
/** Minimum length of an all-caps word that counts as a name or code in any language. */
const CODE_CHARS_MIN = 4
const SCALE: Readonly<Record<string, number>> = { k: 1e3, thousand: 1e3, m: 1e6, million: 1e6, bn: 1e9, billion: 1e9 }
const SCALED = /(\d+(?:\.\d+)?)\s?(k|m|bn|thousand|million|billion)(?![\p{L}\p{N}])/giu
const CLOCK = /(\d{1,2})(?:[:.](\d\d))?\s?([ap])\.?m\b\.?/giu
const ISO_DAY = /(?<!\d)(\d{4})-(\d\d)-(\d\d)(?!\d)/g
const NOON = 12

/**
 * Checks a statement against its evidence. Returns the reason why it is not supported, or undefined. A statement in
 * English over English evidence is supported if
 * - every name (also a single word, or the first of a sentence), number, date and code occurs in the question or in the
 *   evidence sentences that best match the statement,
 * - those sentences contain most of its terms, and most of the terms that the question does not have, and
 * - both are negated or neither is.
 *
 * In other languages nouns have capitals and words differ from the evidence, so only numbers, codes and names of
 * several words are checked. The check compares words; the pair model finds opposites ("rose", "fell") and exchanged
 * roles (`evidenceToJudge`).
 */
export function unsupported(
  statement: string,
  { text, known, countMax }: Evidence,
): 'number' | 'name' | 'cover' | 'denial' | undefined {
  const isSameLanguage = areEnglish(statement, text)
  const claimed = [...new Set(terms(statement))]
  const sentences = bestSentences(statement, text)
  const evidence = isSameLanguage ? sentences.join('\n') : text
  const said = new Set([...nameWords(evidence), ...numbersIn(evidence)])
  const whole = new Set(nameWords(text))
  const isKnown = (word: string) =>
    nameWords(word).every((part) => said.has(part) || known.has(part)) || isMonthOf(word, said)
  const isNumber = (number: string) => said.has(number) || known.has(number) || Number(number) <= countMax
  if (![...numbersIn(statement)].every(isNumber)) return 'number'
  for (const sentence of splitSentences(statement)) {
    const words = sentence.split(/[\s/–—]+/).filter((word) => /\p{L}/u.test(word))
    for (const [at, word] of words.entries()) {
      const bare = word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '').replace(/['’]s$/, '')
      if (isKnown(bare) || !isNameLike(bare, words, at, isSameLanguage)) continue
      // A name from another part of the record is accepted, because a sentence often omits its subject.
      if (!nameWords(bare).every((part) => whole.has(part))) return 'name'
    }
  }
  // A statement such as "Yes." contains nothing that records could support.
  if (claimed.length === 0) return numbersIn(statement).size > 0 ? undefined : 'cover'
  if (!isSameLanguage) return undefined
  const evidenceTerms = new Set(terms(evidence))
  const isCovered = (term: string) => evidenceTerms.has(term) || known.has(term)
  if (claimed.filter(isCovered).length < COVER_MIN * claimed.length) return 'cover'
  // Terms of the question are no evidence for what the statement adds to it.
  const fresh = claimed.filter((term) => !known.has(term) && !/\d/.test(term))
  const covered = fresh.filter((term) => evidenceTerms.has(term)).length
  if (fresh.length > 0 && covered <= FRESH_SHARE * fresh.length) return 'cover'
  return denies(statement) === denies(sentences[0] ?? '') ? undefined : 'denial'
}

/**
 * Returns the sentences of a text by which the pair model must judge a statement. Returns undefined for a text in
 * another language than English, and for a quotation of whole sentences. Part of a sentence may say the opposite.
 */
export function evidenceToJudge(statement: string, text: string): string | undefined {
  if (!areEnglish(statement, text)) return undefined
  const folded = (sentence: string) => foldText(sentence.replace(/[.!?…]+$/, ''))
  const said = new Set(splitSentences(text).map(folded))
  if (splitSentences(statement).every((sentence) => said.has(folded(sentence)))) return undefined
  return bestSentences(statement, text).join(' ')
}

function areEnglish(...texts: readonly string[]): boolean {
  return !texts.some(isForeign)
}

/**
 * Returns the sentences that contain most terms of a statement, best first, until all terms that occur are covered.
 * Numbers do not select sentences, because each must occur together with the rest of the statement.
 */
function bestSentences(statement: string, text: string): string[] {
  const open = splitSentences(text).map((sentence) => ({ sentence, terms: new Set(terms(sentence)) }))
  const uncovered = new Set(terms(statement).filter((term) => !/\d/.test(term)))
  const best: string[] = []
  while (open.length > 0 && best.length < SENTENCES_MAX) {
    const gains = open.map((each) => [...uncovered].filter((term) => each.terms.has(term)).length)
    const most = Math.max(...gains)
    if (most === 0) break
    const [next] = open.splice(gains.indexOf(most), 1)
    best.push(next!.sentence)
    for (const term of next!.terms) uncovered.delete(term)
  }
  return best
}

function isNameLike(word: string, words: readonly string[], at: number, isEnglish: boolean): boolean {
  const isCode = word.length >= CODE_CHARS_MIN && word === word.toUpperCase() && word !== word.toLowerCase()
  if (isCode || /\p{Ll}\p{Lu}/u.test(word)) return true
  if (!CAPITAL.test(word)) return false
  if (isEnglish) return at > 0 || !isEnglishWord(word.toLowerCase())
  const isBeside = (other: number) => other > 0 && CAPITAL.test(words[other] ?? '')
  return at > 0 && (isBeside(at - 1) || isBeside(at + 1))
}

function denies(text: string): boolean {
  return (text.match(DENIAL) ?? []).length % 2 === 1
}

function isMonthOf(word: string, said: ReadonlySet<string>): boolean {
  const month = CAPITAL.test(word) ? monthNumber(word) : undefined
  return month !== undefined && said.has(monthKey(month))
}

function monthKey(month: number): string {
  return `month ${month}`
}

/**
 * Returns the numbers in a text in a normalized form. `12,400`, `12.4k` and `12 400` become `12400`, "three" becomes
 * `3`, `2:30 pm` becomes `14` and `30`. The months of dates are added as `month 5`.
 */
export function numbersIn(text: string): Set<string> {
  const found = new Set<string>()
  const add = (value: number) => found.add(String(value))
  const joined = text.replace(/(?<=\d)[,'’ \u00a0\u202f](?=\d{3}(?!\d))/g, '')
  for (const [, year, month, day] of joined.matchAll(ISO_DAY)) {
    found.add(monthKey(Number(month)))
    add(Number(year))
    add(Number(day))
  }
  const withoutDays = joined.replace(ISO_DAY, ' ')
  const withoutClocks = withoutDays.replace(CLOCK, (_, hour: string, minute: string | undefined, half: string) => {
    add((Number(hour) % NOON) + (half.toLowerCase() === 'p' ? NOON : 0))
    if (minute !== undefined) add(Number(minute))
    return ' '
  })
  const rest = withoutClocks.replace(SCALED, (_, number: string, scale: string) => {
    add(Math.round(Number(number) * SCALE[scale.toLowerCase()]!))
    return ' '
  })
  for (const [number] of rest.matchAll(/\d+(?:\.\d+)?/g)) add(Number(number))
  for (const [word] of rest.matchAll(/\p{L}+/gu)) {
    // An abbreviated month may be a lower-case word of another language: "set", "mar".
    const month = CAPITAL.test(word) ? monthNumber(word) : undefined
    if (month !== undefined) found.add(monthKey(month))
    const number = numberOf(word)
    // "a" and "one" rarely count anything.
    if (number > 1) add(number)
  }
  return found
}
