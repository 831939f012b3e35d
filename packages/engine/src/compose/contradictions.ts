import { anyIn } from '../lexicon/languages.ts'
import { pattern } from '../text/words.ts'
import type { Candidate, Material } from './candidates.ts'
import { type Claim, properNames, readClaim } from './claim.ts'
import type { Contradiction } from './contradiction.ts'
import { overtakenByFacts } from './overtaken.ts'

const SHARED_PLAIN = 0.6
const SHARED_WITH_CUE = 0.5
// What neither record takes back they disagree on only where hardly a word differs beside the value.
const SAME_SHARED = 0.75
// In a long sentence two shared terms are no common matter.
const MEETING_SHARE = 0.15
const ALIKE_MIN = 0.2
// "not before 7 August" takes nothing back.
const RETRACTION = pattern('iu', `\\b${anyIn('retractions')}\\s*(?:(?!${anyIn('notRetracted')})\\p{L}+ )?$`)
const MOVED_FROM = new RegExp(`(?:\\b${anyIn('movedFrom')}|→|->)\\s*(?:\\p{L}+ )?$`, 'iu')
const RETRACTION_CHARS = 24
// Only so many statements are held against all others, so that the cost stays linear.
const CHECKED_MAX = 24

/** Finds what the records tell differently about the given candidates, the newer record standing. */
export function findContradictions(checked: readonly Candidate[], material: Material): Contradiction[] {
  const found: Contradiction[] = []
  const seen = new Set<string>()
  const readings = new Map<Candidate, Claim>()
  const reading = (candidate: Candidate): Claim => {
    const known = readings.get(candidate) ?? readClaim(candidate, material)
    readings.set(candidate, known)
    return known
  }
  const said = material.candidates.filter(isSaid)
  const byKey = new Map(said.map((candidate) => [keyOf(candidate), candidate]))
  for (const each of checked.filter(isSaid).slice(0, CHECKED_MAX)) {
    const candidate = byKey.get(keyOf(each))!
    for (const other of said) {
      if (other.record === candidate.record || !mayMeet(candidate.matter, other.matter)) continue
      const pair = [keyOf(candidate), keyOf(other)].sort().join('\n')
      if (seen.has(pair)) continue
      seen.add(pair)
      const [older, newer, dated] = inOrder(reading(candidate), reading(other), material)
      const values = differ(older, newer)
      if (values === undefined || (!isOvertaking(older, newer, dated) && !isSameSaid(older, newer))) continue
      found.push({ stands: newer.candidate, fallen: older.candidate, dated, values })
    }
  }
  return [...found, ...overtakenByFacts(checked.filter(isSaid), material)]
}

/** Whether two sentences share enough terms to speak of one matter. */
function mayMeet(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const shared = sharedCount(a, b)
  return shared >= Math.min(2, a.size, b.size) && shared >= MEETING_SHARE * Math.max(a.size, b.size)
}

function isSaid({ source }: Candidate): boolean {
  return source === 'sentence'
}

/** Identifies a candidate inside one brief. */
export function keyOf(candidate: Candidate): string {
  return `${candidate.record}:${candidate.source}:${candidate.position}:${candidate.text}`
}

function inOrder(a: Claim, b: Claim, { records }: Material): [Claim, Claim, boolean] {
  const [ra, rb] = [records[a.candidate.record]!, records[b.candidate.record]!]
  const [ta, tb] = [ra.occurredAtMs, rb.occurredAtMs]
  if (ta !== undefined && tb !== undefined && ta !== tb) return ta < tb ? [a, b, true] : [b, a, true]
  return a.candidate.record < b.candidate.record ? [b, a, false] : [a, b, false]
}

/**
 * Whether the newer record may take back what the older one says in other words: it is known to be newer, and is no
 * other document, which gives its own limits and dates unless it says that they have changed.
 */
function isOvertaking(older: Claim, newer: Claim, dated: boolean): boolean {
  const areOtherDocuments = older.title !== undefined && newer.title !== undefined && older.title !== newer.title
  return dated && (newer.cue || !areOtherDocuments)
}

