import { BEING, BETWEEN, ENDS_WORDS, type FactObject, OPENINGS, type Phrase } from '../lexicon/facts.ts'
import type { FoundMention } from '../mentions/find-mentions.ts'
import type { Token } from '../mentions/tokens.ts'

/** Whom a fact is about: who says it, the one thing that it is about, or who is named. */
export type Subject = { readonly kind: 'speaker' | 'about' } | { readonly kind: 'named'; readonly name: string }

/** What is known of a text beside its words. */
export interface Saying {
  /** Whether it is known who says it. */
  readonly isSpeakerKnown: boolean
  /** Whether it is known what one thing it is about, whose "launch" needs no name. */
  readonly isAboutKnown?: boolean
  /** The day number on which it was said. */
  readonly today?: number
}

/** A text with its words and names. */
export interface TaggedText {
  readonly text: string
  readonly tokens: readonly Token[]
  /** Names by where they start, and by where they end. */
  readonly starting: ReadonlyMap<number, FoundMention>
  readonly ending: ReadonlyMap<number, FoundMention>
}

/** What a rule reads at a token. */
export interface Stated {
  subject: Subject
  predicate: string
  object: string
  /** Its first token, and the one behind its last. */
  from: number
  to: number
  /** UTF-16 offset behind its last character, where that is not the end of a token. */
  end?: number | undefined
  /** The doubts (`DOUBT`), together, with which it is a fact all the same. */
  mayBe?: number
  /** Whether a time that follows it ("since May") says from when the fact holds, or from when it no longer does. */
  begins?: boolean
  /** Whether it says that this no longer holds: its own words deny it, so only what stands before them doubts it. */
  isEnd?: boolean
}

/** Words between a subject and its verb. */
const BETWEEN_MAX = 4
const BE_CLITIC = /^['’](?:m|s|re|ve)\b/i
const SPEAKERS: ReadonlySet<string> = new Set(['i'])

/** Whether the words of a phrase stand at a token, with a space between each two. */
export function stands(tokens: readonly Token[], at: number, words: readonly string[]): boolean {
  return words.every((word, index) => {
    const token = tokens[at + index]
    return token?.lower === word && !token.isCode && (index === 0 || token.gap === 'space' || token.gap === 'hyphen')
  })
}

interface SubjectFound {
  subject: Subject
  /** The token at which it begins. */
  from: number
}

/** The subject of a phrase at a token, with only adverbs and auxiliaries between; undefined for any other. */
export function subjectBefore(
  tagged: TaggedText,
  at: number,
  { of, needsBe }: Pick<Phrase, 'of' | 'needsBe'>,
  { isSpeakerKnown }: Saying,
): SubjectFound | undefined {
  const { text, tokens } = tagged
  let [head, isBeing] = [at - 1, false]
  while (head >= 0 && at - head <= BETWEEN_MAX && isBetween(tokens, head)) {
    isBeing ||= BEING.has(tokens[head]!.lower)
    head -= 1
  }
  const token = tokens[head]
  if (!token || tokens[head + 1]!.gap === 'end') return undefined
  isBeing ||= BE_CLITIC.test(text.slice(token.to, token.to + 4))
  if (needsBe && !isBeing) return undefined
  if (of === 'speaker') {
    const isSpeaker = isSpeakerKnown && SPEAKERS.has(token.lower) && tokens[head + 1]!.gap !== 'comma'
    return isSpeaker ? { subject: { kind: 'speaker' }, from: head } : undefined
  }
  return namedEnding(tagged, head, at)
}

function isBetween(tokens: readonly Token[], at: number): boolean {
  return BETWEEN.has(tokens[at]!.lower) && tokens[at + 1]!.gap !== 'end'
}

/** The person whose name ends at a token and begins a clause. */
function namedEnding({ tokens, ending, starting }: TaggedText, head: number, verb: number): SubjectFound | undefined {
  const mention = ending.get(tokens[head]!.to)
  if (mention?.type !== 'person' || tokens[head + 1]!.gap === 'comma') return undefined
  let from = head
  while (from > 0 && tokens[from]!.from > mention.start) from -= 1
  if (starting.get(tokens[from]!.from) !== mention || verb <= head) return undefined
  const first = tokens[from]!
  const before = tokens[from - 1]
  // A name behind other words is rarely the subject: "the sister of Ana works for …".
  if (first.gap !== 'end' && !(before && OPENINGS.has(before.lower))) return undefined
  return { subject: { kind: 'named', name: mention.name }, from }
}

/** Words of the name of an occupation. */
const WORDS_MAX = 4
const NOT_OF: Record<Exclude<FactObject, 'words'>, readonly FoundMention['type'][]> = {
  place: ['person', 'work', 'incident', 'project'],
  organisation: ['person', 'place', 'incident', 'work'],
  thing: ['person', 'place', 'incident'],
}

interface ObjectFound {
  text: string
  /** The token behind the last. */
  to: number
  /** UTF-16 offset behind the last character, where that is not the end of a token. */
  end?: number
}

/** The object of a fact that begins at this token: a name of the wanted kind, or the words of an occupation. */
export function objectAt(tagged: TaggedText, at: number, object: FactObject): ObjectFound | undefined {
  const first = tagged.tokens[at]
  if (first?.gap !== 'space') return undefined
  if (object === 'words') return wordsAt(tagged, at, at - 1)
  const article = first.lower === 'the' || first.lower === 'team' ? 1 : 0
  const found = nameAt(tagged, at + article)
  if (!found) return undefined
  const { mention, to } = found
  // "Lyon 3 weeks ago": a town has no number.
  const isCounted = object === 'place' && tagged.tokens[to - 1]!.shape === 'number' && to - at > 1
  if (!isCounted && NOT_OF[object].includes(mention.type)) return undefined
  const end = isCounted ? to - 1 : to
  return { text: tagged.text.slice(mention.start, tagged.tokens[end - 1]!.to), to: end }
}

/** The name that begins at a token, with the token behind it. */
export function nameAt(
  { tokens, starting }: TaggedText,
  at: number,
): { mention: FoundMention; to: number } | undefined {
  const first = tokens[at]
  const mention = first && starting.get(first.from)
  if (!mention) return undefined
  let to = at + 1
  while (to < tokens.length && tokens[to]!.to <= mention.end) to += 1
  return { mention, to }
}

/** Words up to one that ends them, told from `from` on, where the article before them belongs to them. */
function wordsAt({ text, tokens }: TaggedText, at: number, from: number): ObjectFound | undefined {
  let to = at
  while (to < tokens.length && to - at <= WORDS_MAX) {
    const token = tokens[to]!
    const isJoined = token.gap === 'space' || (token.gap === 'hyphen' && to > at)
    if (!isJoined || ENDS_WORDS.has(token.lower) || token.isCode) break
    to += 1
  }
  if (to === at || to - at > WORDS_MAX) return undefined
  return { text: text.slice(tokens[from]!.from, tokens[to - 1]!.to), to }
}
