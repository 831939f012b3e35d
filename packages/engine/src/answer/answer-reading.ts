import type { Question } from '../understand/question.ts'
import { everydayTerms } from '../understand/written-names.ts'
import { kindTerms } from './aliases.ts'
import type { Corpus, Meant } from './brief.ts'
import type { Candidate, Material } from './candidates.ts'

/** A question beside its records, as what speaks for and against an answer is read from them. */
export interface AnswerReading {
  question: Question
  material: Material
  corpus: Corpus
  meant: Meant | undefined
  /** What the question is about, by how rare it is in scope, the rarest first. */
  weights: ReadonlyMap<string, number>
  /** By record, what stands in its title, in the name of its author and in words for its kind, and what it says. */
  heads: Terms[]
  said: Candidate[][]
}

/** Distinct terms. */
export type Terms = ReadonlySet<string>

/** Terms that are looked at, the rarest first, so that a long text asked as a question stays cheap. */
const TERMS_MAX = 40

/** What a verb counts that is used of anything: whether a rent is paid or is, it is the rent that is asked for. */
const EVERYDAY_SHARE = 0.3
/** Records from which a scope has the words of a language, so that one it lacks says that nothing speaks of it. */
export const WORDED_RECORDS = 10_000

/** Reads a question beside its records; undefined when it is about nothing, or when there are none. */
export function readAnswering(
  question: Question,
  material: Material,
  corpus: Corpus,
  meant?: Meant,
): AnswerReading | undefined {
  // What a model compares is weighed by how far it is said.
  const isByMeaning = corpus.isByMeaning === true && meant === undefined
  const weights = salientTerms(question, { ...corpus, isByMeaning }, material.termsOf)
  if (weights.size === 0 || material.records.length === 0) return undefined
  const { records, candidates, termsOf } = material
  const heads = records.map((record) => {
    const { title = '', author } = record
    return new Set([...termsOf(`${title}\n${author?.name ?? ''}`), ...kindTerms(record, termsOf)])
  })
  const said = records.map((): Candidate[] => [])
  for (const candidate of candidates) said[candidate.record]!.push(candidate)
  return { question, material, corpus, meant, weights, heads, said }
}

/** What a question is about, each term by how rare it is in scope and how much it says, the rarest first. */
function salientTerms(
  { about, isForeign, names }: Question,
  corpus: Corpus,
  termsOf: Material['termsOf'],
): Map<string, number> {
  const heard = about.filter((term) => corpus.degreeOf(term) > 0)
  // A word of another language that no record has says nothing beside one that they have.
  let told = isForeign && heard.length > 0 ? heard : about
  if (corpus.isByMeaning) {
    const named = new Set(names.flatMap(({ terms }) => terms))
    told = about.filter((term) => heard.includes(term) || named.has(term))
  }
  const everyday = everydayTerms(termsOf)
  const weighed = told.map((term): [string, number] => {
    const degree = Math.min(corpus.records, corpus.degreeOf(term))
    const share = everyday.has(term) ? EVERYDAY_SHARE : 1
    return [term, share * Math.log(1 + (corpus.records - degree + 0.5) / (degree + 0.5))]
  })
  return new Map(weighed.sort((one, other) => other[1] - one[1]).slice(0, TERMS_MAX))
}

/** How far the records of a scope have the words that people use, 0..1: a few say much of what is asked in others. */
export function wordedness({ records }: Corpus): number {
  return Math.min(1, Math.log(2 + records) / Math.log(WORDED_RECORDS))
}

/** All terms of some sets. */
export function union(sets: readonly Terms[]): Set<string> {
  const all = new Set<string>()
  for (const set of sets) for (const term of set) all.add(term)
  return all
}

/** Share of the weights that the terms of any of some sets hold; 1 when there are none. */
export function shareOf(weights: ReadonlyMap<string, number>, ...sets: readonly Terms[]): number {
  let [held, total] = [0, 0]
  for (const [term, weight] of weights) {
    total += weight
    if (sets.some((terms) => terms.has(term))) held += weight
  }
  return total === 0 ? 1 : held / total
}
