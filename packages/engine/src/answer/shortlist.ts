import type { SegmentedRecord, Statement } from './statement.ts'

/** Maximum number of statements that the cross-encoder scores for one question. */
export const SHORTLIST_MAX = 24
/** Parameters of BM25: term saturation and length normalization (Robertson and Zaragoza, 2009, §3.4). */
const K1 = 1.2
const B = 0.75
/** Weight of a term that occurs only in the context. */
const CONTEXT_WEIGHT = 0.5
/** Share of the better neighbor's score that is added: answers often follow the line that names the topic. */
const NEIGHBOR_SHARE = 0.3
/** Share of a statement's score that depends on the relevance of its record. */
const RECORD_SHARE = 0.5

/** The terms of a question and their corpus statistics. */
export interface ShortlistQuestion {
  /** Distinct terms of the analyzer. */
  readonly terms: readonly string[]
  readonly idfOf: (term: string) => number
  readonly termsOf: (text: string) => readonly string[]
}

/**
 * Returns the best statements for the question, best first. The score is BM25F over statement and context, plus a share
 * of the better neighbor's score, scaled by the record's relevance. Equal scores keep the order of the records and
 * statements.
 */
export function shortlist(
  question: ShortlistQuestion,
  records: readonly SegmentedRecord[],
  max = SHORTLIST_MAX,
): Statement[] {
  const all = records.flatMap(({ statements }) => statements)
  const lengthMean = all.reduce((sum, { text }) => sum + text.length, 0) / Math.max(1, all.length)
  const contexts = new Map<string, ReadonlySet<string>>()
  const scored = records.flatMap(({ statements, record }) => {
    const lexical = statements.map((statement) =>
      bm25(question, statement, contextTerms(statement.context), lengthMean),
    )
    return statements.map((statement, at) => {
      const neighborScore = Math.max(lexical[at - 1] ?? 0, lexical[at + 1] ?? 0)
      const score = lexical[at]! + NEIGHBOR_SHARE * neighborScore
      return { statement, score: score * (1 - RECORD_SHARE + RECORD_SHARE * record.score) }
    })
  })
  scored.sort((one, other) => other.score - one.score || compare(one.statement, other.statement))
  return scored.slice(0, max).map(({ statement }) => statement)

  function contextTerms(context: string): ReadonlySet<string> {
    const known = contexts.get(context) ?? new Set(question.termsOf(context))
    contexts.set(context, known)
    return known
  }
}

function bm25(
  { terms, idfOf, termsOf }: ShortlistQuestion,
  { text }: Statement,
  context: ReadonlySet<string>,
  lengthMean: number,
): number {
  const own = termsOf(text)
  const norm = K1 * (1 - B + (B * text.length) / Math.max(1, lengthMean))
  let score = 0
  for (const term of terms) {
    const count = own.filter((each) => each === term).length + (context.has(term) ? CONTEXT_WEIGHT : 0)
    if (count > 0) score += (idfOf(term) * count * (K1 + 1)) / (count + norm)
  }
  return score
}

function compare(one: Statement, other: Statement): number {
  return one.record - other.record || one.start - other.start
}
