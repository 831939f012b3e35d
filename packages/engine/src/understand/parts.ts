import {
  ARTICLES,
  AUXILIARIES,
  anyIn,
  BE,
  BEFORE_NOUNS,
  COORDINATORS,
  DETERMINERS,
  MEASURES,
  QUESTION_WORDS,
  STOP_WORDS,
  SUPERLATIVES,
} from '../lexicon/languages.ts'
import { oneLine, withoutPossessive } from '../text/characters.ts'
import { plainLine } from '../text/clean-text.ts'
import { topicsAsked } from '../text/kinds.ts'
import {
  analyseText,
  aspectsOf,
  kindOf,
  type Question,
  type QuestionContext,
  readQuestion,
  splitClauses,
} from './question.ts'
import { aboutTerms } from './question-terms.ts'
import { questionText } from './wording.ts'
import { findCapitalizedNames, type WrittenName } from './written-names.ts'

// Words that form a question and are not its subject. The next part of the question does not inherit them.
const ASKING = new RegExp(`\\b${anyIn('questionWords', 'askingWords')}\\b`, 'gi')

/** A question as a whole, and its parts in order; empty if it has only one part. */
export interface QuestionParts {
  whole: Question
  parts: readonly Question[]
  /** Texts for the message that is returned if the question is not answered. */
  spelt: QuestionSpelling
}

/** Analyzes a question. `termsOf` returns the terms of a text, and `written` is the original spelling. */
export function analyseParts(
  text: string,
  termsOf: (text: string) => string[],
  beside: QuestionContext = {},
  written = text,
): QuestionParts {
  const whole = readQuestion(text, termsOf, beside)
  return { whole, parts: readParts(whole, termsOf), spelt: spellingIn(written, whole, termsOf) }
}

/** Returns the parts in order. Each later part gets the subject of the first. */
function readParts(question: Question, termsOf: (text: string) => string[]): Question[] {
  const clauses = splitClauses(questionText(question.wording))
  if (clauses.length < 2) return []
  const inTalk = questionText(question.wordingInTalk)
  const subject = oneLine(clauses[0]!.replace(ASKING, ' '))
  const parts = clauses.flatMap((clause, at): Question[] => {
    const lower = clause.toLowerCase()
    const kind = kindOf(lower)
    if (kind === undefined) return []
    const own = new Set(termsOf(clause))
    const carried = new Set(at === 0 ? [] : termsOf(subject).filter((term) => !own.has(term)))
    const part: Question = {
      ...(at === 0
        ? analyseText(clause, inTalk, termsOf)
        : analyseText(`${clause} ${subject}`, `${clause} ${inTalk}`, termsOf)),
      kind,
      kinds: [kind],
      terms: [...own, ...carried],
      carried,
      about: aboutTerms(`${clause} ${at === 0 ? '' : subject}`, termsOf),
      isForeign: question.isForeign,
      aspects: aspectsOf(lower),
      topics: topicsAsked(lower),
    }
    return [question.times ? { ...part, times: question.times } : part]
  })
  return parts.length < 2 ? [] : parts
}

/** Phrases of a question, as written, that a message can repeat. */
export interface QuestionSpelling {
  /** The question in one line without quotation marks, shortened to the maximum length. */
  readonly echo: string
  /** Capitalized names; empty if everything is in capitals. */
  readonly names: readonly WrittenName[]
  /** Subjects other than names. Each is certainly a noun. */
  readonly nouns: readonly string[]
  /** A clause that completes "Nothing here says …". Undefined if the words might not form an English clause. */
  readonly missing?: string
}

/** Maximum number of characters of a question that a message repeats. */
export const ECHO_CHARS_MAX = 120
const ELLIPSIS = '…'

/** Returns the phrases of a question that a message can repeat, as written. */
function spellingIn(written: string, question: Question, termsOf: (text: string) => string[]): QuestionSpelling {
  const names = written === written.toUpperCase() ? [] : findCapitalizedNames(written, termsOf)
  const unsaid = question.isForeign || written.length > ECHO_CHARS_MAX ? undefined : missingClause(written, names)
  return {
    echo: echoOf(written),
    names,
    nouns: nounPhrases(written, question, termsOf),
    ...(unsaid !== undefined && { missing: plainLine(unsaid) }),
  }
}

function echoOf(question: string): string {
  const line = [...plainLine(question).replace(/[“”]/g, '"')]
  if (line.length <= ECHO_CHARS_MAX) return line.join('')
  const cut = line.slice(0, ECHO_CHARS_MAX - ELLIPSIS.length).join('')
  return `${cut.trimEnd()}${ELLIPSIS}`
}

/**
 * A word of a question in lower case with its offsets. `isBeforeBreak` is true if more than a space separates it from
 * the next word.
 */
interface Word {
  readonly text: string
  readonly from: number
  readonly to: number
  readonly isAbout: boolean
  readonly isBeforeBreak: boolean
}

const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}'’.&#_-]*/gu
const VERBS: ReadonlySet<string> = new Set([...AUXILIARIES, ...BE])
const ASKS: ReadonlySet<string> = new Set([...QUESTION_WORDS, ...MEASURES])
const OPENS: ReadonlySet<string> = new Set(BEFORE_NOUNS)
const ARTICLE: ReadonlySet<string> = new Set(ARTICLES)
const OF_NOUNS: ReadonlySet<string> = new Set([...ARTICLES, ...DETERMINERS])
const JOINING: ReadonlySet<string> = new Set(COORDINATORS)
const EXTREMES: ReadonlySet<string> = new Set(SUPERLATIVES)

