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
import { isSaidState, isUnfinished, phaseOfState } from '../lexicon/work.ts'
import { typesOfTerm } from '../text/kinds.ts'
import { oneLine } from '../text/signs.ts'
import { terms } from '../text/terms.ts'
import { foldText, pattern, wordsOf, wordsOfFolded } from '../text/words.ts'
import { formTerms } from './written-names.ts'

/** How a time lies to the event that tells it. */
const SIDES = ['since', 'after', 'before', 'during'] as const

/** An event by which a question tells a time: "since the incident". */
export interface EventAsked {
  side: (typeof SIDES)[number]
  /** What it is called there, without article. */
  name: string
  /** The words as they stand in the question. */
  said: string
  /** Whether it is spoken of only once it has happened, so that the first record of it is nearest to it. */
  isUnplanned: boolean
}

const DETERMINED = `(?:${anyIn('determiners')} )`
const WORDS_BEFORE = '(?:[\\p{L}\\p{N}-]+ ){0,4}?'
/** "After the depot" may be a place, so what comes after, before or in something has to be known to happen. */
const HAPPENING = pattern(
  'iu',
  `(?<![\\w-])(${SIDES.join('|')}) ${DETERMINED}{0,2}`,
  `(${WORDS_BEFORE}(?:${anyOf(HAPPENINGS)}s?|[\\p{L}]+-\\d+)(?: of (?:the )?[\\p{L}\\p{N}-]+)?)(?![\\w-])`,
)
/** What follows "since" tells a time, whatever it is called ("since the freeze"), where the clause ends after it. */
const SINCE = pattern(
  'iu',
  `(?<![\\w-])(${SIDES[0]}) ${DETERMINED}{1,2}(${WORDS_BEFORE}[\\p{L}\\p{N}-]+)`,
  `(?=\\s*(?:[?!.,;:]|$)|\\s+(?:${anyIn('coordinators')}|${anyOf(QUESTION_WORDS)})(?!\\p{L}))`,
)
/** Words that end the name of an event before it is reached, and what no record tells, as the start "of the year". */
const NOT_IN_NAME = new RegExp(`\\b${anyIn('questionWords', 'endsEventNames')}\\b`, 'i')
const UNPLANNED = new RegExp(`${anyOf(MISHAPS)}|\\d$`, 'i')

/** The event by which a question tells a time, if it does. */
export function eventAsked(text: string): EventAsked | undefined {
  for (const expected of [HAPPENING, SINCE]) {
    const [said, side = '', name = ''] = expected.exec(text) ?? []
    if (said === undefined || NOT_IN_NAME.test(name)) continue
    return { side: side.toLowerCase() as EventAsked['side'], name, said, isUnplanned: UNPLANNED.test(name) }
  }
  return undefined
}

/** What a question asks of who asks it, as facts have it: "where do I live?" */
export interface FactsAsked {
  /** The predicates that answer it. */
  readonly predicates: readonly string[]
  /** It asks how that was before. */
  readonly isFormer: boolean
}

