import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }
import { anyOf, entriesOf, type Written } from './entries.ts'
import es from './es.json' with { type: 'json' }
import fr from './fr.json' with { type: 'json' }
import it from './it.json' with { type: 'json' }
import ja from './ja.json' with { type: 'json' }
import nl from './nl.json' with { type: 'json' }
import pt from './pt.json' with { type: 'json' }
import zh from './zh.json' with { type: 'json' }

/** Purpose of a word list. */
export type Idea =
  | keyof typeof en
  | 'endings'
  | 'asksNoYesNo'
  | 'beforeOrdinals'
  | 'monthStarts'
  | 'timePhrases'
  | 'timeUnits'
  | 'timeNumbers'
  | 'dayNames'
  | 'dateArticles'
  | 'dateLinks'
/** Supported languages. A language may lack some of the lists. */
export const LANGUAGES: readonly Partial<Record<Idea, Written>>[] = [en, de, fr, es, it, pt, nl, zh, ja]

/** Returns the entries of all languages for a purpose. */
export function inAll(idea: Idea): string[] {
  return LANGUAGES.flatMap((language) => entriesOf(language[idea]))
}

/** Returns the pattern source that matches any entry of any language for some purposes. */
export function anyIn(...ideas: readonly Idea[]): string {
  return anyOf(ideas.flatMap(inAll))
}

function without(words: readonly string[], others: readonly string[]): string[] {
  return words.filter((word) => !others.includes(word))
}

/** English months in order, each with its spellings, the full name first. */
const MONTHS = entriesOf(en.months).map((spellings) => spellings.split('/'))
/** English month names in order: "January". */
export const MONTH_NAMES: readonly string[] = MONTHS.map(([name]) => name!)
/** Pattern source for an English month, in full or abbreviated. */
export const MONTH = anyOf(...MONTHS)
/** All spellings of months in any language, with their numbers from 1 to 12. */
export const MONTH_NUMBERS: readonly (readonly [string, number])[] = LANGUAGES.flatMap(({ months }) =>
  entriesOf(months).flatMap((spellings, at) => spellings.split('/').map((name) => [name, at + 1] as const)),
)
/** Languages whose month names are taken from ICU, in addition to the lexicon's spellings. */
export const ICU_LANGUAGES = 'en de fr es it pt nl sv da nb fi is pl cs sk hu ro hr sl bg ru uk el tr id'.split(' ')
/** English weekdays, from Sunday. */
export const WEEKDAYS = entriesOf(en.weekdays)
/** English numbers from one to twelve. */
export const NUMBERS = entriesOf(en.numbers)
/** English stop words, which are not indexed. */
export const STOP_WORDS: ReadonlySet<string> = new Set(entriesOf(en.stopWords))
/** Stop words of all languages. */
export const SMALL_WORDS = inAll('stopWords')
/** Words for greeting, thanking and taking leave. */
export const COURTESIES = inAll('courtesies')
/** Phrases that ask for everything about a subject, such as "show me everything about". */
export const INTRODUCTIONS = inAll('introductions')
/** Words for all stored content or its owner: "everything", "company". */
export const WHOLES = inAll('wholes')
/** Plural nouns for stored items: "notes", "records". */
export const HOLDINGS = inAll('holdings')
/** Words for storing and containing: "saved", "covers". */
export const KEEPING = inAll('keeping')
/** Words that ask for a person's occupation. */
export const OCCUPATIONS = inAll('occupations')
/** English adjectives of nationality with the usual name of the country; irregular and frequent ones only. */
export const COUNTRY_OF: ReadonlyMap<string, string> = new Map(
  entriesOf(en.demonyms).map((pair) => pair.split('/') as [string, string]),
)
/** Words that ask for an overview and name no topic. */
export const OVERVIEW_WORDS = inAll('overviewWords')
/** Other words that form a question and name no topic. */
export const FORM_WORDS = [...inAll('formWords'), ...inAll('suppositions')]
/** Words for kinds of work items in all languages, by the English name of the kind. */
export const KINDS: ReadonlyMap<string, readonly string[]> = new Map(
  entriesOf(en.kinds).map((english) => {
    const [name = ''] = english.split('/')
    const ofKind = inAll('kinds').map((words) => words.split('/'))
    return [name, [...new Set(ofKind.flatMap((words) => (words[0] === name ? words : [])))]]
  }),
)
/** English words for each kind in the singular, its name first. */
export const ENGLISH_KINDS: readonly (readonly string[])[] = entriesOf(en.kinds).map((words) => words.split('/'))
/** English phrases that ask how something is done. */
export const MANNERS = entriesOf(en.manners)
/** English verbs with a general meaning. Records often use a more specific verb. */
export const EVERYDAY_VERBS = entriesOf(en.everydayVerbs)
/** English words that ask for a measure or a category. */
export const MEASURES = entriesOf(en.measures)
/** English words that ask for a count, a list, a sum or groups. */
export const ROW_LEADS = entriesOf(en.rowLeads)
/** English words that ask for an extreme. */
export const SUPERLATIVES = entriesOf(en.superlatives)
/** English auxiliaries that precede the subject of a question. */
export const AUXILIARIES = entriesOf(en.auxiliaries)
/** English words for times. */
export const TIME_WORDS = [...entriesOf(en.timeWords), ...MONTH_NAMES, ...WEEKDAYS]
/** English forms of "to be". */
export const BE = entriesOf(en.be)
/** English coordinating conjunctions. */
export const COORDINATORS = entriesOf(en.coordinators)
/** English articles. DETERMINERS has the other words that are always followed by a noun phrase. */
export const ARTICLES = entriesOf(en.articles)
export const DETERMINERS = without(entriesOf(en.determiners), [...entriesOf(en.demonstratives), ...TIME_WORDS])
/** Articles, determiners and prepositions that do not precede a verb. */
export const BEFORE_NOUNS = [...ARTICLES, ...DETERMINERS, ...entriesOf(en.within), ...entriesOf(en.throughout)]
/** English words of requests. They are not topic terms and are never corrected. */
export const REQUESTS: ReadonlySet<string> = new Set(entriesOf(en.requests))
/** English nouns for events that can define a time: "after the launch". */
export const HAPPENINGS = entriesOf(en.happenings)
/** Nouns for unplanned events, which are mentioned only after they happened. */
export const MISHAPS = entriesOf(en.mishaps)
/** English question words. */
export const QUESTION_WORDS = entriesOf(en.questionWords)
/** English words that begin a relative clause. */
export const RELATIVES = entriesOf(en.relatives)
/** First-person singular words, spelled as inside a sentence: "I", "my". */
export const SPEAKER = inAll('speaker')
/** First-person plural words. */
export const SPEAKERS = inAll('speakers')
/** Words that ask for an earlier state. */
export const FORMER = inAll('former')
/** Second-person words. */
export const ADDRESSEE = inAll('addressee')
/** English words that ask for the present state. TO_COME has the words that ask for the future. */
export const AT_PRESENT = entriesOf(en.atPresent)
export const TO_COME = entriesOf(en.toCome)
/** Words that connect a sentence to the previous one. */
export const CONNECTIVES = inAll('connectives')
/** English words that refer to something mentioned elsewhere: "it", "them", "this". */
export const STANDING_FOR = [en.thirdPerson, en.thirdPersonObjects, en.demonstratives].flatMap(entriesOf)

/** Returns the number of an English word or digits: 1 for "a" and "an", NaN for anything else. */
export function numberOf(word: string): number {
  const lower = word.toLowerCase()
  const named = NUMBERS.indexOf(lower) + 1
  return named || (/^an?$/.test(lower) ? 1 : Number(word))
}
