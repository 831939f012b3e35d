import aspects from './aspects.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }
import { anyOf, entriesOf, type Written, wholeOf } from './entries.ts'
import labels from './labels.json' with { type: 'json' }
import { inAll } from './languages.ts'
import lists from './rows.json' with { type: 'json' }

/** The kinds of answer that a question can ask for; those that say more of what they want come first. */
const KINDS = {
  howMany: wholeOf(inAll('asksHowMany')),
  howLong: wholeOf(inAll('asksHowLong')),
  howMuch: wholeOf(inAll('asksHowMuch')),
  open: wholeOf(inAll('asksOpen')),
  change: wholeOf(inAll('asksChange')),
  status: `${wholeOf(inAll('asksStatus'))}|${wholeOf(inAll('asksCourse'))}[^?]*${anyOf(inAll('courseEnds'))}(?!\\p{L})`,
  why: wholeOf(inAll('asksWhy')),
  who: wholeOf(inAll('asksWho')),
  when: wholeOf(inAll('asksWhen')),
  where: wholeOf(inAll('asksWhere')),
  overview: wholeOf(inAll('asksOverview')),
  yesNo: `^(?!${wholeOf(inAll('asksNoYesNo'))})${wholeOf(inAll('asksYesNo'))}`,
  fact: wholeOf(inAll('asksFact')),
}

/** What kind of answer a question asks for. */
export type QuestionKind = keyof typeof KINDS

/** By kind of answer what asks for it, in text in lower case; the first that fits decides. */
export const ASKING: readonly (readonly [QuestionKind, RegExp])[] = Object.entries(KINDS).map(
  ([kind, source]) => [kind as QuestionKind, new RegExp(source, 'u')] as const,
)

// ASCII boundaries and case on purpose: they are an order of magnitude faster, and these words are English.
const words = (...lists: string[][]) => new RegExp(`\\b${anyOf(...lists)}\\b`, 'i')

/** What questions ask about people, works, organisations and work, and by which words sentences tell it. */
export const ASPECTS: readonly { readonly name: string; readonly asks: RegExp; readonly tells: RegExp }[] =
  Object.entries(aspects).map(([name, { asks, tells }]) => ({
    name,
    asks: words(entriesOf(asks)),
    tells: name === 'nationality' ? nationTold(entriesOf(tells)) : words(entriesOf(tells)),
  }))

/** Beside some words "is an Austrian" tells a nation: a capital where no name stands. */
function nationTold(words: string[]): RegExp {
  const being = `${anyOf(entriesOf(en.be))} ${anyOf(entriesOf(en.articles))}`
  return new RegExp(`\\b${being} (?:\\w+ )?\\p{Lu}|\\b${anyOf(words)}`, 'u')
}

/** What a section of a document is about, as its label says. */
export type Topic = keyof typeof labels

/** By what a section is about: its labels everywhere, and the words of questions that it answers. */
interface AskedTopic {
  readonly topic: Topic
  readonly labels: RegExp
  readonly asks: RegExp
  /** What its words make of another topic: a suspected cause is no cause. */
  readonly inPlaceOf: string | undefined
}

interface TopicWritten {
  labels: Written
  asks: Written
  inPlaceOf?: string
}

/** Labels by which documents everywhere head their sections, with the words of questions that these answer. */
export const TOPICS: readonly AskedTopic[] = Object.entries<TopicWritten>(labels).map(
  ([topic, { labels: heads, asks, inPlaceOf }]) => ({
    topic: topic as Topic,
    labels: new RegExp(`^${anyOf(entriesOf(heads))}(?: \\(.{1,20}\\))?$`, 'iu'),
    asks: words(entriesOf(asks)),
    inPlaceOf,
  }),
)

function listsOf<Name extends string>(written: Record<Name, Written>): Record<Name, readonly string[]> {
  const read = Object.entries<Written>(written).map(([name, list]) => [name, entriesOf(list)])
  return Object.fromEntries(read) as Record<Name, readonly string[]>
}

/** The English phrases by which a question asks for rows, by what they say. */
export const ROWS = listsOf(lists)
