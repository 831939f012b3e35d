import { entriesOf, type Written } from './entries.ts'
import lists from './facts.json' with { type: 'json' }

/** What may stand at the end of a statement of a kind. */
export type FactObject = 'place' | 'organisation' | 'thing' | 'words' | 'noun' | 'itself'

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
const KINDS_OF_PETS = entriesOf(lists.pets).map((words) => words.split('/'))
const KINDS_OF_KIN = [...entriesOf(lists.kin).map((words) => words.split('/')), ...KINDS_OF_PETS]
/** Whom and what people have and call by name, by each word for it: "dad" is the father. */
export const KIN: ReadonlyMap<string, string> = new Map(
  KINDS_OF_KIN.flatMap((words) => words.map((word) => [word, words[0]!] as const)),
)
/** Those of them that are animals. */
export const PETS: ReadonlySet<string> = new Set(KINDS_OF_PETS.map(([kind]) => kind!))
/** Words for several kinds of them: "kids" are sons and daughters. */
export const KIN_CLASSES: ReadonlyMap<string, readonly string[]> = new Map(
  lists.kinClasses.flatMap((line) =>
    line.split('; ').flatMap((entry) => {
      const [words = '', kinds = ''] = entry.split(': ')
      const members = kinds === 'PETS' ? [...PETS] : entriesOf(kinds)
      return words.split('/').map((word) => [word, members] as const)
    }),
  ),
)
/** Words before whom somebody speaks to: "you are my teacher Bob" gives a part to play. */
export const ADDRESSED = setOf(lists.addressed)
/** Words between somebody and their name: "a dog called Rex". */
export const CALLED = setOf(lists.called)
/** Words that go on behind the object of a predicate with another one: "a nurse at …". */
export const GOES_ON: readonly (Pick<Phrase, 'words' | 'predicate' | 'object'> & { readonly after: string })[] =
  entriesOf(lists.goesOn).map((entry) => {
    const [after = '', words = '', predicate = ''] = entry.split('/')
    const object = lists.kinds.find((kind) => kind.predicate === predicate)!.object as FactObject
    return { after, words: words.split(' '), predicate, object }
  })
/** Phrases that say of two people that they part, that they are a couple, and of one who parts from the other. */
export const APART = byFirst(entriesOf(lists.apart).map((entry) => ({ words: entry.split(' ') })))
export const TOGETHER = byFirst(entriesOf(lists.together).map((entry) => ({ words: entry.split(' ') })))
export const LEAVING = byFirst(entriesOf(lists.leaving).map((entry) => ({ words: entry.split(' ') })))
/** Verbs by which somebody says whom or what they have. */
export const OWNED = setOf(lists.owned)
/** Adjectives that stand before them. */
export const KIN_WORDS = setOf(lists.kinWords)
export const FAVOURITE = setOf(lists.favourite)
/** What is a favourite of the moment. */
export const FAVOURITE_NOT = setOf(lists.favouriteNot)
/** Words between a subject and what is stated of it that change nothing. */
export const BETWEEN = setOf(lists.between)
/** Those of them that are a form of "be". */
export const BEING = setOf(lists.being)
/** Words after which a name is the subject of what follows. */
export const OPENINGS = setOf(lists.openings)
/** Words by which somebody says what they mean to do: modals, wishes, plans. */
export const PLANS = setOf(lists.plans)
/** Words after which nothing in a sentence is stated as a fact: plans, negations, other times. */
export const NOT_YET: ReadonlySet<string> = new Set([...PLANS, ...entriesOf(lists.notYet)])
/** Words with which nothing in a sentence is: conditions and hearsay. */
export const NEVER = setOf(lists.never)
/** Words with which a question begins. */
export const QUESTION_OPENINGS = setOf(lists.questionOpenings)
/** Words of what is made up or played. */
export const FICTION = setOf(lists.fiction)
/** Words that take back a sentence, in it or at the start of the next. */
export const TAKEN_BACK = setOf(lists.takenBack)
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

/** Forms of questions as patterns, without what may stand before and behind; `@` stands for the noun. */
export const ASKED = {
  now: askedForms(lists.asked),
  former: askedForms(lists.askedFormer),
  kin: entriesOf(lists.askedKin),
  kinFormer: entriesOf(lists.askedKinFormer),
  favourite: entriesOf(lists.askedFavourite),
  favouriteFormer: entriesOf(lists.askedFavouriteFormer),
  before: entriesOf(lists.askedBefore),
  behind: entriesOf(lists.askedBehind),
  formerBehind: entriesOf(lists.askedFormerBehind),
  words: entriesOf(lists.askedWords),
  verb: lists.askedVerb,
  newer: entriesOf(lists.askedNew),
} as const

const LIKED = new Map(
  entriesOf(lists.kindsLiked).flatMap((entry) => {
    const [kind = '', ...others] = entry.split('/')
    return others.map((other) => [other, kind] as const)
  }),
)

/** The predicate of what somebody likes best of a kind, whatever it is called: a film is a movie. */
export function favouriteOf(kind: string): string {
  return `favourite ${LIKED.get(kind) ?? kind}`
}
