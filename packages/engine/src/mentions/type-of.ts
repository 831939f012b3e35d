import {
  DOING,
  GIVEN_WORDS,
  GREETINGS,
  INCIDENT_WORDS,
  isGivenName,
  isKnownPlace,
  ORGANISATION_ENDINGS,
  PLACE_ENDINGS,
  PLACE_OPENINGS,
  PLACE_PREPOSITIONS,
  PROJECT_WORDS,
  TITLES,
  WORK_WORDS,
} from '../lexicon/names.ts'
import type { Token } from './tokens.ts'

/** Types of mentions. `thing` means that the context does not indicate the type. */
export const MENTION_TYPES = ['person', 'organization', 'place', 'work', 'project', 'incident', 'thing'] as const
export type MentionType = (typeof MENTION_TYPES)[number]

/**
 * Returns the type of the name in tokens `start` to `end` by its context: a title, a typical ending, an adjacent noun,
 * or a verb with a personal subject. In doubt it is `thing`, because a wrong type is worse than none.
 */
export function typeOf(tokens: readonly Token[], { start, end }: { start: number; end: number }): MentionType {
  const [first, last] = [tokens[start]!, tokens[end - 1]!]
  const before = first.gap === 'end' ? undefined : tokens[start - 1]
  const after = tokens[end]?.gap === 'space' ? tokens[end] : undefined
  const opens = (words: ReadonlySet<string>) => words.has(first.lower) || isIn(words, before)
  const words = end - start
  if (opens(TITLES)) return 'person'
  if (opens(INCIDENT_WORDS) || INCIDENT_WORDS.has(last.lower) || isIn(INCIDENT_WORDS, after)) return 'incident'
  if (opens(PROJECT_WORDS)) return 'project'
  if (words > 1 && (ORGANISATION_ENDINGS.has(last.lower) || isOrganisationOf(tokens, start))) return 'organization'
  if (words > 1 && (PLACE_ENDINGS.has(last.lower) || PLACE_OPENINGS.has(first.lower))) return 'place'
  if (isIn(WORK_WORDS, before) || isIn(WORK_WORDS, after)) return 'work'
  const isGiven = isGivenName(first.lower) || (GIVEN_WORDS.has(first.lower) && words > 1)
  const isPlace = isKnownPlace(joinedName(tokens, start, end))
  if (isPlace && (!isGiven || isIn(PLACE_PREPOSITIONS, before))) return 'place'
  if (isGiven || isIn(DOING, after) || isAddressed(tokens, start, end)) return 'person'
  return 'thing'
}

/** Returns true for names such as "University of Leeds". */
function isOrganisationOf(tokens: readonly Token[], start: number): boolean {
  return ORGANISATION_ENDINGS.has(tokens[start]!.lower) && tokens[start + 1]?.lower === 'of'
}

function joinedName(tokens: readonly Token[], start: number, end: number): string {
  const words = tokens.slice(start, end).map(({ lower }) => lower)
  return words.join(' ')
}

function isIn(words: ReadonlySet<string>, token: Token | undefined): boolean {
  return token !== undefined && words.has(token.lower)
}

/** Returns true if a person is addressed: "Hey Nate!", "See you, Nate." */
function isAddressed(tokens: readonly Token[], start: number, end: number): boolean {
  const [first, next] = [tokens[start]!, tokens[end]]
  if (end - start > 1 || (next && next.gap !== 'end' && next.gap !== 'comma')) return false
  const before = tokens[start - 1]
  return first.gap === 'comma' || (first.gap === 'space' && GREETINGS.has(before?.lower ?? ''))
}

/**
 * First number in the list of hashed keys of an entity that no record declares. Hashes are practically never that
 * small. `anything`: any declared entity with the same name may be this one. `thing`: any except a person, for example
 * for the name of a town.
 */
export const MENTION_ONLY_MARK = { anything: 1, thing: 2 } as const
