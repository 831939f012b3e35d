import { BEING, BETWEEN, ENDS_WORDS, type FactObject, OPENINGS, type Phrase } from '../lexicon/facts.ts'
import type { FoundMention } from '../mentions/find-mentions.ts'
import type { Token } from '../mentions/tokens.ts'

/** Subject of a fact: the speaker, the entity that the text is about, or a named entity. */
export type Subject = { readonly kind: 'speaker' | 'about' } | { readonly kind: 'named'; readonly name: string }

export interface StatementContext {
  /** True if the speaker is known. */
  readonly isSpeakerKnown: boolean
  /** True if the text is about exactly one known entity. "The launch" then means the launch of that entity. */
  readonly isAboutKnown?: boolean
  /** Day on which it was said, in days since 1970-01-01. */
  readonly today?: number
}

/** A text with its tokens and mentions. */
export interface TaggedText {
  readonly text: string
  readonly tokens: readonly Token[]
  /** Mentions by start offset. `ending` has the same mentions by end offset. */
  readonly starting: ReadonlyMap<number, FoundMention>
  readonly ending: ReadonlyMap<number, FoundMention>
}

/** A statement that a rule found at a token. */
export interface FoundStatement {
  subject: Subject
  predicate: string
  object: string
  /** Index of its first token. The next field is the index after its last one. */
  from: number
  to: number
  /** UTF-16 offset after its last character, if that is not the end of a token. */
  end?: number | undefined
  /** `DOUBT` flags that this statement may have and still be a fact. */
  mayBe?: number
  /** True if a time after the statement ("since May") is the start of the fact, or its end if `isEnd` is set. */
  begins?: boolean
  /** True if it states that the fact has ended. A negation among its own words ("no longer") then casts no doubt. */
  isEnd?: boolean
}

/** Maximum number of words between a subject and its verb. */
const BETWEEN_MAX = 4
const BE_CLITIC = /^['’](?:m|s|re|ve)\b/i
const SPEAKERS: ReadonlySet<string> = new Set(['i'])

/** Returns true if the tokens from `at` on are the words of a phrase, separated by spaces or hyphens. */
export function phraseBegins(tokens: readonly Token[], at: number, words: readonly string[]): boolean {
  return words.every((word, index) => {
    const token = tokens[at + index]
    return token?.lower === word && !token.isCode && (index === 0 || token.gap === 'space' || token.gap === 'hyphen')
  })
}

interface SubjectFound {
  subject: Subject
  /** Index of its first token. */
  from: number
}

/** Returns the subject of a phrase at a token. Only adverbs and auxiliaries may be between subject and phrase. */
export function subjectBefore(
  tagged: TaggedText,
  at: number,
  { of, needsBe }: Pick<Phrase, 'of' | 'needsBe'>,
  { isSpeakerKnown }: StatementContext,
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

/** Returns the person whose name ends at a token, if the name begins a clause. */
function namedEnding({ tokens, ending, starting }: TaggedText, head: number, verb: number): SubjectFound | undefined {
  const mention = ending.get(tokens[head]!.to)
  if (mention?.type !== 'person' || tokens[head + 1]!.gap === 'comma') return undefined
  let from = head
  while (from > 0 && tokens[from]!.from > mention.start) from -= 1
  if (starting.get(tokens[from]!.from) !== mention || verb <= head) return undefined
  const first = tokens[from]!
  const before = tokens[from - 1]
  // A name after other words is rarely the subject: "the sister of Ana works for …".
  if (first.gap !== 'end' && !(before && OPENINGS.has(before.lower))) return undefined
  return { subject: { kind: 'named', name: mention.name }, from }
}

/** Maximum number of words of an occupation. */
const WORDS_MAX = 4
/** Types of mentions that cannot be the object of a fact, by kind of object. */
const NOT_OF: Record<Exclude<FactObject, 'words'>, readonly FoundMention['type'][]> = {
  place: ['person', 'work', 'incident', 'project'],
  organisation: ['person', 'place', 'incident', 'work'],
  thing: ['person', 'place', 'incident'],
}

interface ObjectFound {
  text: string
  /** Index of the token after the last one. */
  to: number
  /** UTF-16 offset after the last character, if that is not the end of a token. */
  end?: number
}

/** Returns the object of a fact that begins at a token: a name of the required kind, or the words of an occupation. */
export function objectAt(tagged: TaggedText, at: number, object: FactObject): ObjectFound | undefined {
  const first = tagged.tokens[at]
  if (first?.gap !== 'space') return undefined
  if (object === 'words') return wordsAt(tagged, at, at - 1)
  const article = first.lower === 'the' || first.lower === 'team' ? 1 : 0
  const found = nameAt(tagged, at + article)
  if (!found) return undefined
  const { mention, to } = found
  // "Lyon 3 weeks ago": the number is not part of the place name.
  const isCounted = object === 'place' && tagged.tokens[to - 1]!.shape === 'number' && to - at > 1
  if (!isCounted && NOT_OF[object].includes(mention.type)) return undefined
  const end = isCounted ? to - 1 : to
  return { text: tagged.text.slice(mention.start, tagged.tokens[end - 1]!.to), to: end }
}

/** Returns the mention that begins at a token, with the index of the token after it. */
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

/**
 * Returns the words of an occupation that begin at a token. `from` is the first token of the returned text, such as a
 * preceding article.
 */
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
