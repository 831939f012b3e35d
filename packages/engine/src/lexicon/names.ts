import english from './en.json' with { type: 'json' }
import { entriesOf } from './entries.ts'
import { COUNTRY_OF, MONTH_NAMES, STOP_WORDS, WEEKDAYS } from './languages.ts'
import lists from './names.json' with { type: 'json' }
import people from './people.json' with { type: 'json' }

const setOf = (list: string | readonly string[]): ReadonlySet<string> => new Set(entriesOf(list))

/** Given names that are no other English word, in lower case. */
const GIVEN_NAMES = setOf(lists.given)
/** Arabic given names that are not also common words, folded. */
const ARABIC_NAMES = setOf(lists.givenArabic)
/** Given names that are English words too: "mark", "grace". */
export const GIVEN_WORDS = setOf(lists.givenWords)
/** What is said before the name of somebody who is spoken to. */
export const GREETINGS = setOf(lists.greetings)
/** What stands before a person's name: "dr", "mrs". */
export const TITLES = setOf(lists.titles)
/** Those of them that are no part of the name. */
export const HONORIFICS = setOf(lists.honorifics)
/** Last words of the names of organisations. */
export const ORGANISATION_ENDINGS = setOf(lists.organisationEndings)
/** Last words of the names of places. */
export const PLACE_ENDINGS = setOf(lists.placeEndings)
/** First words of the names of places. */
export const PLACE_OPENINGS = setOf(lists.placeOpenings)
/** Nouns that stand beside the name of a project, an incident and a work. */
export const PROJECT_WORDS = setOf(lists.projectWords)
export const INCIDENT_WORDS = setOf(lists.incidentWords)
export const WORK_WORDS = setOf(lists.workWords)
/** Places that very many texts name. */
const KNOWN_PLACES = setOf(lists.places)
/** Abbreviations whose point stands inside a name. */
export const POINTED = setOf(lists.pointed)
/** How a family's name begins whose second capital makes it no two words: McDonald, DeSantis. */
export const FAMILY_PREFIXES = entriesOf(lists.familyPrefixes)
/** Words in lower case inside names. */
export const NAME_CONNECTORS = setOf(lists.connectors)
/** Verbs that follow the name of somebody who does something. */
export const DOING = setOf(lists.doing)
/** Prepositions before a place, and before somebody or something that has a name. */
export const PLACE_PREPOSITIONS = setOf(lists.placePrepositions)

const WORD = /^[a-z']+$/
const DATES = [...MONTH_NAMES, ...WEEKDAYS].map((name) => name.toLowerCase())
/** Every word that another list of English has in lower case, and that nobody is called by. */
const ENGLISH = Object.entries(english)
  .flatMap(([idea, list]) => (idea === 'demonyms' ? [] : entriesOf(list)))
  .filter((entry) => WORD.test(entry) && !GIVEN_NAMES.has(entry) && !GIVEN_WORDS.has(entry))
const NO_NAMES: ReadonlySet<string> = new Set([
  ...STOP_WORDS,
  ...DATES,
  ...ENGLISH,
  ...[lists.notNames, lists.abbreviations, lists.kin, lists.occasions].flatMap(entriesOf),
])
const PEOPLES: ReadonlySet<string> = new Set([...COUNTRY_OF.keys(), ...entriesOf(lists.peoples)])

/** Whether a name, in lower case, is one that very many texts have for a place. */
export function isWellKnown(name: string): boolean {
  return KNOWN_PLACES.has(name)
}

/** Returns whether a place name, in lower case, is also a person's name. */
export function isAmbiguousPlace(name: string): boolean {
  return KNOWN_PLACES.has(name) && (GIVEN_NAMES.has(name) || GIVEN_WORDS.has(name))
}

const pairsOf = (list: string | readonly string[]) => entriesOf(list).map((entry) => entry.split(' '))
const CYRILLIC = new Map(pairsOf(lists.cyrillic).map(([letter = '', latin = '']) => [letter, latin.replace('-', '')]))
const CYRILLIC_FORMS = pairsOf(lists.cyrillicForms)

/** Returns the Latin transliteration of a folded Cyrillic word. Undefined for any other word. */
function romanised(word: string): string | undefined {
  let latin = ''
  for (const letter of word) {
    const written = CYRILLIC.get(letter)
    if (written === undefined) return undefined
    latin += written
  }
  return latin
}

/** Returns whether a word, folded and in lower case, is a given name and not a common word, in any script. */
export function isGivenName(word: string): boolean {
  if (GIVEN_NAMES.has(word) || ARABIC_NAMES.has(word)) return true
  const latin = CYRILLIC.has(word[0] ?? '') ? romanised(word) : undefined
  if (latin === undefined) return false
  const forms = CYRILLIC_FORMS.map(([form = '', other = '']) => latin.replace(form, other))
  return [latin, ...forms].some((each) => GIVEN_NAMES.has(each))
}

/** Returns whether a word, folded and in lower case, is the name of a frequently mentioned place, in any script. */
export function isKnownPlace(word: string): boolean {
  const latin = CYRILLIC.has(word[0] ?? '') ? romanised(word) : undefined
  return KNOWN_PLACES.has(latin ?? word)
}

/** ISO 4217 currency codes, in capitals. */
const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))

