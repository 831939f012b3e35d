import { DATED_NOUNS, GOES_ON, PHRASES } from '../lexicon/facts.ts'
import type { FoundMention } from '../mentions/find-mentions.ts'
import { type Token, tokensOf } from '../mentions/tokens.ts'
import { DOUBT, doubtsOf } from './doubt.ts'
import { datedAt } from './find-dated.ts'
import { objectAt } from './objects.ts'
import { type Place, type Saying, type Stated, type Subject, stands, subjectBefore } from './subjects.ts'
import { timeSaid } from './time-said.ts'

export type { Saying } from './subjects.ts'

/** Something that a text states. */
export interface FoundFact {
  /** Who says it, or whose name stands there. */
  readonly subject: Subject
  /** In words: "lives in". */
  readonly predicate: string
  /** A name or words of the text as they are written; of a date the day as YYYY-MM-DD. */
  readonly object: string
  /** UTF-16 offsets into the text: where the statement begins, and behind its last character. */
  readonly start: number
  readonly end: number
  /** From 0 to 1. */
  readonly confidence: number
  /** The day number since which it holds, where the text says so; else it counts from when it was said. */
  readonly since?: number
  /** The day number from which it no longer holds: "I left Acme". */
  readonly until?: number
}

/** Facts of one text that are told. */
export const FACTS_MAX = 50

/** How sure a fact is, by whom it is about. */
const SURE = { speaker: 0.9, named: 0.8 } as const

/**
 * What a text states of who says it and of those whom it names, in order: where somebody lives, for whom and as what
 * they work, what they lead, and that they no longer do, and the day of a launch, a release, a cutover or a deadline.
 * English alone. A sentence that asks, denies, supposes, plans, quotes or reports states nothing. It takes time in
 * proportion to the text.
 * @param mentions the names in the text, in order (`findMentions`)
 */
export function findFacts(
  text: string,
  mentions: readonly FoundMention[],
  saying: Saying,
  tokens: readonly Token[] = tokensOf(text),
): FoundFact[] {
  const found: FoundFact[] = []
  let place: Place | undefined
  let doubts: Uint8Array | undefined
  const doubtAt = (at: number) => {
    doubts ??= doubtsOf(text, tokens)
    return doubts[at]!
  }
  for (let at = 0; at < tokens.length && found.length < FACTS_MAX; at += 1) {
    if (!BEGINNINGS.has(tokens[at]!.lower)) continue
    place ??= placeIn(text, tokens, mentions)
    const stated: Stated | undefined = datedAt(place, at, saying) ?? statedAt(place, at, saying)
    if (!stated || (doubtAt(stated.isEnd ? stated.from : at) & ~(stated.mayBe ?? DOUBT.none)) > 0) continue
    const { subject, predicate, object, from, to, begins, isEnd } = stated
    const [start, end] = [tokens[from]!.from, Math.max(tokens[to - 1]!.to, stated.end ?? 0)]
    const since = begins ? timeSaid(text, end, saying.today) : undefined
    // What begins after it was said is a plan.
    if (since !== undefined && saying.today !== undefined && since > saying.today) continue
    const confidence = subject.kind === 'speaker' ? SURE.speaker : SURE.named
    const day = isEnd ? (since ?? saying.today) : since
    // Nobody knows until when what ended on no day held.
    if (isEnd && day === undefined) continue
    const times = day === undefined ? {} : isEnd ? { until: day } : { since: day }
    found.push({ subject, predicate, object, start, end, confidence, ...times })
    const more = isEnd ? undefined : goesOnAt(place, stated)
    if (more && found.length < FACTS_MAX) found.push({ ...more, subject, start, confidence, ...times })
  }
  return found
}

/** Words at which a rule may read something. */
const BEGINNINGS: ReadonlySet<string> = new Set([...PHRASES.keys(), ...DATED_NOUNS.keys()])

function placeIn(text: string, tokens: readonly Token[], mentions: readonly FoundMention[]): Place {
  const starting = new Map(mentions.map((mention) => [mention.start, mention]))
  const ending = new Map(mentions.map((mention) => [mention.end, mention]))
  return { text, tokens, starting, ending }
}

/** What the phrases of the lexicon state at a token. */
function statedAt(place: Place, at: number, saying: Saying): Stated | undefined {
  for (const phrase of PHRASES.get(place.tokens[at]!.lower) ?? []) {
    if (!stands(place.tokens, at, phrase.words)) continue
    const subject = subjectBefore(place, at, phrase, saying)
    const object = subject && objectAt(place, at + phrase.words.length, phrase.object)
    if (!subject || !object || isSame(subject.subject, object.text)) continue
    return {
      ...subject,
      predicate: phrase.predicate,
      object: object.text,
      to: object.to,
      end: object.end,
      begins: true,
      isEnd: phrase.isEnd,
    }
  }
  return undefined
}

/** What a statement goes on with: "a nurse at Acme" is of both. */
function goesOnAt(place: Place, { predicate, to }: Stated) {
  const { tokens } = place
  const next = GOES_ON.find(({ after, words }) => after === predicate && stands(tokens, to, words))
  if (!next || tokens[to]?.gap !== 'space') return undefined
  const object = objectAt(place, to + next.words.length, next.object)
  return object && { predicate: next.predicate, object: object.text, end: object.end ?? tokens[object.to - 1]!.to }
}

function isSame(subject: Subject, object: string): boolean {
  return subject.kind === 'named' && subject.name === object
}
