import { MS_PER_DAY, parseIsoDay } from '../text/civil-date.ts'
import { type BriefInput, type BriefRecord, USER_SUBJECT } from './brief.ts'
import { isComputed, type Material, type ScoredCandidate } from './candidates.ts'
import { gatherFacts } from './facts.ts'
import type { RenderedPassage } from './show.ts'

/** Maximum number of facts in one answer. */
const FACTS_MAX = 5

/**
 * Returns facts about the user from the records' relations, if the question asks for them. A current fact includes its
 * previous values. Past facts are returned only if there is no current one.
 */
export function ownFacts(
  { factsAsked, referenceDate }: BriefInput,
  records: readonly BriefRecord[],
): RenderedPassage[] {
  if (factsAsked === undefined) return []
  const { predicates, isFormer } = factsAsked
  const today = parseIsoDay(referenceDate)
  const facts = gatherFacts(records, today === undefined ? undefined : (today + 1) * MS_PER_DAY).filter(
    ({ subject, predicate }) => subject === USER_SUBJECT && predicates.includes(predicate),
  )
  const current = facts.filter((fact) => (isFormer ? fact.former.length > 0 || fact.isOver : !fact.isOver))
  return (current.length > 0 || isFormer ? current : facts)
    .slice(0, FACTS_MAX)
    .map(({ text, computed, records: at }) => {
      const recordIds = [...new Set(at.map((index) => records[index]!.id))]
      return { text, computed, recordIds, spans: [] }
    })
}

/**
 * Returns the statements that may be shown together with facts: statements from the facts' records, and newer ones,
 * which may supersede the facts. Messages of assistants are excluded, because they do not state facts about the user.
 */
export function statementsWithFacts(
  scored: readonly ScoredCandidate[],
  facts: readonly RenderedPassage[],
  { records }: Material,
): ScoredCandidate[] {
  const factRecords = new Set(facts.flatMap(({ recordIds }) => recordIds))
  const latestMs = Math.max(
    ...records.flatMap(({ id, occurredAtMs }) => (factRecords.has(id) ? (occurredAtMs ?? []) : [])),
  )
  const isBeside = ({ id, author, occurredAtMs }: BriefRecord) =>
    factRecords.has(id) || (author === undefined && occurredAtMs !== undefined && occurredAtMs > latestMs)
  return scored.filter((each) => !isComputed(each) && isBeside(records[each.record]!))
}
