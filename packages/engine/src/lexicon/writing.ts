import en from './en.json' with { type: 'json' }
import { entriesOf } from './entries.ts'
import { inAll } from './languages.ts'

/** Abbreviations whose point ends no sentence, in lower case. */
export const ABBREVIATIONS: ReadonlySet<string> = new Set(inAll('abbreviations'))
/** English words that are abbreviations before a number: "No. 5". */
export const NUMBER_ABBREVIATIONS: ReadonlySet<string> = new Set(entriesOf(en.numberAbbreviations))
/** English words that begin a clause and seldom a sentence. */
export const CLAUSE_OPENINGS = entriesOf(en.clauseOpenings)
/** German words before an ordinal, whose point ends no sentence, and how months begin after one. */
export const BEFORE_ORDINALS = inAll('beforeOrdinals')
export const MONTH_STARTS = inAll('monthStarts')
/** What a salutation begins with. */
export const GREETINGS = inAll('greetings')
/** What people put before what they have to say. */
export const FILLERS = inAll('fillers')
/** Thanks that a name may follow. */
export const THANKS = inAll('thanks')
/** What a line of mere politeness begins with. */
export const FAREWELLS = inAll('farewells')
/** Openings of the signatures that mobile devices append. */
export const SIGNATURES = entriesOf(en.signatures)
/** Small words inside dates: "14 de marzo de 2027", "14th of March". */
export const DATE_PREPOSITIONS: ReadonlySet<string> = new Set(inAll('datePrepositions'))
/** What stands behind the number of an English ordinal. */
export const ORDINAL_ENDINGS = entriesOf(en.ordinalEndings)
/** Endings of English words that are rarely names: "Running", "Actually", "Updated". */
export const VERBAL_ENDINGS = entriesOf(en.verbalEndings)
/** What is left of a word after an apostrophe in English: Lothair's, don't, we'll. */
export const CLITICS: ReadonlySet<string> = new Set(entriesOf(en.clitics))
/** Those of a time to come: "I'll", "I'd". */
export const FUTURE_CLITICS = entriesOf(en.futureClitics)
/** English verbs, each with the small words that make one noun with it: to log in is a login. */
export const PHRASAL_VERBS = entriesOf(en.phrasalVerbs).map((entry) => entry.split(' '))
/** English base forms, each with its irregular ones; a form that is more often another word (bit, rose) is left out. */
export const IRREGULAR_FORMS = entriesOf(en.irregularForms).map((entry) => entry.split(' '))
