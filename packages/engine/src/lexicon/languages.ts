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

/** What a list of a language is for. */
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
/** The languages whose words are known: each has as many of the lists as it has words for. */
export const LANGUAGES: readonly Partial<Record<Idea, Written>>[] = [en, de, fr, es, it, pt, nl, zh, ja]

/** The entries that all languages have for an idea. */
export function inAll(idea: Idea): string[] {
  return LANGUAGES.flatMap((language) => entriesOf(language[idea]))
}

/** A pattern's source for any entry that any language has for one of some ideas. */
export function anyIn(...ideas: readonly Idea[]): string {
  return anyOf(ideas.flatMap(inAll))
}

function without(words: readonly string[], others: readonly string[]): string[] {
  return words.filter((word) => !others.includes(word))
}

/** The English months from January on, each with its spellings, the name first. */
const MONTHS = entriesOf(en.months).map((spellings) => spellings.split('/'))
/** The English months from January on: "January". */
export const MONTH_NAMES: readonly string[] = MONTHS.map(([name]) => name!)
/** A pattern's source for an English month, written out or short. */
export const MONTH = anyOf(...MONTHS)
/** Every spelling of a month in any language, with its number from 1 to 12. */
export const MONTH_NUMBERS: readonly (readonly [string, number])[] = LANGUAGES.flatMap(({ months }) =>
  entriesOf(months).flatMap((spellings, at) => spellings.split('/').map((name) => [name, at + 1] as const)),
)
/** Languages whose names of months are taken from ICU in addition to the lexicon's spellings. */
export const ICU_LANGUAGES = 'en de fr es it pt nl sv da nb fi is pl cs sk hu ro hr sl bg ru uk el tr id'.split(' ')
/** The English weekdays from Sunday on: "Sunday". */
export const WEEKDAYS = entriesOf(en.weekdays)
/** The English numbers from one to twelve. */
export const NUMBERS = entriesOf(en.numbers)
/** English words that say nothing about what a text is about; they are not indexed. */
export const STOP_WORDS: ReadonlySet<string> = new Set(entriesOf(en.stopWords))
/** Small words of all languages. */
export const SMALL_WORDS = inAll('stopWords')
/** Words by which people greet, thank and take leave. */
export const COURTESIES = inAll('courtesies')
/** Words that ask for everything about a thing, such as "tell me about". */
export const INTRODUCTIONS = inAll('introductions')
/** Words for all that is stored, or for whoever it belongs to. */
export const WHOLES = inAll('wholes')
/** Nouns for what people keep here, several of a kind. */
export const HOLDINGS = inAll('holdings')
/** Words that say of such things that they are kept, and what of. */
export const KEEPING = inAll('keeping')
/** Words that ask what somebody does. */
export const OCCUPATIONS = inAll('occupations')
/** English adjectives of nations with the name that texts give the country; the irregular and the frequent ones. */
export const COUNTRY_OF: ReadonlyMap<string, string> = new Map(
  entriesOf(en.demonyms).map((pair) => pair.split('/') as [string, string]),
)
/** Words that ask what there was, and about nothing. */
export const OVERVIEW_WORDS = inAll('overviewWords')
/** Words that say how a question asks and not about what, beside those. */
export const FORM_WORDS = [...inAll('formWords'), ...inAll('suppositions')]
/** Kinds of things that work is made of: by the English word that names each, its words in all languages. */
export const KINDS: ReadonlyMap<string, readonly string[]> = new Map(
  entriesOf(en.kinds).map((english) => {
    const [name = ''] = english.split('/')
    const ofKind = inAll('kinds').map((words) => words.split('/'))
    return [name, [...new Set(ofKind.flatMap((words) => (words[0] === name ? words : [])))]]
  }),
)
/** The English words of each kind in the singular, the one that names it first. */
export const ENGLISH_KINDS: readonly (readonly string[])[] = entriesOf(en.kinds).map((words) => words.split('/'))
/** English phrases that ask how something is done. */
export const MANNERS = entriesOf(en.manners)
/** English verbs that are used of anything, so that records may say the same with others. */
export const EVERYDAY_VERBS = entriesOf(en.everydayVerbs)
/** English words that ask how much, and for what in general. */
export const MEASURES = entriesOf(en.measures)
/** English words that ask for a count, a list, a sum or groups. */
export const ROW_LEADS = entriesOf(en.rowLeads)
/** English words that ask for an extreme. */
export const SUPERLATIVES = entriesOf(en.superlatives)
/** English verbs behind which a question names who does something. */
export const AUXILIARIES = entriesOf(en.auxiliaries)
/** English words that tell a time. */
export const TIME_WORDS = [...entriesOf(en.timeWords), ...MONTH_NAMES, ...WEEKDAYS]
/** English forms of "to be". */
export const BE = entriesOf(en.be)
/** English words that join two of a kind. */
export const COORDINATORS = entriesOf(en.coordinators)
/** English words before a noun and what describes it, of which each can be nothing else there. */
export const ARTICLES = entriesOf(en.articles)
export const DETERMINERS = without(entriesOf(en.determiners), [...entriesOf(en.demonstratives), ...TIME_WORDS])
/** The same with prepositions that stand before no verb. */
export const BEFORE_NOUNS = [...ARTICLES, ...DETERMINERS, ...entriesOf(en.within), ...entriesOf(en.throughout)]
/** English words that people ask with, whether or not records have them. */
export const REQUESTS: ReadonlySet<string> = new Set(entriesOf(en.requests))
/** English nouns of what happens at a time, so that "after the depot" tells none. */
export const HAPPENINGS = entriesOf(en.happenings)
/** Those of what is spoken of only once it has happened. */
export const MISHAPS = entriesOf(en.mishaps)
/** English words that open a question. */
export const QUESTION_WORDS = entriesOf(en.questionWords)
/** English words that open a relative clause. */
export const RELATIVES = entriesOf(en.relatives)
/** Words by which somebody speaks of themself, in the case in which they stand inside a sentence. */
export const SPEAKER = inAll('speaker')
/** Words by which somebody speaks of a group of their own. */
export const SPEAKERS = inAll('speakers')
/** Words that ask what was, and not what is. */
export const FORMER = inAll('former')
/** Words by which somebody speaks to another. */
export const ADDRESSEE = inAll('addressee')
/** Words that open a sentence on somebody or something named before. */
export const THIRD_PERSON = inAll('thirdPerson')
/** English words that ask how something is now, and those that ask when it will be. */
export const AT_PRESENT = entriesOf(en.atPresent)
export const TO_COME = entriesOf(en.toCome)
/** Words that tie what follows to what stands before. */
export const CONNECTIVES = inAll('connectives')
/** Words that open a sentence on what was said before: demonstratives and connectives. */
export const POINTING_BACK = [...inAll('demonstratives'), ...CONNECTIVES]
/** English words that stand for something named elsewhere. */
export const STANDING_FOR = [en.thirdPerson, en.thirdPersonObjects, en.demonstratives].flatMap(entriesOf)

/** The number that an English word or some digits give; one for "a" and "an", not a number for anything else. */
export function numberOf(word: string): number {
  const lower = word.toLowerCase()
  const named = NUMBERS.indexOf(lower) + 1
  return named || (/^an?$/.test(lower) ? 1 : Number(word))
}
