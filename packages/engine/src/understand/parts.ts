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
import { plainLine } from '../text/clean-text.ts'
import { topicsAsked } from '../text/kinds.ts'
import { oneLine, withoutPossessive } from '../text/signs.ts'
import { aspectsOf, type Beside, kindOf, type Question, readQuestion, readSaid, splitClauses } from './question.ts'
import { aboutTerms } from './question-terms.ts'
import { questionText } from './wording.ts'
import { namesWritten, type WrittenName } from './written-names.ts'

// Words that say what the first part asks and not what it is about; they do not carry over to the next part.
const ASKING = new RegExp(`\\b${anyIn('questionWords', 'askingWords')}\\b`, 'gi')

/** A question as a whole, and its parts in the order asked; none when it has one part only. */
export interface AskedParts {
  whole: Question
  parts: readonly Question[]
  /** What a refusal can say of it. */
  spelt: Spelt
}

/** Reads what a question asks for; `termsOf` gives the terms of a text, and `written` is how it was typed. */
export function readAsked(
  text: string,
  termsOf: (text: string) => string[],
  beside: Beside = {},
  written = text,
): AskedParts {
  const whole = readQuestion(text, termsOf, beside)
  return { whole, parts: readParts(whole, termsOf), spelt: speltIn(written, whole, termsOf) }
}

/** The parts in the order asked, each with the subject of the first. */
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
        ? readSaid(clause, inTalk, termsOf)
        : readSaid(`${clause} ${subject}`, `${clause} ${inTalk}`, termsOf)),
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

/** A question as it was written, as far as a refusal repeats it. */
export interface Spelt {
  /** In one line without quotation marks of its own, cut where it is longer than may be repeated. */
  readonly echo: string
  /** What it writes as names are written; in capitals alone names look like all other words. */
  readonly names: readonly WrittenName[]
  /** What else it is about, as far as that is surely a thing. */
  readonly things: readonly string[]
  /**
   * What the question asks for, as the words that follow "Nothing here says". Undefined where they would not surely be
   * English.
   */
  readonly unsaid?: string
}

/** Characters of a question that a refusal repeats. */
export const ECHO_CHARS_MAX = 120
const ELLIPSIS = '…'

/** The parts of a question that a refusal may repeat, in the spelling of whoever asked. */
function speltIn(written: string, question: Question, termsOf: (text: string) => string[]): Spelt {
  const names = written === written.toUpperCase() ? [] : namesWritten(written, termsOf)
  const unsaid = question.isForeign || written.length > ECHO_CHARS_MAX ? undefined : unsaidIn(written, names)
  return {
    echo: echo(written),
    names,
    things: nounPhrases(written, question, termsOf),
    ...(unsaid !== undefined && { unsaid: plainLine(unsaid) }),
  }
}

function echo(question: string): string {
  const line = [...plainLine(question).replace(/[“”]/g, '"')]
  if (line.length <= ECHO_CHARS_MAX) return line.join('')
  const cut = line.slice(0, ECHO_CHARS_MAX - ELLIPSIS.length).join('')
  return `${cut.trimEnd()}${ELLIPSIS}`
}

/** A word of a question, in lower case, with its place; a break is anything but a space before the next one. */
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
 * The things that an English question is about, as it spells them: words of its subject that stand where only a noun
 * can. After an article or preposition that is one word alone, as a verb may follow the noun ("does the boat leak"),
 * or several where the verb came before ("who owns the red boat"); after "which" and "how many" it is all before the
 * verb. Whatever could be a verb is left out, and so are questions in other languages.
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

/** Whether words of the subject, with none before or after them, are a noun and what describes it. */
function isPhrase(words: readonly Word[], from: number, to: number): boolean {
  const before = wordBefore(words, from)!
  const after = words[to]!.isBeforeBreak ? undefined : words[to + 1]
  if (ASKS.has(before.text)) return after !== undefined && VERBS.has(after.text)
  if (!OPENS.has(before.text) || JOINING.has(after?.text ?? '') || EXTREMES.has(words[to]!.text)) return false
  if (from === to) return true
  const lead = wordBefore(words, from - 1)
  // "for the red boat", "about red boats"
  if (!OF_NOUNS.has(before.text) || (lead !== undefined && OPENS.has(lead.text))) return true
  // "Who owns the red boat?" has its verb where other questions have an auxiliary.
  return lead?.isAbout === true && QUESTION_WORDS.includes(wordBefore(words, from - 2)?.text ?? '')
}

const BEING: ReadonlySet<string> = new Set(BE)
/** Those that ask for a thing, behind which a form of "be" may have nothing but its name. */
const ASKS_THING = /^wh(?:o|at)$/
/** One clause, as far as its signs tell. */
const CLAUSE = /^\s*([^?!.,;:"“”()]+?)\s*\?*\s*$/u
/** The ends of a word that may say what somebody does. */
const MAY_BE_VERB = /(?:ed|ing)$/i

/**
 * What an English question asks for, as "nothing here says …" goes on: "what Lena's shoe size is", "when Sunil Rao was
 * born", "who pays Ines"; nothing where its words do not surely make such a clause.
 */
function unsaidIn(written: string, names: readonly WrittenName[]): string | undefined {
  const words = CLAUSE.exec(written)?.[1]?.split(/\s+/) ?? []
  const [first = '', second = '', ...others] = words.map((word) => word.toLowerCase())
  if (!QUESTION_WORDS.includes(first) || others.length === 0) return undefined
  const asks = [first, ...words.slice(1)]
  const verb = asks.findIndex((word) => VERBS.has(word))
  // What asks for its subject has the order of a statement.
  if (verb < 0) return ASKS_THING.test(first) && !STOP_WORDS.has(second) ? asks.join(' ') : undefined
  const rest = words.slice(verb + 1)
  // Of the auxiliaries "do" alone changes the verb behind it.
  if (asks[verb]!.startsWith('d') || rest.some((word) => VERBS.has(word))) return undefined
  const isOfThing = verb === 1 && ASKS_THING.test(first) && BEING.has(second)
  const name = names.find(({ text }) => rest.join(' ').startsWith(text))
  const length = name ? nameLength(rest, name, isOfThing) : ARTICLE.has(rest[0] ?? '') ? nounLength(rest) : 0
  if (length === 0) return undefined
  return [...asks.slice(0, verb), ...rest.slice(0, length), words[verb], ...rest.slice(length)].join(' ')
}

/** Words of the subject that a name opens: with what is somebody's, all that is left. */
function nameLength(rest: readonly string[], { text }: WrittenName, isOfThing: boolean): number {
  const length = text.split(' ').length
  const isOwner = rest.slice(0, length).join(' ') !== text
  const isPredicate = MAY_BE_VERB.test(rest.at(-1)!)
  if (isOwner) return rest.length > length && !isPredicate ? rest.length : 0
  return rest.length === length || isPredicate || !isOfThing ? length : 0
}

/** Words of the subject that an article opens, where all that is left is surely that. */
function nounLength(rest: readonly string[]): number {
  const isPredicate = MAY_BE_VERB.test(rest.at(-1)!) || STOP_WORDS.has(rest.at(-1)!)
  const isWhole = rest.length === 2 || STOP_WORDS.has(rest[2] ?? '')
  return isWhole && !isPredicate ? rest.length : 0
}
