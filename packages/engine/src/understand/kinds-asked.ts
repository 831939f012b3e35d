import { type ChatMessage, HISTORY_TURNS, PHASES, type Phase } from '@cairnstore/contract'
import type { QuestionKind } from '../lexicon/asked.ts'
import { anyOf } from '../lexicon/entries.ts'
import { ASKED } from '../lexicon/facts.ts'
import {
  AUXILIARIES,
  anyIn,
  HAPPENINGS,
  inAll,
  MISHAPS,
  QUESTION_WORDS,
  ROW_LEADS,
  STANDING_FOR,
  SUPERLATIVES,
} from '../lexicon/languages.ts'
import { isStateWord, isUnfinished, phaseOfState } from '../lexicon/work.ts'
import { oneLine } from '../text/characters.ts'
import { typesOfTerm } from '../text/kinds.ts'
import { terms } from '../text/terms.ts'
import { foldText, pattern, wordsOf, wordsOfFolded } from '../text/words.ts'
import { formTerms } from './written-names.ts'

/** Positions of a time relative to the event that defines it. */
const SIDES = ['since', 'after', 'before', 'during'] as const

/** An event that defines the time of a question: "since the incident". */
export interface QuestionEvent {
  side: (typeof SIDES)[number]
  /** Name of the event in the question, without the article. */
  name: string
  /** The time expression as written in the question. */
  said: string
  /**
   * True if the event is unplanned. Such an event is mentioned only after it happened, so the earliest record that
   * mentions it is the closest in time.
   */
  isUnplanned: boolean
}

const DETERMINED = `(?:${anyIn('determiners')} )`
const WORDS_BEFORE = '(?:[\\p{L}\\p{N}-]+ ){0,4}?'
/** The noun after "after", "before" or "during" must be a kind of event: "after the depot" may be a place. */
const HAPPENING = pattern(
  'iu',
  `(?<![\\w-])(${SIDES.join('|')}) ${DETERMINED}{0,2}`,
  `(${WORDS_BEFORE}(?:${anyOf(HAPPENINGS)}s?|[\\p{L}]+-\\d+)(?: of (?:the )?[\\p{L}\\p{N}-]+)?)(?![\\w-])`,
)
/** A noun phrase after "since" that ends the clause is always a time: "since the freeze". */
const SINCE = pattern(
  'iu',
  `(?<![\\w-])(${SIDES[0]}) ${DETERMINED}{1,2}(${WORDS_BEFORE}[\\p{L}\\p{N}-]+)`,
  `(?=\\s*(?:[?!.,;:]|$)|\\s+(?:${anyIn('coordinators')}|${anyOf(QUESTION_WORDS)})(?!\\p{L}))`,
)
/**
 * Matches words that do not occur in names of events, and times such as "the start of the year", which no record
 * describes as an event.
 */
const NOT_IN_NAME = new RegExp(`\\b${anyIn('questionWords', 'endsEventNames')}\\b`, 'i')
const UNPLANNED = new RegExp(`${anyOf(MISHAPS)}|\\d$`, 'i')

/** Returns the event that defines the time in a question, or undefined. */
export function findEvent(text: string): QuestionEvent | undefined {
  for (const expected of [HAPPENING, SINCE]) {
    const [said, side = '', name = ''] = expected.exec(text) ?? []
    if (said === undefined || NOT_IN_NAME.test(name)) continue
    return { side: side.toLowerCase() as QuestionEvent['side'], name, said, isUnplanned: UNPLANNED.test(name) }
  }
  return undefined
}

/** A question about the user that facts can answer: "where do I live?" */
export interface RequestedFacts {
  /** Predicates of the facts that answer it. */
  readonly predicates: readonly string[]
  /** True if it asks for previous facts. */
  readonly isFormer: boolean
}

