import { isFirstPerson } from '../text/words.ts'
import type { Question } from '../understand/question.ts'
import { type Candidate, isComputed, type Material } from './candidates.ts'
import type { NameIndex } from './names.ts'

/** Returns the people whose actions the question asks about: "what did Priya say", "when does Jon leave". */
export function askedDoers(question: Question, names: NameIndex): ReadonlySet<string> {
  const doers = names.findAsked(question.words).filter(({ name, isDoer }) => isDoer && names.isPerson(name))
  return new Set(doers.flatMap(({ name }) => names.entityOf(name) ?? []))
}

/** Returns the author of a statement in the first person or of one by a person whose actions are asked about. */
export function speaker(candidate: Candidate, { records }: Material, doers: ReadonlySet<string>): string | undefined {
  const author = records[candidate.record]!.author?.canonicalId
  if (isComputed(candidate) || author === undefined) return undefined
  return doers.has(author) || isFirstPerson(candidate.text) ? author : undefined
}
