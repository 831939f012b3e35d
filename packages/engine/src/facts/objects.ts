import { ENDS_WORDS, type FactObject } from '../lexicon/facts.ts'
import type { FoundMention } from '../mentions/find-mentions.ts'
import type { Place } from './subjects.ts'

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

/** What stands from a token on, as a name of the wanted kind or the words of an occupation. */
export function objectAt(place: Place, at: number, object: FactObject): ObjectFound | undefined {
  const first = place.tokens[at]
  if (first?.gap !== 'space') return undefined
  if (object === 'words') return wordsAt(place, at, at - 1)
  const article = first.lower === 'the' || first.lower === 'team' ? 1 : 0
  const found = nameAt(place, at + article)
  if (!found) return undefined
  const { mention, to } = found
  // "Lyon 3 weeks ago": a town has no number.
  const isCounted = object === 'place' && place.tokens[to - 1]!.shape === 'number' && to - at > 1
  if (!isCounted && NOT_OF[object].includes(mention.type)) return undefined
  const end = isCounted ? to - 1 : to
  return { text: place.text.slice(mention.start, place.tokens[end - 1]!.to), to: end }
}

/** The name that begins at a token, with the token behind it. */
export function nameAt({ tokens, starting }: Place, at: number): { mention: FoundMention; to: number } | undefined {
  const first = tokens[at]
  const mention = first && starting.get(first.from)
  if (!mention) return undefined
  let to = at + 1
  while (to < tokens.length && tokens[to]!.to <= mention.end) to += 1
  return { mention, to }
}

/** Words up to one that ends them, told from `from` on, where the article before them belongs to them. */
function wordsAt({ text, tokens }: Place, at: number, from: number): ObjectFound | undefined {
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
