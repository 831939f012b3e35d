import type { AnswerContext } from './answer-context.ts'
import { embeddedText } from './answer-score.ts'
import type { Candidate } from './candidates.ts'
import { termScores } from './semantic-similarity.ts'

/**
 * Returns the weighted share of the question's other terms that the best statement about its subject does not express.
 * A statement is about the subject if it names it, has it in a title above, or has it as author. If the question names
 * no subject, all statements count. A term is expressed if the statement or its title contains it. Otherwise it counts
 * by the degree that the embedding model computed.
 */
export function unsupportedShare({
  question,
  material,
  meant,
  weights,
  heads,
  candidatesByRecord,
}: AnswerContext): number {
  const { names, records, termsOf } = material
  const asked = names.findAsked(question.words)
  const written = asked.filter(({ name, isCapital }) => isCapital || names.isPerson(name))
  const subject = [...written.flatMap(({ words }) => termsOf(words)), ...question.names.flatMap(({ terms }) => terms)]
  const known = new Set(asked.map(({ name }) => name))
  const entities = new Set(asked.flatMap(({ name }) => names.entityOf(name) ?? []))
  const rest = [...weights].filter(([term]) => !subject.includes(term))
  const total = rest.reduce((sum, [, weight]) => sum + weight, 0)
  if (total === 0) return 0
  const isOfSubject = ({ record, terms, names: own }: Candidate) =>
    subject.length === 0 ||
    own.some((name) => known.has(name)) ||
    entities.has(records[record]!.author?.canonicalId ?? '') ||
    subject.some((term) => terms.has(term) || heads[record]!.has(term))
  const shares = candidatesByRecord
    .flat()
    .filter(isOfSubject)
    .map((candidate) => {
      const compared = meant?.texts.get(embeddedText(candidate, material))
      const inOtherWords = compared && termScores(meant!.words, compared.said, termsOf)
      const contains = (term: string) => candidate.terms.has(term) || heads[candidate.record]!.has(term)
      const expressed = (term: string) => (contains(term) ? 1 : (inOtherWords?.get(term) ?? 0))
      return rest.reduce((sum, [term, weight]) => sum + weight * expressed(term), 0) / total
    })
  return 1 - Math.max(0, ...shares)
}