/** Whether two sentences say the same of the same but for one value: nothing less makes a disagreement. */
function isSameSaid(a: Claim, b: Claim): boolean {
  const [names, others] = [properNames(a), properNames(b)]
  const isLabelled = a.candidate.sentence?.label === b.candidate.sentence?.label
  const shared = sharedCount(a.topic, b.topic) / Math.max(1, a.topic.size, b.topic.size)
  return isLabelled && shared >= SAME_SHARED && (a.values.length === 0 || sharedCount(names, others) === names.size)
}

function differ(older: Claim, newer: Claim): Contradiction['values'] {
  const shared = sharedCount(older.topic, newer.topic)
  if (shared === 0 || differentThings(older, newer)) return undefined
  const retracted = retractedValue(older, newer)
  if (retracted) return retracted
  if (!older.plan && !newer.cue) return undefined
  const overlap = shared / Math.max(1, Math.min(older.topic.size, newer.topic.size))
  const alike = shared / Math.max(1, older.topic.size, newer.topic.size)
  if (overlap < (newer.cue ? SHARED_WITH_CUE : SHARED_PLAIN) || shared < 2 || alike < ALIKE_MIN) return undefined
  return differingValues(older, newer)
}

/** A value of the older record that the newer one itself takes back: "from X to Y", "Y, not X", "Y instead of X". */
function retractedValue(older: Claim, newer: Claim): Contradiction['values'] {
  for (const value of older.values) {
    const again = newer.values.findIndex((each) => each.kind === value.kind && each.key === value.key)
    if (again < 0 || value.kind === 'time' || value.kind === 'number') continue
    const at = newer.candidate.text.indexOf(newer.values[again]!.text)
    const before = newer.candidate.text.slice(Math.max(0, at - RETRACTION_CHARS), at)
    const next = newer.values.find(
      (each, index) => index !== again && each.kind === value.kind && each.key !== value.key,
    )
    if (next && (RETRACTION.test(before) || (newer.cue && MOVED_FROM.test(before))))
      return { stands: next.text, fallen: value.text }
  }
  return undefined
}

function sharedCount(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const [small, large] = a.size <= b.size ? [a, b] : [b, a]
  let shared = 0
  for (const term of small) if (large.has(term)) shared++
  return shared
}

/** Whether the two speak of different numbered things or of different names. */
function differentThings(a: Claim, b: Claim): boolean {
  const apart = (left: Set<string>, right: Set<string>): boolean =>
    left.size > 0 && right.size > 0 && ![...left].some((each) => right.has(each))
  if (apart(a.labels, b.labels)) return true
  if (a.subject !== undefined && b.subject !== undefined && a.subject !== b.subject) return true
  if (namesOwnTitle(a, b) && namesOwnTitle(b, a)) return true
  const [na, nb] = [properNames(a), properNames(b)]
  return apart(na, nb)
}

/** Whether a sentence has words of its document's title that the other's title has not. */
function namesOwnTitle({ candidate, titled }: Claim, other: Claim): boolean {
  return [...titled].some(
    (term) => candidate.terms.has(term) && !other.titled.has(term) && !other.candidate.terms.has(term),
  )
}

/** The value that the newer record gives in place of the older one's; unsure when either gives several of a kind. */
function differingValues(older: Claim, newer: Claim): Contradiction['values'] {
  for (const kind of new Set(older.values.map((value) => value.kind))) {
    if (kind === 'time') continue
    const [from, ...others] = older.values.filter((value) => value.kind === kind)
    const [to, ...more] = newer.values.filter((value) => value.kind === kind)
    if (!from || !to || others.length > 0 || more.length > 0 || from.key === to.key) continue
    // A bare number says nothing without the thing that it counts.
    if (kind === 'number' && (from.unit === undefined || from.unit !== to.unit)) continue
    return { stands: to.text, fallen: from.text }
  }
  return undefined
}
