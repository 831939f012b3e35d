import en from './en.json' with { type: 'json' }
import { entriesOf } from './entries.ts'
import { inAll } from './languages.ts'

/** Abbreviations whose period does not end a sentence, in lower case. */
export const ABBREVIATIONS: ReadonlySet<string> = new Set(inAll('abbreviations'))
/** English words that are abbreviations before a number: "No. 5". */
export const NUMBER_ABBREVIATIONS: ReadonlySet<string> = new Set(entriesOf(en.numberAbbreviations))
/** English words that begin a clause and rarely a sentence. */
export const CLAUSE_OPENINGS = entriesOf(en.clauseOpenings)
/**
 * German words before an ordinal number: "am 3. Juni". The period of the ordinal does not end a sentence. MONTH_STARTS
 * has the first letters of the month names that can follow.
 */
export const BEFORE_ORDINALS = inAll('beforeOrdinals')
export const MONTH_STARTS = inAll('monthStarts')
/** First words of salutations. */
export const GREETINGS = inAll('greetings')
/** Introductory filler phrases. */
export const FILLERS = inAll('fillers')
/** Phrases of thanks that a name may follow. */
export const THANKS = inAll('thanks')
/** First words of polite closing lines. */
export const FAREWELLS = inAll('farewells')
/** Openings of the signatures that mobile devices append. */
export const SIGNATURES = entriesOf(en.signatures)
/** Prepositions inside dates: "14 de marzo de 2027", "14th of March". */
export const DATE_PREPOSITIONS: ReadonlySet<string> = new Set(inAll('datePrepositions'))
/** Endings of English ordinal numbers. */
export const ORDINAL_ENDINGS = entriesOf(en.ordinalEndings)
/** Endings of English words that are rarely names: "Running", "Actually", "Updated". */
export const VERBAL_ENDINGS = entriesOf(en.verbalEndings)
/** Word parts after an apostrophe in English: Lothair's, don't, we'll. */
export const CLITICS: ReadonlySet<string> = new Set(entriesOf(en.clitics))
/** Contractions for the future: "I'll", "I'd". */
export const FUTURE_CLITICS = entriesOf(en.futureClitics)
/** English verbs, each with the particles that form a noun with it: to log in is a login. */
export const PHRASAL_VERBS = entriesOf(en.phrasalVerbs).map((entry) => entry.split(' '))
/** English base forms with their irregular forms. A form that is more often another word (bit, rose) is left out. */
export const IRREGULAR_FORMS = entriesOf(en.irregularForms).map((entry) => entry.split(' '))
