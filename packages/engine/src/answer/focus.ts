import type { Aspect, Question } from '../understand/question.ts'
import type { Material } from './candidates.ts'
import type { NameIndex } from './names.ts'

/** Where a question leads among the records: from those it names to those that these lead on to. */
export interface Focus {
  /** Per record, 0..1: 1 for one whose title the question names; all 0 when it names none. */
  weight: number[]
  /** Per record, the aspects that are still to be told there, after what led to it. */
  remaining: Aspect[][]
  /** Per record, how strongly it leads on to another: the answer then stands there. */
  leadsOn: number[]
  /** Per record, whether others lead on to it. */
  isReached: boolean[]
}

const HOPS = 3
const HOP_SHARE = 0.9
const HOP_PLAIN = 0.55
const ENTITY_SHARE = 0.4

/** Follows the question from record to record by titles that stand in sentences. */
export function findFocus(question: Question, { records, candidates, names }: Material): Focus {
  const asked = new Set(askedNames(question, names))
  const weight = records.map((_, at): number => (names.titlesOf(at).some((title) => asked.has(title)) ? 1 : 0))
  const remaining = records.map(() => question.aspects)
  const leadsOn = records.map(() => 0)
  const isReached = records.map(() => false)
  const near = records.map(() => 0)
  // A record about an entity that the question names is no more than near to it when another bears that name.
  records.forEach((record, at) => {
    const carried = record.entities.length > 0 && names.carriedBy(at).some((name) => asked.has(name))
    if (carried && weight[at] === 0) near[at] = ENTITY_SHARE
  })
  if (weight.every((each) => each === 0)) return { weight: near, remaining, leadsOn, isReached }
  const owners = new Map<number, number>()
  records.forEach((_, at) => {
    for (const title of names.titlesOf(at)) if (!owners.has(title)) owners.set(title, at)
  })
  for (let hop = 0; hop < HOPS; hop++) {
    for (const candidate of candidates) {
      const from = weight[candidate.record]!
      if (from === 0) continue
      const told = remaining[candidate.record]!.filter((aspect) => aspect.tells.test(candidate.text))
      const onward = from * HOP_SHARE * (told.length > 0 ? 1 : HOP_PLAIN)
      for (const name of candidate.names) {
        const to = owners.get(name)
        if (to === undefined || to === candidate.record || asked.has(name)) continue
        leadsOn[candidate.record] = Math.max(leadsOn[candidate.record]!, onward)
        if (onward <= weight[to]!) continue
        weight[to] = onward
        isReached[to] = true
        const left = remaining[candidate.record]!.filter((aspect) => !told.includes(aspect))
        remaining[to] = left.length > 0 ? left : question.aspects
      }
    }
  }
  return { weight: weight.map((each, at) => Math.max(each, near[at]!)), remaining, leadsOn, isReached }
}

/** The names that a question names. Where it writes names with capitals, the same words without are no name. */
function askedNames({ wordsInTalk, writesCapitals }: Question, names: NameIndex): number[] {
  const found = names.findAsked(wordsInTalk).filter(({ isCapital }) => isCapital || !writesCapitals)
  return found.map(({ name }) => name)
}
