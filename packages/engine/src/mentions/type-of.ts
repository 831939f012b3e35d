import {
  DOING,
  GIVEN_NAMES,
  GIVEN_WORDS,
  GREETINGS,
  INCIDENT_WORDS,
  KNOWN_ORGANISATIONS,
  KNOWN_PLACES,
  KNOWN_PRODUCTS,
  NAME_CONNECTORS,
  ORGANISATION_ENDINGS,
  PLACE_ENDINGS,
  PLACE_OPENINGS,
  PLACE_PREPOSITIONS,
  PRODUCT_WORDS,
  PROJECT_WORDS,
  TITLES,
  WORK_WORDS,
} from '../lexicon/names.ts'
import type { Token } from './tokens.ts'

/** What a name in a text may be of. */
export const MENTION_TYPES = ['person', 'organization', 'place', 'product', 'work', 'project', 'incident'] as const
export type MentionType = (typeof MENTION_TYPES)[number]

/** What the name that consists of the tokens from `start` up to `end` is most likely of. */
export function typeOf(tokens: readonly Token[], { start, end }: { start: number; end: number }): MentionType {
  const [first, last] = [tokens[start]!, tokens[end - 1]!]
  const before = first.gap === 'end' ? undefined : tokens[start - 1]
  const after = tokens[end]?.gap === 'space' ? tokens[end] : undefined
  const isOneOf = (words: ReadonlySet<string>) =>
    words.has(first.lower) || words.has(last.lower) || isIn(words, before) || isIn(words, after)
  const words = end - start
  if (isIn(TITLES, before) || TITLES.has(first.lower)) return 'person'
  if (isOneOf(INCIDENT_WORDS)) return 'incident'
  if (isOneOf(PROJECT_WORDS)) return 'project'
  if (ORGANISATION_ENDINGS.has(last.lower) && words > 1) return 'organization'
  if (ORGANISATION_ENDINGS.has(first.lower) && tokens[start + 1]?.lower === 'of' && words > 1) return 'organization'
  if (PLACE_ENDINGS.has(last.lower) && words > 1) return 'place'
  const whole = words === 1 ? first.lower : ''
  if (KNOWN_ORGANISATIONS.has(whole)) return 'organization'
  if (KNOWN_PRODUCTS.has(first.lower) || last.shape === 'number') return 'product'
  const isGiven = GIVEN_NAMES.has(first.lower) || (GIVEN_WORDS.has(first.lower) && words > 1)
  const inPlace = isIn(PLACE_PREPOSITIONS, before)
  if (KNOWN_PLACES.has(first.lower) || KNOWN_PLACES.has(last.lower)) return isGiven && !inPlace ? 'person' : 'place'
  if (isGiven) return 'person'
  if (isIn(WORK_WORDS, before) || isIn(WORK_WORDS, after)) return 'work'
  if (PLACE_OPENINGS.has(first.lower) && words > 1) return 'place'
  for (let at = start; at < end; at += 1) {
    if (tokens[at]!.shape === 'lower' && NAME_CONNECTORS.has(tokens[at]!.lower)) return 'work'
  }
  if (words === 1 && (first.shape === 'mixed' || isIn(PRODUCT_WORDS, after))) return 'product'
  if (first.shape === 'upper') return 'organization'
  if (isIn(DOING, after) || isSpokenTo(tokens, start, end)) return 'person'
  if (inPlace && words === 1) return 'place'
  return words > 1 ? 'organization' : 'product'
}

function isIn(words: ReadonlySet<string>, token: Token | undefined): boolean {
  return token !== undefined && words.has(token.lower)
}

/** "Hey Nate!", "See you, Nate." */
function isSpokenTo(tokens: readonly Token[], start: number, end: number): boolean {
  const [first, next] = [tokens[start]!, tokens[end]]
  if (end - start > 1 || (next && next.gap !== 'end' && next.gap !== 'comma')) return false
  const before = tokens[start - 1]
  return first.gap === 'comma' || (first.gap === 'space' && GREETINGS.has(before?.lower ?? ''))
}

/**
 * What stands first among the keys of an entity that texts mention and nothing declares, where no hash is as small:
 * that whatever is declared under its name may be it, or whatever but a person, as with the name of a town. The key of
 * the name by which that is found follows, which the entity does not own.
 */
export const MENTIONED_MARK = { anything: 1, thing: 2 } as const
