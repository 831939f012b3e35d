import { MS_PER_DAY, parseIsoDay } from '../text/civil-date.ts'
import { type BriefInput, type BriefRecord, READER } from './brief.ts'
import { isMade, type Material, type ScoredCandidate } from './candidates.ts'
import { gatherFacts } from './facts.ts'
import type { Shown } from './show.ts'

/** Maximum number of facts in one answer. */
const FACTS_MAX = 5

/**
 * Returns facts about the user from the records' relations, if the question asks for them. Current facts come with
 * their previous values. Past facts are returned only if there is no current one.
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
 * Returns the statements that may be shown next to facts: those from the facts' records, and newer ones, which may
 * supersede the facts. Excludes messages of assistants, which do not state facts about the user.
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
