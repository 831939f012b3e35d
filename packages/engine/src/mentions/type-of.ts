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
  const beside = [first.lower, last.lower, before?.lower ?? '', after?.lower ?? '']
  const isOneOf = (words: ReadonlySet<string>) => beside.some((word) => words.has(word))
  const words = end - start
  if (TITLES.has(before?.lower ?? '') || TITLES.has(first.lower)) return 'person'
  if (isOneOf(INCIDENT_WORDS)) return 'incident'
  if (isOneOf(PROJECT_WORDS)) return 'project'
  if (ORGANISATION_ENDINGS.has(last.lower) && words > 1) return 'organization'
  if (ORGANISATION_ENDINGS.has(first.lower) && tokens[start + 1]?.lower === 'of' && words > 1) return 'organization'
  if (PLACE_ENDINGS.has(last.lower) && words > 1) return 'place'
  const whole = words === 1 ? first.lower : ''
  if (KNOWN_ORGANISATIONS.has(whole)) return 'organization'
  if (KNOWN_PRODUCTS.has(first.lower) || last.shape === 'number') return 'product'
  const isGiven = GIVEN_NAMES.has(first.lower) || (GIVEN_WORDS.has(first.lower) && words > 1)
  const inPlace = PLACE_PREPOSITIONS.has(before?.lower ?? '')
  if (KNOWN_PLACES.has(first.lower) || KNOWN_PLACES.has(last.lower)) return isGiven && !inPlace ? 'person' : 'place'
  if (isGiven) return 'person'
  if ([before?.lower, after?.lower].some((word) => WORK_WORDS.has(word ?? ''))) return 'work'
  if (PLACE_OPENINGS.has(first.lower) && words > 1) return 'place'
  if (tokens.slice(start, end).some(({ shape, lower }) => shape === 'lower' && NAME_CONNECTORS.has(lower)))
    return 'work'
  if (words === 1 && (first.shape === 'mixed' || PRODUCT_WORDS.has(after?.lower ?? ''))) return 'product'
  if (first.shape === 'upper') return 'organization'
  if ((after && DOING.has(after.lower)) || isSpokenTo(tokens, start, end)) return 'person'
  if (inPlace && words === 1) return 'place'
  return words > 1 ? 'organization' : 'product'
}

/** "Hey Nate!", "See you, Nate." */
function isSpokenTo(tokens: readonly Token[], start: number, end: number): boolean {
  const [first, next] = [tokens[start]!, tokens[end]]
  if (end - start > 1 || (next && next.gap !== 'end' && next.gap !== 'comma')) return false
  const before = tokens[start - 1]
  return first.gap === 'comma' || (first.gap === 'space' && GREETINGS.has(before?.lower ?? ''))
}
