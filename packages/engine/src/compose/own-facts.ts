import { MS_PER_DAY, parseIsoDay } from '../text/civil-date.ts'
import { type BriefInput, type BriefRecord, type Draft, READER } from './brief.ts'
import type { Material } from './candidates.ts'
import { type Fact, gatherFacts } from './facts.ts'

/** Facts that answer one question. */
const FACTS_MAX = 5

/**
 * What the records' facts tell of who asks, where the question asks for that: how it stands first, with what it was
 * before; what is over only where nothing holds. Empty where they do not tell it.
 */
export function ownFacts(
  { factsAsked, referenceDate }: BriefInput,
  records: readonly BriefRecord[],
  weight: number,
): Draft[] {
  if (factsAsked === undefined) return []
  const { predicates, isFormer } = factsAsked
  const today = parseIsoDay(referenceDate)
  const told = gatherFacts(records, today === undefined ? undefined : (today + 1) * MS_PER_DAY).filter(
    ({ subject, predicate }) => subject === READER && predicates.includes(predicate),
  )
  const holding = told.filter((fact) => (isFormer ? fact.former.length > 0 || fact.isOver : !fact.isOver))
  const chosen = (holding.length > 0 || isFormer ? holding : told).slice(0, FACTS_MAX)
  return chosen.map((fact) => toDraft(fact, records, weight))
}

function toDraft({ text, computed, records: at }: Fact, records: readonly BriefRecord[], weight: number): Draft {
  const recordIds = [...new Set(at.map((place) => records[place]!.id))]
  return { role: 'answer', text, computed, recordIds, weight }
}

/**
 * What may be told beside such facts: the words that they rest on, and what was written since, which may overtake them.
 * What an assistant wrote is nothing that its user said.
 */
export function besideFacts(material: Material, facts: readonly Draft[]): Material {
  const { records } = material
  const behind = new Set(facts.flatMap(({ recordIds }) => recordIds))
  const latestMs = Math.max(...records.flatMap(({ id, occurredAtMs }) => (behind.has(id) ? (occurredAtMs ?? []) : [])))
  const isBeside = ({ id, author, occurredAtMs }: BriefRecord) =>
    behind.has(id) || (author === undefined && occurredAtMs !== undefined && occurredAtMs > latestMs)
  const candidates = material.candidates.filter(
    ({ record, source }) => source === 'sentence' && isBeside(records[record]!),
  )
  return { ...material, candidates }
}
