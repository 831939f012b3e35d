import type { Wording } from '../understand/wording.ts'
import { embeddedText } from './answer-score.ts'
import type { BriefInput, SemanticScores } from './brief.ts'
import { gatherMaterial, type Material } from './candidates.ts'
import { type Scored, scoreCandidates } from './score.ts'

/** Maximum number of embedded statements. The statement with the greatest similarity rarely has a lower rank. */
const COMPARED_MAX = 16

/** A question and the statements that the embedding model compares with it. */
export interface ComparisonInput {
  question: Wording
  texts: string[]
}

/** Returns the texts that must be embedded before answering: the question and the best statements by words. */
export function comparisonInput(input: BriefInput): ComparisonInput {
  const material = gatherMaterial(input, false)
  const texts = bestByWords(input, material).map((each) => embeddedText(each, material))
  return { question: input.asked.whole.wordingInTalk, texts: [...new Set(texts)] }
}

/** Returns the candidate statements with a positive score and their record ids, best first. */
export function scoredStatements(input: BriefInput): (Scored & { recordId: string })[] {
  const material = gatherMaterial(input, false)
  return scoreCandidates(input.asked.whole, material)
    .filter(({ answerScore: worth }) => worth > 0)
    .sort((one, other) => other.answerScore - one.answerScore)
    .map((each) => ({ ...each, recordId: material.records[each.record]!.id }))
}

function bestByWords(input: BriefInput, { meant: _, ...material }: Material): Scored[] {
  return scoreCandidates(input.asked.whole, material)
    .sort((one, other) => other.answerScore - one.answerScore)
    .slice(0, COMPARED_MAX)
}

/** Returns the greatest cosine similarity of a statement to the question. */
export function maxSimilarity({ texts }: SemanticScores): number {
  return Math.max(0, ...[...texts.values()].map(({ alike }) => alike))
}

/** Returns for each query term the greatest degree to which a statement expresses it. */
export function bestTermScores(
  { words, texts }: SemanticScores,
  termsOf: Material['termsOf'],
): ReadonlyMap<string, number> {
  const most = words.map((_, at) => Math.max(0, ...[...texts.values()].map(({ said }) => said[at] ?? 0)))
  return termScores(words, most, termsOf)
}

/** Converts scores per word of the question to scores per query term. A score says how well it is expressed. */
export function termScores(
  words: readonly string[],
  said: ArrayLike<number>,
  termsOf: Material['termsOf'],
): ReadonlyMap<string, number> {
  const shares = new Map<string, number>()
  for (const [at, word] of words.entries())
    for (const term of termsOf(word)) shares.set(term, Math.max(shares.get(term) ?? 0, said[at] ?? 0))
  return shares
}
