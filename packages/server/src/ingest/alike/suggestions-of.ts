import { type Alike, type AlikeGroup, contradict } from '@cairnstore/engine/resolve'
import type { FoundSuggestion } from '../../store/merge-suggestions.ts'
import type { GatheredSubject } from './gather-subjects.ts'

/** What is known of all that is one with a subject. */
interface Known {
  partIds: Set<string>
  apart: Set<string>
  identifiers: Set<string>
}

/**
 * The pairs of groups that may be one, each by the likeliest pair of their members; none that a person told apart or
 * whose identifiers contradict, in whichever members.
 */
export function suggestionsOf(
  subjects: readonly GatheredSubject[],
  groups: ReadonlyMap<string, AlikeGroup>,
  maybe: readonly Alike[],
): FoundSuggestion[] {
  const known = knownOf(subjects, groups)
  const places = new Map([...known.keys()].map((group, at) => [group, at]))
  const best = new Map<string, Alike>()
  for (const alike of maybe) {
    const [one, other] = [groups.get(alike.one), groups.get(alike.other)]
    if (!one || !other || one === other || areTwo(known.get(one)!, known.get(other)!)) continue
    const pair = [places.get(one)!, places.get(other)!].sort((a, b) => a - b).join(' ')
    const held = best.get(pair)
    if (!held || alike.probability > held.probability) best.set(pair, alike)
  }
  return [...best.values()].map((alike) => {
    const [onePart, otherPart] = [alike.one, alike.other].sort() as [string, string]
    return { onePart, otherPart, likelihood: likelihoodOf(alike), evidence: evidenceOf(alike) }
  })
}

/** A probability as it is kept: in thousandths. */
export function likelihoodOf({ probability }: Alike): number {
  return Math.round(probability * 1000) / 1000
}

/** Why two things are alike, in a few words and as lists of what is compared. */
export function evidenceOf({ agree, differ }: Alike) {
  const alike = agree.length > 0 ? `alike in ${agree.join(', ')}` : 'alike as a whole'
  const reason = differ.length > 0 ? `${alike}; less so in ${differ.join(', ')}` : `${alike}; nothing contradicts`
  return { agree, differ, reason }
}

function knownOf(
  subjects: readonly GatheredSubject[],
  groups: ReadonlyMap<string, AlikeGroup>,
): Map<AlikeGroup, Known> {
  const known = new Map<AlikeGroup, Known>()
  for (const { id, partIds, apart, identifiers } of subjects) {
    const group = groups.get(id)
    if (!group) continue
    const before = known.get(group) ?? { partIds: new Set(), apart: new Set(), identifiers: new Set() }
    known.set(group, before)
    for (const each of partIds) before.partIds.add(each)
    for (const each of apart) before.apart.add(each)
    // People have several addresses.
    for (const each of identifiers) if (!each.startsWith('email:')) before.identifiers.add(each)
  }
  return known
}

function areTwo(one: Known, other: Known): boolean {
  const keepsOff = (these: Known, those: Known) => [...these.apart].some((id) => those.partIds.has(id))
  return keepsOff(one, other) || keepsOff(other, one) || contradict([...one.identifiers], [...other.identifiers])
}
