import { MS_PER_DAY, parseIsoDay } from '../text/civil-date.ts'
import { type BriefInput, type BriefRecord, READER } from './brief.ts'
import { isMade, type Material, type ScoredCandidate } from './candidates.ts'
import { gatherFacts } from './facts.ts'
import type { Shown } from './show.ts'

/** Maximum number of facts that answer one question. */
const FACTS_MAX = 5

/**
 * Returns what the records' relations say about the person who asks, if the question asks for that: what holds now with
 * what it was before. What no longer holds is returned only if nothing holds.
 */
export function ownFacts({ factsAsked, referenceDate }: BriefInput, records: readonly BriefRecord[]): Shown[] {
  if (factsAsked === undefined) return []
  const { predicates, isFormer } = factsAsked
  const today = parseIsoDay(referenceDate)
  const told = gatherFacts(records, today === undefined ? undefined : (today + 1) * MS_PER_DAY).filter(
    ({ subject, predicate }) => subject === READER && predicates.includes(predicate),
  )
  const holding = told.filter((fact) => (isFormer ? fact.former.length > 0 || fact.isOver : !fact.isOver))
  return (holding.length > 0 || isFormer ? holding : told)
    .slice(0, FACTS_MAX)
    .map(({ text, computed, records: at }) => {
      const recordIds = [...new Set(at.map((place) => records[place]!.id))]
      return { text, computed, recordIds, spans: [] }
    })
}

/**
 * Returns the statements that may be shown beside facts: those of the records that state them, and what was written
 * since, which may replace them. What an assistant wrote is not what its user said.
 */
export function besideFacts(
  scored: readonly ScoredCandidate[],
  facts: readonly Shown[],
  { records }: Material,
): ScoredCandidate[] {
  const behind = new Set(facts.flatMap(({ recordIds }) => recordIds))
  const latestMs = Math.max(...records.flatMap(({ id, occurredAtMs }) => (behind.has(id) ? (occurredAtMs ?? []) : [])))
  const isBeside = ({ id, author, occurredAtMs }: BriefRecord) =>
    behind.has(id) || (author === undefined && occurredAtMs !== undefined && occurredAtMs > latestMs)
  return scored.filter((each) => !isMade(each) && isBeside(records[each.record]!))
}
