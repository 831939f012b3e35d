import { normaliseType } from '../resolve/things.ts'
import { wordsOfType } from '../text/kinds.ts'
import type { Question } from '../understand/question.ts'
import type { BriefRecord } from './brief.ts'
import type { Candidate, Material } from './candidates.ts'
import type { NameIndex } from './names.ts'

/** Whoever writes is one. */
const PERSON = 'person'

/** The terms of the words for what a record is and for what it is declared to be about: an incident is an outage. */
export function kindTerms({ type, entities }: BriefRecord, termsOf: Material['termsOf']): ReadonlySet<string> {
  const types = new Set([type, ...entities.map((each) => each.type)].map(normaliseType))
  types.delete(PERSON)
  return new Set(termsOf([...types].flatMap(wordsOfType).join(' ')))
}

/** By entity, the terms under which the question names it, so that its other names count as well. */
export function askedAliases(question: Question, { names, termsOf }: Material): Map<string, string[]> {
  const aliases = new Map<string, string[]>()
  for (const { name, words } of names.findAsked(question.wordsInTalk)) {
    const entity = names.entityOf(name)
    if (entity !== undefined) aliases.set(entity, [...(aliases.get(entity) ?? []), ...termsOf(words)])
  }
  return aliases
}

/** The terms of a candidate with those by which the question names the entities that it names. */
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
