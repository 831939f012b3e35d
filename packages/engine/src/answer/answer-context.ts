import type { Question } from '../understand/question.ts'
import { everydayTerms } from '../understand/written-names.ts'
import { kindTerms } from './aliases.ts'
import type { Corpus, SemanticScores } from './brief.ts'
import type { Candidate, Material } from './candidates.ts'

/** A question with its records and the intermediate values from which the features are computed. */
export interface AnswerContext {
  question: Question
  material: Material
  corpus: Corpus
  meant: SemanticScores | undefined
  /** Inverse document frequency in scope of the terms that the question is about, rarest first. */
  weights: ReadonlyMap<string, number>
  /** For each record, the terms of its title, author and type. `candidatesByRecord` has each record's candidates. */
  heads: Terms[]
  candidatesByRecord: Candidate[][]
}

/** A set of distinct terms. */
export type Terms = ReadonlySet<string>

/** Maximum number of terms, rarest first. It bounds the cost when a long text is given as a question. */
const TERMS_MAX = 40

/** Weight factor of common verbs. For example, "is paid" in a question about the rent says less than "rent". */
const EVERYDAY_SHARE = 0.3
/**
 * Number of records above which a scope covers the general vocabulary. A word that is missing in such a scope means
 * that no record is about it.
 */
export const GENERAL_VOCABULARY_RECORDS = 10_000

/** Evaluates a question against its records. Returns undefined without topic terms or records. */
export function createAnswerContext(
  question: Question,
  material: Material,
  corpus: Corpus,
  meant?: SemanticScores,
): AnswerContext | undefined {
  // With semantic similarity, terms are weighted by how well the statements express them.
  const isByMeaning = corpus.isByMeaning === true && meant === undefined
  const weights = salientTerms(question, { ...corpus, isByMeaning }, material.termsOf)
  if (weights.size === 0 || material.records.length === 0) return undefined
  const { records, candidates, termsOf } = material
  const heads = records.map((record) => {
    const { title = '', author } = record
    return new Set([...termsOf(`${title}\n${author?.name ?? ''}`), ...kindTerms(record, termsOf)])
  })
  const candidatesByRecord = records.map((): Candidate[] => [])
  for (const candidate of candidates) candidatesByRecord[candidate.record]!.push(candidate)
  return { question, material, corpus, meant, weights, heads, candidatesByRecord }
}

/** Returns the topic terms of a question with their weights, rarest first. */
function salientTerms(
  { about, isForeign, names }: Question,
  corpus: Corpus,
  termsOf: Material['termsOf'],
): Map<string, number> {
  const known = about.filter((term) => corpus.degreeOf(term) > 0)
  // If the records contain some of the terms of a foreign question, its other terms are ignored.
  let topicTerms = isForeign && known.length > 0 ? known : about
  if (corpus.isByMeaning) {
    const named = new Set(names.flatMap(({ terms }) => terms))
    topicTerms = about.filter((term) => known.includes(term) || named.has(term))
  }
  const everyday = everydayTerms(termsOf)
  const weighted = topicTerms.map((term): [string, number] => {
    const degree = Math.min(corpus.records, corpus.degreeOf(term))
    const share = everyday.has(term) ? EVERYDAY_SHARE : 1
    return [term, share * Math.log(1 + (corpus.records - degree + 0.5) / (degree + 0.5))]
  })
  return new Map(weighted.sort((one, other) => other[1] - one[1]).slice(0, TERMS_MAX))
}

/**
 * Returns how much of the general vocabulary a scope covers, from 0 to 1. The records of a small scope may use other
 * words than the question.
 */
export function vocabularyCoverage({ records }: Corpus): number {
  return Math.min(1, Math.log(2 + records) / Math.log(GENERAL_VOCABULARY_RECORDS))
}

export function union(sets: readonly Terms[]): Set<string> {
  const all = new Set<string>()
  for (const set of sets) for (const term of set) all.add(term)
  return all
}

/** Returns the share of the weights whose terms are in any of the sets; 1 if there are no weights. */
export function shareOf(weights: ReadonlyMap<string, number>, ...sets: readonly Terms[]): number {
  let [covered, total] = [0, 0]
  for (const [term, weight] of weights) {
    total += weight
    if (sets.some((terms) => terms.has(term))) covered += weight
  }
  return total === 0 ? 1 : covered / total
}
