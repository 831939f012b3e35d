import type { Wording } from '../understand/wording.ts'
import type { BriefInput, Meant } from './brief.ts'
import { gatherMaterial, type Material } from './candidates.ts'
import { type Scored, scoreCandidates } from './score.ts'
import { comparedText } from './statement-worth.ts'

/** Statements that are compared: what says most of a question by its meaning is hardly ever behind the sixteenth. */
const COMPARED_MAX = 16

/** A question and the statements that a model should compare with it. */
export interface ToCompare {
  question: Wording
  texts: string[]
}

/** What a model should compare before the records are told of: the statements that answer best by their words. */
export function toCompare(input: BriefInput): ToCompare {
  const material = gatherMaterial(input, false)
  const texts = bestByWords(input, material).map((each) => comparedText(each, material))
  return { question: input.asked.whole.wordingInTalk, texts: [...new Set(texts)] }
}

/** What may be told, with the ids of the records: what is worth most first. */
export function readStatements(input: BriefInput): (Scored & { recordId: string })[] {
  const material = gatherMaterial(input, false)
  return scoreCandidates(input.asked.whole, material)
    .filter(({ worth }) => worth > 0)
    .sort((one, other) => other.worth - one.worth)
    .map((each) => ({ ...each, recordId: material.records[each.record]!.id }))
}

function bestByWords(input: BriefInput, { meant: _, ...material }: Material): Scored[] {
  return scoreCandidates(input.asked.whole, material)
    .sort((one, other) => other.worth - one.worth)
    .slice(0, COMPARED_MAX)
}

/** The greatest cosine of a statement and the question. */
export function mostAlike({ texts }: Meant): number {
  return Math.max(0, ...[...texts.values()].map(({ alike }) => alike))
}

/** How much of each term of a question the statement says that says most of it. */
export function termsMeant({ words, texts }: Meant, termsOf: Material['termsOf']): ReadonlyMap<string, number> {
  const most = words.map((_, at) => Math.max(0, ...[...texts.values()].map(({ said }) => said[at] ?? 0)))
  return termsSaid(words, most, termsOf)
}

/** How much of each term of a question is said, by how much is said of each of its words. */
export function termsSaid(
  words: readonly string[],
  said: ArrayLike<number>,
  termsOf: Material['termsOf'],
): ReadonlyMap<string, number> {
  const shares = new Map<string, number>()
  for (const [at, word] of words.entries())
    for (const term of termsOf(word)) shares.set(term, Math.max(shares.get(term) ?? 0, said[at] ?? 0))
  return shares
}
