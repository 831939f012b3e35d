import english from './en.json' with { type: 'json' }
import { entriesOf } from './entries.ts'
import { COUNTRY_OF, MONTH_NAMES, STOP_WORDS, WEEKDAYS } from './languages.ts'
import lists from './names.json' with { type: 'json' }
import people from './people.json' with { type: 'json' }

const setOf = (list: string | readonly string[]): ReadonlySet<string> => new Set(entriesOf(list))

/** Given names that are not also English words, in lower case. */
const GIVEN_NAMES = setOf(lists.given)
/** Folded Arabic given names that are not ordinary words. */
const ARABIC_NAMES = setOf(lists.givenArabic)
/** Given names that are English words too: "mark", "grace". */
export const GIVEN_WORDS = setOf(lists.givenWords)
/** Greetings before the name of a person who is addressed. */
export const GREETINGS = setOf(lists.greetings)
/** Titles before a person's name: "dr", "mrs". */
export const TITLES = setOf(lists.titles)
/** Titles that are not part of the name. */
export const HONORIFICS = setOf(lists.honorifics)
/** Last words of names of organizations. */
export const ORGANISATION_ENDINGS = setOf(lists.organisationEndings)
/** Last words of names of places. */
export const PLACE_ENDINGS = setOf(lists.placeEndings)
/** First words of names of places. */
export const PLACE_OPENINGS = setOf(lists.placeOpenings)
/** Nouns next to the name of a project. The next two lists are for incidents and for works such as books. */
export const PROJECT_WORDS = setOf(lists.projectWords)
export const INCIDENT_WORDS = setOf(lists.incidentWords)
export const WORK_WORDS = setOf(lists.workWords)
/** Names of frequently mentioned places. */
const KNOWN_PLACES = setOf(lists.places)
/** Abbreviations with a period that may occur inside a name: "St.". */
export const POINTED = setOf(lists.pointed)
/** Prefixes of family names whose second capital does not begin a new word: McDonald, DeSantis. */
export const FAMILY_PREFIXES = entriesOf(lists.familyPrefixes)
/** Words in lower case inside names. */
export const NAME_CONNECTORS = setOf(lists.connectors)
/** Verbs whose subject is usually a named person or organization. */
export const DOING = setOf(lists.doing)
/** Prepositions before the name of a place. */
export const PLACE_PREPOSITIONS = setOf(lists.placePrepositions)

const WORD = /^[a-z']+$/
const DATES = [...MONTH_NAMES, ...WEEKDAYS].map((name) => name.toLowerCase())
/** All lower-case words of the English lists that are not personal names. */
const ENGLISH = Object.entries(english)
  .flatMap(([idea, list]) => (idea === 'demonyms' ? [] : entriesOf(list)))
  .filter((entry) => WORD.test(entry) && !GIVEN_NAMES.has(entry) && !GIVEN_WORDS.has(entry))
const NON_NAMES: ReadonlySet<string> = new Set([
  ...STOP_WORDS,
  ...DATES,
  ...ENGLISH,
  ...[lists.notNames, lists.abbreviations, lists.kin, lists.occasions].flatMap(entriesOf),
])
const NATIONALITIES: ReadonlySet<string> = new Set([...COUNTRY_OF.keys(), ...entriesOf(lists.peoples)])

/** Returns true if a name, in lower case, is that of a frequently mentioned place. */
export function isWellKnown(name: string): boolean {
  return KNOWN_PLACES.has(name)
}

/** Returns true if a place name, in lower case, is also a person's name. */
export function isAmbiguousPlace(name: string): boolean {
  return KNOWN_PLACES.has(name) && (GIVEN_NAMES.has(name) || GIVEN_WORDS.has(name))
}

const pairsOf = (list: string | readonly string[]) => entriesOf(list).map((entry) => entry.split(' '))
const CYRILLIC = new Map(pairsOf(lists.cyrillic).map(([letter = '', latin = '']) => [letter, latin.replace('-', '')]))
const CYRILLIC_FORMS = pairsOf(lists.cyrillicForms)

/** Returns the Latin transliteration of a folded Cyrillic word, or undefined for any other word. */
function romanised(word: string): string | undefined {
  let latin = ''
  for (const letter of word) {
    const written = CYRILLIC.get(letter)
    if (written === undefined) return undefined
    latin += written
  }
  return latin
}

/** Returns true if a word, folded and in lower case, is a given name and not a common word, in any script. */
export function isGivenName(word: string): boolean {
  if (GIVEN_NAMES.has(word) || ARABIC_NAMES.has(word)) return true
  const latin = CYRILLIC.has(word[0] ?? '') ? romanised(word) : undefined
  if (latin === undefined) return false
  const forms = CYRILLIC_FORMS.map(([form = '', other = '']) => latin.replace(form, other))
  return [latin, ...forms].some((each) => GIVEN_NAMES.has(each))
}

/** Returns true if a word, folded and in lower case, is the name of a frequently mentioned place, in any script. */
export function isKnownPlace(word: string): boolean {
  const latin = CYRILLIC.has(word[0] ?? '') ? romanised(word) : undefined
  return KNOWN_PLACES.has(latin ?? word)
}

/** ISO 4217 currency codes, in capitals. */
const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))