/**
 * Returns the noun phrases that an English question is about, as written. A phrase is used only in a position where a
 * noun is certain. After an article or preposition it is one word, because a verb may follow ("does the boat leak"). It
 * has several words if the verb came before ("who owns the red boat"). After "which" and "how many" it extends to the
 * verb. Possible verbs and questions in other languages are excluded.
 */
function nounPhrases(query: string, question: Question, termsOf: (text: string) => string[]): string[] {
  if (question.isForeign) return []
  const words = wordsOf(query, question, termsOf)
  return words.flatMap((word, at): string[] => {
    const before = wordBefore(words, at)
    if (!word.isAbout || before === undefined || before.isAbout) return []
    let end = at
    while (!words[end]!.isBeforeBreak && words[end + 1]?.isAbout) end += 1
    if (!isPhrase(words, at, end)) return []
    return [query.slice(ARTICLE.has(before.text) ? before.from : word.from, words[end]!.to)]
  })
}

function wordsOf(query: string, { about }: Question, termsOf: (text: string) => string[]): Word[] {
  const found = [...query.matchAll(WORD)].map(({ index, 0: said }) => {
    const bare = withoutPossessive(said)
    const isAbout = termsOf(bare).some((term) => about.includes(term))
    return { text: bare.toLowerCase(), from: index, to: index + bare.length, end: index + said.length, isAbout }
  })
  return found.map(({ end, ...word }, at) => {
    const gap = query.slice(word.to, found[at + 1]?.from ?? end)
    return { ...word, isBeforeBreak: gap.trim() !== '' || at === found.length - 1 }
  })
}

function wordBefore(words: readonly Word[], at: number): Word | undefined {
  const before = words[at - 1]
  return before?.isBeforeBreak ? undefined : before
}

/** Returns true if a maximal sequence of topic words is a noun with its modifiers. */
function isPhrase(words: readonly Word[], from: number, to: number): boolean {
  const before = wordBefore(words, from)!
  const after = words[to]!.isBeforeBreak ? undefined : words[to + 1]
  if (ASKS.has(before.text)) return after !== undefined && VERBS.has(after.text)
  if (!OPENS.has(before.text) || JOINING.has(after?.text ?? '') || EXTREMES.has(words[to]!.text)) return false
  if (from === to) return true
  const lead = wordBefore(words, from - 1)
  // Examples: "for the red boat", "about red boats".
  if (!OF_NOUNS.has(before.text) || (lead !== undefined && OPENS.has(lead.text))) return true
  // In "Who owns the red boat?" the verb is in the position of an auxiliary.
  return lead?.isAbout === true && QUESTION_WORDS.includes(wordBefore(words, from - 2)?.text ?? '')
}

const BEING: ReadonlySet<string> = new Set(BE)
/** Question words for an entity. After them and a form of "be", the rest of the question may be just its name. */
const ASKS_THING = /^wh(?:o|at)$/
/** Matches a text whose punctuation is that of a single clause. */
const CLAUSE = /^\s*([^?!.,;:"“”()]+?)\s*\?*\s*$/u
/** Word endings of possible verbs. */
const MAY_BE_VERB = /(?:ed|ing)$/i

/**
 * Returns a clause that completes "Nothing here says …" for an English question: "what Lena's shoe size is", "when
 * Sunil Rao was born", "who pays Ines". Returns undefined if the words might not form a clause.
 */
function missingClause(written: string, names: readonly WrittenName[]): string | undefined {
  const words = CLAUSE.exec(written)?.[1]?.split(/\s+/) ?? []
  const [first = '', second = '', ...others] = words.map((word) => word.toLowerCase())
  if (!QUESTION_WORDS.includes(first) || others.length === 0) return undefined
  const asks = [first, ...words.slice(1)]
  const verb = asks.findIndex((word) => VERBS.has(word))
  // A question that asks for the subject already has the word order of a statement.
  if (verb < 0) return ASKS_THING.test(first) && !STOP_WORDS.has(second) ? asks.join(' ') : undefined
  const rest = words.slice(verb + 1)
  // Only the auxiliary "do" changes the form of the main verb.
  if (asks[verb]!.startsWith('d') || rest.some((word) => VERBS.has(word))) return undefined
  const asksForEntity = verb === 1 && ASKS_THING.test(first) && BEING.has(second)
  const name = names.find(({ text }) => rest.join(' ').startsWith(text))
  const length = name ? nameLength(rest, name, asksForEntity) : ARTICLE.has(rest[0] ?? '') ? nounLength(rest) : 0
  if (length === 0) return undefined
  return [...asks.slice(0, verb), ...rest.slice(0, length), words[verb], ...rest.slice(length)].join(' ')
}

/**
 * Returns the number of words of a subject that begins with a name. After a possessive ("Lena's"), all remaining words
 * belong to the subject.
 */
function nameLength(rest: readonly string[], { text }: WrittenName, asksForEntity: boolean): number {
  const length = text.split(' ').length
  const isOwner = rest.slice(0, length).join(' ') !== text
  const isPredicate = MAY_BE_VERB.test(rest.at(-1)!)
  if (isOwner) return rest.length > length && !isPredicate ? rest.length : 0
  return rest.length === length || isPredicate || !asksForEntity ? length : 0
}

/** Returns the number of words of a subject that begins with an article, or 0 if the rest may include a predicate. */
function nounLength(rest: readonly string[]): number {
  const isPredicate = MAY_BE_VERB.test(rest.at(-1)!) || STOP_WORDS.has(rest.at(-1)!)
  const isWhole = rest.length === 2 || STOP_WORDS.has(rest[2] ?? '')
  return isWhole && !isPredicate ? rest.length : 0
}
