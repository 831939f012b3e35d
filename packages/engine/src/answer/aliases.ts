import { normaliseType } from '../resolve/declarations.ts'
import { wordsOfType } from '../text/kinds.ts'
import type { Question } from '../understand/question.ts'
import type { BriefRecord } from './brief.ts'
import type { Candidate, Material } from './candidates.ts'
import type { NameIndex } from './names.ts'

/** Entity type of people. It is excluded because every author is a person. */
const PERSON = 'person'

/**
 * Returns the terms that stand for the types of a record and of its declared entities, such as "outage" for an
 * incident.
 */
export function kindTerms({ type, entities }: BriefRecord, termsOf: Material['termsOf']): ReadonlySet<string> {
  const types = new Set([type, ...entities.map((each) => each.type)].map(normaliseType))
  types.delete(PERSON)
  return new Set(termsOf([...types].flatMap(wordsOfType).join(' ')))
}

/**
 * Returns, by entity id, the terms with which the question names the entity. With them, a candidate that uses another
 * name of the entity also matches.
 */
export function askedAliases(question: Question, { names, termsOf }: Material): Map<string, string[]> {
  const aliases = new Map<string, string[]>()
  for (const { name, words } of names.findAsked(question.wordsInTalk)) {
    const entity = names.entityOf(name)
    if (entity !== undefined) aliases.set(entity, [...(aliases.get(entity) ?? []), ...termsOf(words)])
  }
  return aliases
}

/** Returns the terms of a candidate and the question's terms for the entities that the candidate names. */
export function withAliases(
  candidate: Candidate,
  aliases: ReadonlyMap<string, string[]>,
  names: NameIndex,
  speaker: string | undefined,
): ReadonlySet<string> {
  if (aliases.size === 0) return candidate.terms
  const added = [...candidate.names.map((name) => names.entityOf(name)), speaker].flatMap(
    (id) => aliases.get(id ?? '') ?? [],
  )
  return added.length === 0 ? candidate.terms : new Set([...candidate.terms, ...added])
}
