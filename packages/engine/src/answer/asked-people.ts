import { speaksAsSomebody } from '../text/words.ts'
import type { Question } from '../understand/question.ts'
import { type Candidate, isMade, type Material } from './candidates.ts'
import type { NameIndex } from './names.ts'

/** Who the question asks about as doing something: "what did Priya say", "when does Jon leave". */
export function askedDoers(question: Question, names: NameIndex): ReadonlySet<string> {
  const doers = names.findAsked(question.words).filter(({ name, isDoer }) => isDoer && names.isPerson(name))
  return new Set(doers.flatMap(({ name }) => names.entityOf(name) ?? []))
}

/** The entity that a sentence speaks of as "I", or whose doings are asked for. */
export function speaker(candidate: Candidate, { records }: Material, doers: ReadonlySet<string>): string | undefined {
  const author = records[candidate.record]!.author?.canonicalId
  if (isMade(candidate) || author === undefined) return undefined
  return doers.has(author) || speaksAsSomebody(candidate.text) ? author : undefined
}