/** Maximum length, in characters, of a question that facts about the user can answer. */
const CHARS_MAX = 120
const MARKS = /[?!.,;:“”"]+/g
const IS_CLITIC = new RegExp(`\\b(${anyOf(ASKED.words)})['’]s\\b`, 'g')
const POSSESSIVE = /(\p{L})['’]s\b/gu

const whole = (source: string, behind: readonly string[]) =>
  new RegExp(`^(?:${anyOf(ASKED.before)} )*${source}(?: ${anyOf(behind)})*$`, 'u')
const BEHIND_FORMER = [...ASKED.formerBehind, ...ASKED.behind]

const NOW = formsOf(ASKED.now, ASKED.behind)
const FORMER = [...formsOf(ASKED.former, BEHIND_FORMER)]

/** Recognizes a question that asks for facts about the user and nothing else. Returns undefined for any other. */
export function factsAsked(question: string): RequestedFacts | undefined {
  if (question.length > CHARS_MAX) return undefined
  const bare = question.toLowerCase().replace(MARKS, ' ')
  const text = oneLine(bare.replace(IS_CLITIC, `$1 ${ASKED.verb}`).replace(POSSESSIVE, '$1'))
  const current = NOW.find(({ is }) => is.test(text))
  if (current) return { predicates: [current.predicate], isFormer: false }
  const former = FORMER.find(({ is }) => is.test(text))
  return former && { predicates: [former.predicate], isFormer: true }
}

function formsOf(forms: readonly { predicate: string; form: string }[], behind: readonly string[]) {
  const byPredicate = new Map<string, string[]>()
  for (const { predicate, form } of forms) byPredicate.set(predicate, [...(byPredicate.get(predicate) ?? []), form])
  return [...byPredicate].map(([predicate, all]) => ({ predicate, is: whole(`(?:${all.join('|')})`, behind) }))
}

/** Information about the tables that could answer a question. */
export interface KnownRows {
  /** Nouns for rows, in singular and plural: "issue", "pull requests". Omitted if the record types are unknown. */
  rowNouns?: readonly string[] | undefined
}

/** Maximum number of words between "which" and the noun for rows: "which of the open, urgent issues". */
const WORDS_BEFORE_NOUN_MAX = 6
/** Maximum number of words that are examined. The query parser rejects longer questions. */
const ROW_WORDS_MAX = 60

const LEADS = pattern('', '(?:^| )', anyOf(ROW_LEADS), '(?: |$)')
const BEST = pattern('', ' ', anyOf(SUPERLATIVES), ' ')
const ASKS_WHICH = `^(?:${anyIn('beforeWhich')} )?${anyIn('asksWhich')}`
const WHICH_FIRST = new RegExp(`${ASKS_WHICH} `)
/** Matches the words before the noun of the requested rows: "which of the open …", but not "what did Ana …". */
const WHICH = pattern('', `${ASKS_WHICH}(?: (?!${anyOf(AUXILIARIES)} )\\S+){0,${WORDS_BEFORE_NOUN_MAX}} $`)
/** Matches questions that ask for people. People are rows too, and "who" takes the place of their noun. */
const WHO_IS = new RegExp(`^${anyIn('whoRows')} `)
const PEOPLE = 'people'
const WHO_FIRST = new RegExp(`^${anyIn('asksWho')} `)

/** Returns true for the form of a table query. Rows answer it only if the grammar explains every word. */
export function asksRows(question: string, { rowNouns }: KnownRows): boolean {
  const words = wordsOf(question).slice(0, ROW_WORDS_MAX)
  const said = ` ${words.map(({ text }) => text).join(' ')} `
  const plain = said.trimStart()
  if (WHO_IS.test(plain)) return rowNouns === undefined || rowNouns.includes(PEOPLE)
  const isForm = LEADS.test(plain) || BEST.test(said)
  if (rowNouns === undefined) return isForm || WHICH_FIRST.test(plain) || WHO_FIRST.test(plain)
  const named = rowNouns.map((noun) => said.indexOf(` ${noun} `)).filter((at) => at >= 0)
  if (named.length === 0) return false
  if (isForm) return true
  return named.some((at) => WHICH.test(said.slice(1, at + 1)))
}

/** Maximum number of words. A longer question asks for more than a phase. */
const PHASE_WORDS_MAX = 8
/** Maximum number of words of a state: "in progress". */
const STATE_WORDS_MAX = 2
const ASKED_PHASE = new RegExp(`^${anyOf(PHASES, inAll('asksPhaseOpen'), inAll('asksPhaseDone'))}$`)
const UNFINISHED = PHASES.filter(isUnfinished)
const isForm = formTerms(false, terms)
const callsTasks = (term: string) => typesOfTerm(term).includes('task')

/**
 * Returns the phases if a question asks for everything in a phase of work and has no other topic: "What is still
 * open?", "Which tasks are done?". Returns undefined for any other question.
 */
export function phasesAsked(text: string, kind: QuestionKind): readonly Phase[] | undefined {
  const words = wordsOfFolded(foldText(text)).map((word) => word.text.toLowerCase())
  if (words.length === 0 || words.length > PHASE_WORDS_MAX) return undefined
  const { state, others } = splitState(words)
  if (!others.every((word) => terms(word).every((term) => isForm(term) || callsTasks(term)))) return undefined
  const phase = state === undefined ? undefined : phaseOfState(state)
  // "What has not been done?" asks for open work, although it names the other state.
  if (kind === 'open') return UNFINISHED
  if (phase === undefined || !ASKED_PHASE.test(state!)) return undefined
  return phase === 'open' ? UNFINISHED : [phase]
}

/** Returns the first state in the words and the remaining words. */
function splitState(words: readonly string[]): { state?: string; others: readonly string[] } {
  for (let length = STATE_WORDS_MAX; length > 0; length -= 1) {
    for (let at = 0; at + length <= words.length; at += 1) {
      const state = words.slice(at, at + length).join(' ')
      if (isStateWord(state) || ASKED_PHASE.test(state)) return { state, others: words.toSpliced(at, length) }
    }
  }
  return { others: words }
}

/** Conversation context of a question. */
export interface Conversation {
  /** Texts of the latest turns, oldest first. */
  turns: string[]
  /** Earlier questions, oldest first. */
  questions: string[]
  /** Subject taken from earlier questions; empty if the question states its own. */
  subject: string
}

const REFERS = new RegExp(`\\b(?:${anyOf(STANDING_FOR)}|${anyIn('pointingWords')})\\b`, 'i')
const OPENS = pattern('i', `^\\W*${anyIn('talkOpenings')}\\b|^\\W*${anyIn('talkAlone', 'questionWords')}\\W*$`)
/**
 * Minimum number of terms of a question that can be understood without earlier ones. "What is still open?" has too few.
 * A name or a number is enough.
 */
const STANDALONE_TERMS_MIN = 3
const NAMES = /\S\s+["'(“]?\p{Lu}|\d/u
/** Maximum number of characters of the subject. All records are searched for its terms. */
const SUBJECT_CHARS = 1_000
/** Maximum number of earlier questions that are searched for a subject. */
const EARLIER_QUESTIONS_MAX = 3

/** Reads the conversation before a question. */
export function readConversation(query: string, history: readonly ChatMessage[] | undefined): Conversation {
  const questions = historyTexts(history?.filter(({ role }) => role === 'user'))
  return { turns: historyTexts(history), questions, subject: refersBack(query) ? subjectOf(questions) : '' }
}

/** Returns true if a question can be understood only together with earlier ones: "and who owns it?" */
function refersBack(question: string): boolean {
  const query = question.slice(0, SUBJECT_CHARS)
  if (REFERS.test(query) || OPENS.test(query)) return true
  return !NAMES.test(query) && terms(query).length < STANDALONE_TERMS_MIN
}

/** Returns the latest question with its own subject and the questions after it, shortened. */
function subjectOf(questions: readonly string[]): string {
  const latest = questions.slice(-EARLIER_QUESTIONS_MAX)
  const from = latest.findLastIndex((question) => !refersBack(question))
  return latest.slice(Math.max(0, from)).join(' ').slice(0, SUBJECT_CHARS)
}

/** Returns the texts of the latest turns, oldest first, each up to `TURN_CHARS_READ`, without `system`. */
function historyTexts(history: readonly ChatMessage[] | undefined): string[] {
  return (history ?? [])
    .slice(-HISTORY_TURNS)
    .filter((turn) => turn.role !== 'system')
    .map((turn) => turn.content.slice(0, TURN_CHARS_READ))
}

/** Maximum number of characters of a turn that are read. The topic is at its beginning. */
const TURN_CHARS_READ = 4_000
