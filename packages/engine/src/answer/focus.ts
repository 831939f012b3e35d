import type { Aspect, Question } from '../understand/question.ts'
import type { Material } from './candidates.ts'
import type { NameIndex } from './names.ts'

/** Multi-hop links between records: from records that the question names to records that these mention. */
export interface Focus {
  /** Weight of each record, 0 to 1: 1 if the question names its title. All are 0 if it names none. */
  weight: number[]
  /** Aspects that each record still has to answer, after those answered on the way to it. */
  remaining: Aspect[][]
  /** Strength of each record's hop to another record, which then contains the answer. */
  leadsOn: number[]
  /** True for each record that is the target of a hop. */
  isReached: boolean[]
}

const HOPS = 3
const HOP_SHARE = 0.9
const HOP_PLAIN = 0.55
const ENTITY_SHARE = 0.4

/** Follows the question from record to record by the titles that statements mention. */
export function findFocus(question: Question, { records, candidates, names }: Material): Focus {
  const asked = new Set(askedNames(question, names))
  const weight = records.map((_, at): number => (names.titlesOf(at).some((title) => asked.has(title)) ? 1 : 0))
  const remaining = records.map(() => question.aspects)
  const leadsOn = records.map(() => 0)
  const isReached = records.map(() => false)
  const near = records.map(() => 0)
  // A record that carries a named entity gets a small weight only, because the record with that title is the better
  // match.
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

/** Returns the names in the question. If the question capitalizes names, the same words in lower case are not names. */
function askedNames({ wordsInTalk, writesCapitals }: Question, names: NameIndex): number[] {
  const found = names.findAsked(wordsInTalk).filter(({ isCapital }) => isCapital || !writesCapitals)
  return found.map(({ name }) => name)
}
