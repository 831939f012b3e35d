import type { Aspect, Question } from '../understand/question.ts'
import type { Material } from './candidates.ts'
import type { NameIndex } from './names.ts'

/** Links from records that the question names to records that these mention (multi-hop). */
export interface Hops {
  /** Weight of each record, 0 to 1: 1 if the question names its title. All are 0 if it names none. */
  weight: number[]
  /** Aspects of the question that each record still has to answer. The records on the way to it answered the others. */
  remaining: Aspect[][]
  /** Strength of each record's hop to another record, which then contains the answer. */
  hopStrength: number[]
  /** True for each record that is the target of a hop. */
  isHopTarget: boolean[]
}

const HOPS = 3
const HOP_SHARE = 0.9
const HOP_WITHOUT_ASPECT = 0.55
const ENTITY_SHARE = 0.4

/** Follows the question from record to record by the titles that statements mention. */
export function followHops(question: Question, { records, candidates, names }: Material): Hops {
  const asked = new Set(askedNames(question, names))
  const weight = records.map((_, at): number => (names.titlesOf(at).some((title) => asked.has(title)) ? 1 : 0))
  const remaining = records.map(() => question.aspects)
  const hopStrength = records.map(() => 0)
  const isHopTarget = records.map(() => false)
  const entityWeight = records.map(() => 0)
  // A record that only mentions a named entity gets a small weight, because the record with that title is the better
  // match.
  records.forEach((record, at) => {
    const namesEntity = record.entities.length > 0 && names.carriedBy(at).some((name) => asked.has(name))
    if (namesEntity && weight[at] === 0) entityWeight[at] = ENTITY_SHARE
  })
  if (weight.every((each) => each === 0)) return { weight: entityWeight, remaining, hopStrength, isHopTarget }
  const owners = new Map<number, number>()
  records.forEach((_, at) => {
    for (const title of names.titlesOf(at)) if (!owners.has(title)) owners.set(title, at)
  })
  for (let hop = 0; hop < HOPS; hop++) {
    for (const candidate of candidates) {
      const from = weight[candidate.record]!
      if (from === 0) continue
      const answered = remaining[candidate.record]!.filter((aspect) => aspect.answers.test(candidate.text))
      const strength = from * HOP_SHARE * (answered.length > 0 ? 1 : HOP_WITHOUT_ASPECT)
      for (const name of candidate.names) {
        const to = owners.get(name)
        if (to === undefined || to === candidate.record || asked.has(name)) continue
        hopStrength[candidate.record] = Math.max(hopStrength[candidate.record]!, strength)
        if (strength <= weight[to]!) continue
        weight[to] = strength
        isHopTarget[to] = true
        const unanswered = remaining[candidate.record]!.filter((aspect) => !answered.includes(aspect))
        remaining[to] = unanswered.length > 0 ? unanswered : question.aspects
      }
    }
  }
  return { weight: weight.map((each, at) => Math.max(each, entityWeight[at]!)), remaining, hopStrength, isHopTarget }
}

/** Returns the names in the question. If the question capitalizes names, the same words in lower case are not names. */
function askedNames({ wordsInTalk, writesCapitals }: Question, names: NameIndex): number[] {
  const found = names.findAsked(wordsInTalk).filter(({ isCapital }) => isCapital || !writesCapitals)
  return found.map(({ name }) => name)
}
