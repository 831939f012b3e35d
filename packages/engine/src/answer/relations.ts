import { anyOf, entriesOf, type Written } from '../lexicon/entries.ts'
import { anyIn } from '../lexicon/languages.ts'
import lists from '../lexicon/predicates.json' with { type: 'json' }
import { MS_PER_DAY, parseIsoDay } from '../text/civil-date.ts'
import { USER_SUBJECT } from './brief.ts'

// Passive predicates that are rendered as a noun, because that reads better.
const PASSIVE_NOUNS: ReadonlySet<string> = new Set(entriesOf(lists.passiveNouns))
/** Matches predicates that state progress. */
export const PROGRESS = new RegExp(`^${anyOf(entriesOf(lists.progress))}$`)
// Matches a verb in the third person; "status", "process" and "basis" do not match.
const VERB = /^\w+[^sui]s$|^\w+[aeiou]{2}s$/
const PLURAL = /[^sui]s$/
// Matches predicates of events that are completed and do not continue.
const MOVED = new RegExp(`^${anyOf(entriesOf(lists.moved))}$`)
const PARTICIPLE = new RegExp(`^\\w{2,}${anyOf(entriesOf(lists.participleEndings))} ${anyIn('behindParticiples')}$`)
const PAST_VERB = /^\w{2,}ed(?: |$)/
const PAST = pairs(lists.pasts)

const AUXILIARY: ReadonlySet<string> = new Set(entriesOf(lists.auxiliaries))

function pairs(list: Written): ReadonlyMap<string, string> {
  return new Map(entriesOf(list).map((pair) => pair.split('/') as [string, string]))
}

/** Formats an ISO day with `write` and returns any other value unchanged. */
export function withDay(value: string, write: (ms: number) => string): string {
  const day = /^\d{4}-\d{2}-\d{2}$/.test(value) ? parseIsoDay(value) : undefined
  return day === undefined ? value : write(day * MS_PER_DAY)
}

/** Tense of a clause: it holds now, it has ended, or it has held since a given time. */
export type Tense = 'now' | 'ended' | 'since'
const BE: Record<Tense, string> = { now: 'is', ended: 'was', since: 'has been' }
const ARE: Record<Tense, string> = { now: 'are', ended: 'were', since: 'have been' }
/** Matches a clause whose verb says that something has held until now. */
export const SAYS_SINCE = new RegExp(` (?:${BE.since}|${ARE.since}) `)
/** Grammatical number of a clause's subject. */
export type Count = 'one' | 'many'
const MANY = pairs(lists.plurals)
const SIBILANT_VERB = /(?:ss|sh|ch|x|z)es$/

/**
 * Renders a relation by the form of its predicate: "A leads B", "A is assigned to B", "A is a member of B", "The owner
 * of A is B". With `since` it renders "A has been assigned to B"; full verbs stay unchanged. Several subjects give "A
 * and B lead C", which has no ended form. For the user it renders "You lead B" and "Your owner is A".
 */
export function clause(
  subject: string,
  predicate: string,
  object: string,
  tense: Tense = 'now',
  count: Count = 'one',
): string {
  const [head, ...tail] = predicate.split(' ')
  const isUser = subject === USER_SUBJECT
  const isMany = count === 'many' || isUser
  const be = (isMany ? ARE : BE)[tense]
  const verb = (word: string) => (isMany ? ofMany(word) : word)
  const ended = tense === 'ended'
  if (PROGRESS.test(predicate))
    return `${subject} ${be} ${/^\p{Lu}\p{Ll}/u.test(object) ? object.toLowerCase() : object}`
  if (PASSIVE_NOUNS.has(predicate)) return `${subject} ${be} ${predicate} ${object}`
  if (AUXILIARY.has(head!)) {
    return `${subject} ${[ended ? (PAST.get(head!) ?? head) : verb(head!), ...tail].join(' ')} ${object}`
  }
  if (/^on \w+$/.test(predicate)) return `${subject} ${be} ${predicate} for ${object}`
  if (PARTICIPLE.test(predicate)) {
    return `${subject} ${MOVED.test(head!) ? 'was' : be} ${predicate} ${object}`
  }
  if (PAST_VERB.test(predicate)) return `${subject} ${predicate} ${object}`
  if (/ (?:of|for|to)$/.test(predicate) && !/[^s]s$/.test(head!)) {
    const article = / of$/.test(predicate) && head !== 'part' ? (/^[aeiou]/.test(head!) ? 'an ' : 'a ') : ''
    return `${subject} ${be} ${article}${predicate} ${object}`
  }
  if (VERB.test(head!) && !/ of$/.test(predicate)) {
    return `${subject} ${[ended ? past(head!) : verb(head!), ...tail].join(' ')} ${object}`
  }
  const owned = isUser ? `Your ${predicate}` : `The ${predicate} of ${subject}`
  return `${owned} ${(PLURAL.test(predicate) || count === 'many' ? ARE : BE)[tense]} ${object}`
}

/** Returns true if a predicate states an event and not a state that continues. */
export function isEvent(predicate: string): boolean {
  if (PARTICIPLE.test(predicate)) return MOVED.test(predicate.split(' ')[0]!)
  return PAST_VERB.test(predicate)
}

/** Returns the plural of a verb in the third person. */
function ofMany(verb: string): string {
  return (
    MANY.get(verb) ??
    verb
      .replace(/ies$/, 'y')
      .replace(SIBILANT_VERB, (end) => end.slice(0, -2))
      .replace(/s$/, '')
  )
}

/** Returns the simple past of a verb in the third person. */
function past(verb: string): string {
  return PAST.get(verb) ?? (/es$/.test(verb) ? verb.replace(/s$/, 'd') : verb.replace(/s$/, 'ed'))
}
