import { IDEAS } from '../lexicon/languages.ts'
import type { Question } from '../understand/question.ts'
import type { Candidate, Material } from './candidates.ts'
import type { NameIndex } from './names.ts'

/** By term of the question, the others that say the same idea. */
export function akinTerms({ terms }: Question, { termsOf }: Material): Map<string, readonly string[]> {
  const ideas = IDEAS.map((words) => [...new Set(termsOf(words.join(' ')))])
  return new Map(terms.flatMap((term) => ideas.filter((idea) => idea.includes(term)).map((idea) => [term, idea])))
}

/** By entity, the terms under which the question names it, so that its other names count as well. */
export function askedKin(question: Question, { names, termsOf }: Material): Map<string, string[]> {
  const kin = new Map<string, string[]>()
  for (const { name, words } of names.findWords(question.whole)) {
    const entity = names.entityOf(name)
    if (entity !== undefined) kin.set(entity, [...(kin.get(entity) ?? []), ...termsOf(words)])
  }
  return kin
}

/** The terms of a candidate with those by which the question names the entities that it names. */
export function withKin(
  candidate: Candidate,
  kin: ReadonlyMap<string, string[]>,
  names: NameIndex,
  speaker: string | undefined,
): ReadonlySet<string> {
  if (kin.size === 0) return candidate.terms
  const added = [...candidate.names.map((name) => names.entityOf(name)), speaker].flatMap(
    (id) => kin.get(id ?? '') ?? [],
  )
  return added.length === 0 ? candidate.terms : new Set([...candidate.terms, ...added])
}
