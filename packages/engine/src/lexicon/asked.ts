import aspects from './aspects.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }
import { anyOf, entriesOf, type Written, wholeOf } from './entries.ts'
import labels from './labels.json' with { type: 'json' }
import { inAll } from './languages.ts'
import lists from './rows.json' with { type: 'json' }

/** Pattern sources for the kinds of questions, more specific ones first. */
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

/** Kind of answer that a question asks for. */
export type QuestionKind = keyof typeof KINDS

/** Patterns for lower-case text by kind of question. The first match decides. */
export const ASKING: readonly (readonly [QuestionKind, RegExp])[] = Object.entries(KINDS).map(
  ([kind, source]) => [kind as QuestionKind, new RegExp(source, 'u')] as const,
)

// ASCII word boundaries suffice, because these words are English. They are ten times faster than Unicode ones.
const patternOf = (...lists: string[][]) => new RegExp(`\\b${anyOf(...lists)}\\b`, 'i')

/** Aspects such as marriage or music. `asks` matches questions about the aspect, `answers` statements about it. */
export const ASPECTS: readonly { readonly name: string; readonly asks: RegExp; readonly answers: RegExp }[] =
  Object.entries(aspects).map(([name, { asks, tells }]) => ({
    name,
    asks: patternOf(entriesOf(asks)),
    answers: name === 'nationality' ? nationNamed(entriesOf(tells)) : patternOf(entriesOf(tells)),
  }))

/** Returns the pattern for a nationality: one of the listed words, or a capitalized word as in "is an Austrian". */
function nationNamed(words: string[]): RegExp {
  const being = `${anyOf(entriesOf(en.be))} ${anyOf(entriesOf(en.articles))}`
  return new RegExp(`\\b${being} (?:\\w+ )?\\p{Lu}|\\b${anyOf(words)}`, 'u')
}

/** Topic of a document section, by its label. */
export type Topic = keyof typeof labels

/** Patterns of a topic: its section labels, and the words of questions that it answers. */
interface AskedTopic {
  readonly topic: Topic
  readonly labels: RegExp
  readonly asks: RegExp
  /** Topic that this one excludes, although its words match: a suspected cause is not a cause. */
  readonly inPlaceOf: string | undefined
}

interface TopicWritten {
  labels: Written
  asks: Written
  inPlaceOf?: string
}

/** Common section labels of documents, with words of the questions that these sections answer. */
export const TOPICS: readonly AskedTopic[] = Object.entries<TopicWritten>(labels).map(
  ([topic, { labels: heads, asks, inPlaceOf }]) => ({
    topic: topic as Topic,
    labels: new RegExp(`^${anyOf(entriesOf(heads))}(?: \\(.{1,20}\\))?$`, 'iu'),
    asks: patternOf(entriesOf(asks)),
    inPlaceOf,
  }),
)

function listsOf<Name extends string>(written: Record<Name, Written>): Record<Name, readonly string[]> {
  const read = Object.entries<Written>(written).map(([name, list]) => [name, entriesOf(list)])
  return Object.fromEntries(read) as Record<Name, readonly string[]>
}

/** English phrases of table queries, by their function in the query. */
export const ROWS = listsOf(lists)