/** Returns whether a word is a currency code. Case-sensitive. */
export function isCurrency(word: string): boolean {
  return CURRENCIES.has(word)
}

/** Whether a word, in lower case, is no name by itself however it is written. */
export function isCommonWord(word: string): boolean {
  return NO_NAMES.has(word)
}

/** Whether a word, in lower case, says of what people or language something is. */
export function isOfPeoples(word: string): boolean {
  return PEOPLES.has(word)
}

const NOBODYS = new Set([...entriesOf(people.mailboxes.placeholders), ...entriesOf(people.mailboxes.shared)])
const NO_HOSTS = new Set(entriesOf(people.mailboxes.hosts))
const PRIVATE = new Set(entriesOf(people.mailboxes.private))
const PARTS = new Set(entriesOf(people.mailboxes.parts))
const GIVEN = new Set(entriesOf(people.given))
const FAMILY = new Set(entriesOf(people.family))
/** The characters between the words of the name of a mailbox: "anna.berg+news". */
const PARTING = /[._+-]+/u

/** Full given names by the short form: `bill` → `william`. */
const FULL = new Map<string, Set<string>>()
for (const [full = '', ...forms] of entriesOf(people.short).map((line) => line.split(' '))) {
  for (const form of forms) FULL.set(form, (FULL.get(form) ?? new Set()).add(full))
}

/** Whether an address is written where nobody's stands, or is one that many use: it tells nothing of who writes. */
export function isNobodysAddress(address: string): boolean {
  const [local = '', host = ''] = address.trim().toLowerCase().split('@')
  const [first = ''] = local.split('+')
  if (!host || NO_HOSTS.has(host) || !host.includes('.') || host.endsWith('.localdomain')) return true
  if (NOBODYS.has(local) || NOBODYS.has(first)) return true
  const parts = first.split(PARTING)
  return parts.length > 1 && (PARTS.has(parts[0]!) || PARTS.has(parts.at(-1)!))
}

/** Whether mailboxes of a host are given to anybody, so that it says nothing of whom they work for. */
export function isPrivateHost(host: string): boolean {
  return PRIVATE.has(host)
}

/** Whether two given names may be one, the one short for the other: `bill` and `william`. */
export function areShortFor(one: string, other: string): boolean {
  const [ours, theirs] = [FULL.get(one) ?? new Set<string>(), FULL.get(other) ?? new Set<string>()]
  return ours.has(other) || theirs.has(one) || [...ours].some((full) => theirs.has(full))
}

/** Whether very many bear a given name, and a family name. */
export function isCommonGiven(name: string): boolean {
  return GIVEN.has(name)
}

export function isCommonFamily(name: string): boolean {
  return FAMILY.has(name)
}
