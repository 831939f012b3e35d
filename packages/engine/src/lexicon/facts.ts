import { anyOf, entriesOf, type Written } from './entries.ts'
import lists from './facts.json' with { type: 'json' }
import predicates from './predicates.json' with { type: 'json' }

/** Kind of the object of a fact. */
export type FactObject = 'place' | 'organisation' | 'thing' | 'words'

/** A verb or noun phrase that states a fact of some kind. */
export interface Phrase {
  readonly words: readonly string[]
  readonly predicate: string
  readonly object: FactObject
  /** Possible subject: the speaker, or a named person. */
  readonly of: 'speaker' | 'named'
  /** True if a form of "be" must precede it. */
  readonly needsBe: boolean
  /** True if it states that the fact has ended. */
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

/** Phrases for residence, employer, occupation and leadership, and for their ends, by first word. */
export const PHRASES: ReadonlyMap<string, readonly Phrase[]> = byFirst(lists.kinds.flatMap(phrasesOf))
/** Predicates by nouns for events with a single date: "launch" → "launch date". */
export const DATED_NOUNS: ReadonlyMap<string, string> = new Map(
  Object.entries(lists.dates).flatMap(([predicate, nouns]) => entriesOf(nouns).map((noun) => [noun, predicate])),
)
/** Phrases between an event noun and its date ("was moved to"), by their first word. */
export const DATED: ReadonlyMap<string, readonly { readonly words: readonly string[] }[]> = byFirst(
  entriesOf(lists.dated).map((entry) => ({ words: entry.split(' ') })),
)
/** Words that may occur between the event noun and the phrase. */
export const DATED_BETWEEN = setOf(lists.datedBetween)
/** Phrases that add a second fact after an object: "a nurse at …". */
export const GOES_ON: readonly (Pick<Phrase, 'words' | 'predicate' | 'object'> & { readonly after: string })[] =
  entriesOf(lists.goesOn).map((entry) => {
    const [after = '', words = '', predicate = ''] = entry.split('/')
    const object = lists.kinds.find((kind) => kind.predicate === predicate)!.object as FactObject
    return { after, words: words.split(' '), predicate, object }
  })
/** Words between a subject and its phrase that do not change the meaning. */
export const BETWEEN = setOf(lists.between)
/** The words of `BETWEEN` that are forms of "be". */
export const BEING = setOf(lists.being)
/** Words after which a name is the subject of a clause. */
export const OPENINGS = setOf(lists.openings)
/** Words after which the rest of a sentence is no fact: "will", "not", "almost". */
export const NOT_YET = setOf([...lists.plans, ...lists.notYet])
/** Words for conditions and hearsay. A sentence that contains one states no facts. */
export const NEVER = setOf(lists.never)
/** First words of questions. */
export const QUESTION_OPENINGS = setOf(lists.questionOpenings)
/** Words for fiction and role play. */
export const FICTION = setOf(lists.fiction)
/** Words for the future. A date may be stated with them, other facts may not. */
export const LATER = setOf(lists.later)
/** Words that follow an occupation and are not part of it: "a nurse at Acme". */
export const ENDS_WORDS = setOf(lists.endsWords)

/** A phrasing of a question about the user, with the predicate of the facts that answer it. */
interface AskedForm {
  readonly predicate: string
  readonly form: string
}

const askedForms = (list: Written): AskedForm[] =>
  entriesOf(list).map((entry) => {
    const at = entry.indexOf('/')
    return { predicate: entry.slice(0, at), form: entry.slice(at + 1) }
  })

/** Phrasings of questions about the user, as pattern sources, with the words that may precede and follow them. */
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
/** Predicates with one subject at a time ("leads"). A later subject ends the earlier relation. */
export const ROLE = new RegExp(
  `^(?:${anyOf(entriesOf(predicates.roles))}|is (?:the )?${anyOf(entriesOf(predicates.titles))}(?: of)?)$`,
)
/** Predicates with one value at a time. A later value ends the earlier one. */
export const ONE_AT_A_TIME = new RegExp(`^${anyOf(...ONE_OF.map(entriesOf))}$`)