/** Characters of a question that can be of such a form. */
const CHARS_MAX = 120
const MARKS = /[?!.,;:“”"]+/g
const IS_CLITIC = new RegExp(`\\b(${anyOf(ASKED.words)})['’]s\\b`, 'g')
const POSSESSIVE = /(\p{L})['’]s\b/gu

const whole = (source: string, behind: readonly string[]) =>
  new RegExp(`^(?:${anyOf(ASKED.before)} )*${source}(?: ${anyOf(behind)})*$`, 'u')
const BEHIND_FORMER = [...ASKED.formerBehind, ...ASKED.behind]

const NOW = formsOf(ASKED.now, ASKED.behind)
const FORMER = [...formsOf(ASKED.former, BEHIND_FORMER)]

/** Reads whether a question asks for facts of who asks, and nothing else; undefined for any other. */
export function factsAsked(question: string): FactsAsked | undefined {
  if (question.length > CHARS_MAX) return undefined
  const bare = question.toLowerCase().replace(MARKS, ' ')
  const text = oneLine(bare.replace(IS_CLITIC, `$1 ${ASKED.verb}`).replace(POSSESSIVE, '$1'))
  const told = NOW.find(({ is }) => is.test(text))
  if (told) return { predicates: [told.predicate], isFormer: false }
  const was = FORMER.find(({ is }) => is.test(text))
  return was && { predicates: [was.predicate], isFormer: true }
}

function formsOf(forms: readonly { predicate: string; form: string }[], behind: readonly string[]) {
  const byPredicate = new Map<string, string[]>()
  for (const { predicate, form } of forms) byPredicate.set(predicate, [...(byPredicate.get(predicate) ?? []), form])
  return [...byPredicate].map(([predicate, all]) => ({ predicate, is: whole(`(?:${all.join('|')})`, behind) }))
}

/** What a question is asked of that rows may answer. */
export interface RowsKnown {
  /**
   * The nouns by which rows are called, in the singular and the plural: "issue", "pull requests"; left out where the
   * kinds of the records are not known.
   */
  rowNouns?: readonly string[] | undefined
}

/** Words between "which" and the rows that it asks for: "which of the open, urgent issues". */
const WORDS_BEFORE_NOUN_MAX = 6
/** Words of a question that are looked at; the grammar of rows reads no longer one. */
const ROW_WORDS_MAX = 60

const LEADS = pattern('', '(?:^| )', anyOf(ROW_LEADS), '(?: |$)')
const BEST = pattern('', ' ', anyOf(SUPERLATIVES), ' ')
const ASKS_WHICH = `^(?:${anyIn('beforeWhich')} )?${anyIn('asksWhich')}`
const WHICH_FIRST = new RegExp(`${ASKS_WHICH} `)
/** The words before the noun of the rows that are asked for: "which of the open …", but not "what did Ana …". */
const WHICH = pattern('', `${ASKS_WHICH}(?: (?!${anyOf(AUXILIARIES)} )\\S+){0,${WORDS_BEFORE_NOUN_MAX}} $`)
/** People are rows too, whom "who" asks for without their noun. */
const WHO_IS = new RegExp(`^${anyIn('whoRows')} `)
const PEOPLE = 'people'

/**
 * Whether a question has the form of one for a count, a list, groups or an extreme of rows that there are. Rows answer
 * it when their grammar explains every word of it.
 */
export function asksRows(question: string, { rowNouns }: RowsKnown): boolean {
  const words = wordsOf(question).slice(0, ROW_WORDS_MAX)
  const said = ` ${words.map(({ text }) => text).join(' ')} `
  const plain = said.trimStart()
  if (WHO_IS.test(plain)) return rowNouns === undefined || rowNouns.includes(PEOPLE)
  const isForm = LEADS.test(plain) || BEST.test(said)
  if (rowNouns === undefined) return isForm || WHICH_FIRST.test(plain)
  const named = rowNouns.map((noun) => said.indexOf(` ${noun} `)).filter((at) => at >= 0)
  if (named.length === 0) return false
  if (isForm) return true
  return named.some((at) => WHICH.test(said.slice(1, at + 1)))
}

/** Words of a longer question say more than what it asks for. */
const PHASE_WORDS_MAX = 8
/** The most words of one state: "in progress". */
const STATE_WORDS_MAX = 2
const ASKED_PHASE = new RegExp(`^${anyOf(PHASES, inAll('asksPhaseOpen'), inAll('asksPhaseDone'))}$`)
const UNFINISHED = PHASES.filter(isUnfinished)
const isForm = formTerms(false, terms)
const callsTasks = (term: string) => typesOfTerm(term).includes('task')

/**
 * The phases of work that a question asks for everything in, by nothing but a phase, of tasks or of anything: "What is
 * still open?", "Which tasks are done?". Undefined for one that says more, or less.
 */
export function phasesAsked(text: string, kind: QuestionKind): readonly Phase[] | undefined {
  const words = wordsOfFolded(foldText(text)).map((word) => word.text.toLowerCase())
  if (words.length === 0 || words.length > PHASE_WORDS_MAX) return undefined
  const { state, others } = takeState(words)
  if (!others.every((word) => terms(word).every((term) => isForm(term) || callsTasks(term)))) return undefined
  const phase = state === undefined ? undefined : phaseOfState(state)
  // "What has not been done?" asks for what is open, with the state that it is not in.
  if (kind === 'open') return UNFINISHED
  if (phase === undefined || !ASKED_PHASE.test(state!)) return undefined
  return phase === 'open' ? UNFINISHED : [phase]
}

/** The first state that the words say, and the others. */
function takeState(words: readonly string[]): { state?: string; others: readonly string[] } {
  for (let length = STATE_WORDS_MAX; length > 0; length -= 1) {
    for (let at = 0; at + length <= words.length; at += 1) {
      const state = words.slice(at, at + length).join(' ')
      if (isSaidState(state) || ASKED_PHASE.test(state)) return { state, others: words.toSpliced(at, length) }
    }
  }
  return { others: words }
}

/** What a question takes from the talk that it is asked in. */
export interface Talk {
  /** What the latest turns said, oldest first. */
  turns: string[]
  /** The questions before this one, oldest first. */
  questions: string[]
  /** What it is about by the questions before it; empty when it says so itself. */
  subject: string
}

const REFERS = new RegExp(`\\b(?:${anyOf(STANDING_FOR)}|${anyIn('pointingWords')})\\b`, 'i')
const OPENS = pattern('i', `^\\W*${anyIn('talkOpenings')}\\b|^\\W*${anyIn('talkAlone', 'questionWords')}\\W*$`)
/** "What is still open?" says too little by itself; a name or a number says enough. */
const TELLING_TERMS_MIN = 3
const NAMES = /\S\s+["'(“]?\p{Lu}|\d/u
/** Characters of earlier questions that are read for what they are about, which the brief looks for in every record. */
const SUBJECT_CHARS = 1_000
/** Questions that are looked back to for a subject. */
const LOOKED_BACK = 3

/** Reads the turns before a question. */
export function readTalk(query: string, history: readonly ChatMessage[] | undefined): Talk {
  const questions = historyTexts(history?.filter(({ role }) => role === 'user'))
  return { turns: historyTexts(history), questions, subject: leansBack(query) ? subjectOf(questions) : '' }
}

/** Whether a question says only with those before it what it is about: "and who owns it?" */
function leansBack(question: string): boolean {
  const query = question.slice(0, SUBJECT_CHARS)
  if (REFERS.test(query) || OPENS.test(query)) return true
  return !NAMES.test(query) && terms(query).length < TELLING_TERMS_MIN
}

/** The latest question that says what it is about, and those after it that lean on it, shortened. */
function subjectOf(questions: readonly string[]): string {
  const latest = questions.slice(-LOOKED_BACK)
  const from = latest.findLastIndex((question) => !leansBack(question))
  return latest.slice(Math.max(0, from)).join(' ').slice(0, SUBJECT_CHARS)
}

/**
 * What the latest turns said, oldest first, each up to `TURN_CHARS_READ`. Instructions of a `system` turn are not part
 * of the question.
 */
function historyTexts(history: readonly ChatMessage[] | undefined): string[] {
  return (history ?? [])
    .slice(-HISTORY_TURNS)
    .filter((turn) => turn.role !== 'system')
    .map((turn) => turn.content.slice(0, TURN_CHARS_READ))
}

/** Characters of one turn that are read: what a question is about stands at its beginning. */
const TURN_CHARS_READ = 4_000