/** Returns true if a word is a currency code. Case-sensitive. */
export function isCurrency(word: string): boolean {
  return CURRENCIES.has(word)
}

/** Returns true if a lower-case word is never a name by itself. */
export function isCommonWord(word: string): boolean {
  return NON_NAMES.has(word)
}

/** Returns true if a lower-case word is the adjective of a nation, people or language. */
export function isNationality(word: string): boolean {
  return NATIONALITIES.has(word)
}

const SHARED_MAILBOXES = new Set([...entriesOf(people.mailboxes.placeholders), ...entriesOf(people.mailboxes.shared)])
const NO_HOSTS = new Set(entriesOf(people.mailboxes.hosts))
const PRIVATE = new Set(entriesOf(people.mailboxes.private))
const PARTS = new Set(entriesOf(people.mailboxes.parts))
const GIVEN = new Set(entriesOf(people.given))
const FAMILY = new Set(entriesOf(people.family))
/** Matches the separators in a mailbox name: "anna.berg+news". */
const PARTING = /[._+-]+/u

/** Full given names by short form: `bill` → `william`. */
const FULL = new Map<string, Set<string>>()
for (const [full = '', ...forms] of entriesOf(people.short).map((line) => line.split(' '))) {
  for (const form of forms) FULL.set(form, (FULL.get(form) ?? new Set()).add(full))
}

/** Returns true if an address is a placeholder or is shared by several people, so that it identifies nobody. */
export function isSharedMailbox(address: string): boolean {
  const [local = '', host = ''] = address.trim().toLowerCase().split('@')
  const [first = ''] = local.split('+')
  if (!host || NO_HOSTS.has(host) || !host.includes('.') || host.endsWith('.localdomain')) return true
  if (SHARED_MAILBOXES.has(local) || SHARED_MAILBOXES.has(first)) return true
  const parts = first.split(PARTING)
  return parts.length > 1 && (PARTS.has(parts[0]!) || PARTS.has(parts.at(-1)!))
}

/** Returns true if a host is a public mail provider. Such a host does not indicate an employer. */
export function isPrivateHost(host: string): boolean {
  return PRIVATE.has(host)
}

/** Returns true if two given names are forms of the same name, such as `bill`, `will` and `william`. */
export function areShortForms(one: string, other: string): boolean {
  const [ours, theirs] = [FULL.get(one) ?? new Set<string>(), FULL.get(other) ?? new Set<string>()]
  return ours.has(other) || theirs.has(one) || [...ours].some((full) => theirs.has(full))
}

/** Returns true if a given name is very common. */
export function isCommonGiven(name: string): boolean {
  return GIVEN.has(name)
}

export function isCommonFamily(name: string): boolean {
  return FAMILY.has(name)
}
