import { typesOfTerm } from '../text/kinds.ts'
import { isBeforeAuthor, isWordOfWriting, type Question } from '../understand/question.ts'
import type { Candidate, Material, ScoredCandidate } from './candidates.ts'
import { isComputed } from './candidates.ts'
import { nameWords } from './names.ts'

/** Records by the person whose statements a question asks for. */
export interface AuthoredStatements {
  readonly records: ReadonlySet<number>
  /** Topic terms of the question; empty if it asks for everything the person wrote. */
  readonly topic: readonly string[]
}

/**
 * Finds the author named in a question such as "What did Ada write?" or "What has Ada said about the gate?". Returns
 * undefined if the question names no author, or if the author wrote none of the records.
 */
export function findAuthored(
  question: Question,
  { records, names, termsOf }: Material,
): AuthoredStatements | undefined {
  if (!question.words.some(({ text }) => isWordOfWriting(text))) return undefined
  const asked = question.words.map(({ text, isAfterAuxiliary }) => ({
    text: nameWords(text).join(' '),
    isAfterAuxiliary,
  }))
  const isDoer = (at: number) => asked[at]!.isAfterAuxiliary || isBeforeAuthor(asked[at - 1]?.text ?? '')
  const doers = asked.flatMap((_, at) => (isDoer(at) ? [at] : []))
  // The longest name wins. "Nina Roos" in the question does not match an author whose only name is Nina.
  const lengths = records.map(({ author, entities }) => {
    if (author === undefined) return 0
    const own = entities.find(({ canonicalId }) => canonicalId === author.canonicalId)
    const names = [author.name, ...(own?.aliases ?? [])].map(nameWords)
    return Math.max(0, ...names.flatMap((name) => doers.map((at) => matchedWords(name, asked.slice(at)))))
  })
  const most = Math.max(0, ...lengths)
  if (most === 0) return undefined
  const authored = new Set(lengths.flatMap((length, at) => (length === most ? [at] : [])))
  const called = new Set([...authored].flatMap((at) => [...termsOf(records[at]!.author!.name)]))
  for (const name of names.findAsked(question.words)) {
    if (names.isPerson(name.name)) for (const term of termsOf(name.words)) called.add(term)
  }
  const saying = new Set(question.words.flatMap(({ text }) => (isWordOfWriting(text) ? termsOf(text) : [])))
  const topic = question.about.filter(
    (term) => !called.has(term) && !saying.has(term) && typesOfTerm(term).length === 0,
  )
  return { records: authored, topic }
}

/**
 * Returns the number of leading words that match the name: all words of the full name, or the first name if no other
 * part of a name follows.
 */
function matchedWords(name: readonly string[], words: readonly { text: string }[]): number {
  if (name.length > 0 && name.every((word, at) => words[at]?.text === word)) return name.length
  return words[0]?.text === name[0] && !name.includes(words[1]?.text ?? '') ? 1 : 0
}

/** Returns the statements of the author, latest first. The probability decreases with age. */
export function statementsOfAuthor(
  { records: by }: AuthoredStatements,
  { candidates, records }: Material,
): ScoredCandidate[] {
  const timeOf = ({ record }: Candidate) => records[record]!.occurredAtMs ?? Number.NEGATIVE_INFINITY
  const said = candidates.filter((each) => by.has(each.record) && !isComputed(each))
  const latestFirst = said.toSorted(
    (one, other) => timeOf(other) - timeOf(one) || one.record - other.record || one.start - other.start,
  )
  return latestFirst.map((each, at) => ({ ...each, p: 1 - at / (latestFirst.length + 1), cover: 0, carries: [] }))
}

/** Returns the author's statements about a topic. */
export function statementsOnTopic(
  { records, topic }: AuthoredStatements,
  scored: readonly ScoredCandidate[],
): ScoredCandidate[] {
  const asked = new Set(topic)
  return scored.filter((each) => records.has(each.record) && [...each.terms].some((term) => asked.has(term)))
}
