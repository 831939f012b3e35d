import { anyOf, entriesOf, type Written } from './entries.ts'
import lists from './facts.json' with { type: 'json' }
import predicates from './predicates.json' with { type: 'json' }

/** What may stand at the end of a statement of a kind. */
export type FactObject = 'place' | 'organisation' | 'thing' | 'words'

/** A verb or noun phrase that states something of a kind. */
export interface Phrase {
  readonly words: readonly string[]
  readonly predicate: string
  readonly object: FactObject
  /** Who may be its subject: who says it, or somebody who is named. */
  readonly of: 'speaker' | 'named'
  /** A form of "be" stands before it. */
  readonly needsBe: boolean
  /** It says that this no longer holds. */
  readonly isEnd: boolean
}

interface Kind {
  readonly predicate: string
  readonly object: string
  readonly said: Written
  readonly told: Written
  readonly saidEnded?: Written
  readonly toldEnded?: Written
}

const setOf = (list: Written): ReadonlySet<string> => new Set(entriesOf(list))
const PARTICIPLES = setOf(lists.participles)

function byFirst<T extends { readonly words: readonly string[] }>(phrases: readonly T[]): ReadonlyMap<string, T[]> {
  const found = new Map<string, T[]>()
  const longest = [...phrases].sort((one, other) => other.words.length - one.words.length)
  for (const phrase of longest) found.set(phrase.words[0]!, [...(found.get(phrase.words[0]!) ?? []), phrase])
  return found
}

function phrasesOf({ predicate, object, said, told, saidEnded, toldEnded }: Kind): Phrase[] {
  const of = (subject: Phrase['of'], list: Written | undefined, isEnd = false): Phrase[] =>
    entriesOf(list).map((entry) => {
      const words = entry.split(' ')
      const needsBe = PARTICIPLES.has(words[0]!)
      return { words, predicate, object: object as FactObject, of: subject, needsBe, isEnd }
    })
  return [
    ...[...of('speaker', said), ...of('named', told)],
    ...[...of('speaker', saidEnded, true), ...of('named', toldEnded, true)],
  ]
}

/** Phrases that state where people live, for whom and as what they work, what they lead, and that they no longer do. */
export const PHRASES: ReadonlyMap<string, readonly Phrase[]> = byFirst(lists.kinds.flatMap(phrasesOf))
/** The predicate of a noun for a day that things have one of: "launch" → "launch date". */
export const DATED_NOUNS: ReadonlyMap<string, string> = new Map(
  Object.entries(lists.dates).flatMap(([predicate, nouns]) => entriesOf(nouns).map((noun) => [noun, predicate])),
)
/** Phrases between such a noun and its day, by their first word. */
export const DATED: ReadonlyMap<string, readonly { readonly words: readonly string[] }[]> = byFirst(
  entriesOf(lists.dated).map((entry) => ({ words: entry.split(' ') })),
)
/** Words between the two. */
export const DATED_BETWEEN = setOf(lists.datedBetween)
/** Words that go on behind the object of a predicate with another one: "a nurse at …". */
export const GOES_ON: readonly (Pick<Phrase, 'words' | 'predicate' | 'object'> & { readonly after: string })[] =
  entriesOf(lists.goesOn).map((entry) => {
    const [after = '', words = '', predicate = ''] = entry.split('/')
    const object = lists.kinds.find((kind) => kind.predicate === predicate)!.object as FactObject
    return { after, words: words.split(' '), predicate, object }
  })
/** Words between a subject and what is stated of it that change nothing. */
export const BETWEEN = setOf(lists.between)
/** Those of them that are a form of "be". */
export const BEING = setOf(lists.being)
/** Words after which a name is the subject of what follows. */
export const OPENINGS = setOf(lists.openings)
/** Words after which nothing in a sentence is stated as a fact: plans, negations, other times. */
export const NOT_YET = setOf([...lists.plans, ...lists.notYet])
/** Words with which nothing in a sentence is: conditions and hearsay. */
export const NEVER = setOf(lists.never)
/** Words with which a question begins. */
export const QUESTION_OPENINGS = setOf(lists.questionOpenings)
/** Words of what is made up or played. */
export const FICTION = setOf(lists.fiction)
/** Words of a time to come, which a date may be told with. */
export const LATER = setOf(lists.later)
/** Words that end the name of an occupation. */
export const ENDS_WORDS = setOf(lists.endsWords)

/** A form of question that asks for what a fact tells of who asks. */
export interface AskedForm {
  readonly predicate: string
  readonly form: string
}

const askedForms = (list: Written): AskedForm[] =>
  entriesOf(list).map((entry) => {
    const at = entry.indexOf('/')
    return { predicate: entry.slice(0, at), form: entry.slice(at + 1) }
  })

/** Forms of questions as patterns, without what may stand before and behind. */
export const ASKED = {
  now: askedForms(lists.asked),
  former: askedForms(lists.askedFormer),
  before: entriesOf(lists.askedBefore),
  behind: entriesOf(lists.askedBehind),
  formerBehind: entriesOf(lists.askedFormerBehind),
  words: entriesOf(lists.askedWords),
  verb: lists.askedVerb,
} as const

const ONE_OF = [predicates.states, predicates.dates, predicates.holders, predicates.places]
/** One subject at a time holds such a role for a thing ("leads"), so a later subject ends the earlier one. */
export const ROLE = new RegExp(
  `^(?:${anyOf(entriesOf(predicates.roles))}|is (?:the )?${anyOf(entriesOf(predicates.titles))}(?: of)?)$`,
)
/** A thing has one value of these predicates at a time, so a later value ends the earlier one. */
export const ONE_AT_A_TIME = new RegExp(`^${anyOf(...ONE_OF.map(entriesOf))}$`)
