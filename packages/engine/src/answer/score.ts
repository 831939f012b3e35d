import { dayOf, MS_PER_DAY } from '../text/civil-date.ts'
import { LABEL_CHARS_MAX, topicsOf } from '../text/kinds.ts'
import { isFirstPerson } from '../text/words.ts'
import { asksOfLatest, isOtherTime, type Question } from '../understand/question.ts'
import type { TimeSpan } from '../understand/time-span.ts'
import { overlap, type Period, validityOf } from '../understand/validity.ts'
import { asksTimeAlone, formTerms } from '../understand/written-names.ts'
import { askedAliases, kindTerms, withAliases } from './aliases.ts'
import { answerScore, type StatementFeatures, similaritiesOf } from './answer-score.ts'
import type { BriefRecord } from './brief.ts'
import { type Candidate, isComputed, type Material } from './candidates.ts'
import { followHops } from './follow-hops.ts'
import type { NameIndex } from './names.ts'
import type { Statement } from './statement.ts'
import { editedAtMs } from './states.ts'
import { answerPrior, countWords, isQuestion, statesTime } from './traits.ts'

export interface Scored extends Candidate {
  /** Probability that it answers, before selection. */
  answerScore: number
  features: StatementFeatures
  /** Weighted share of the query terms that it contains. */
  cover: number
  /** The question's terms that it contains, with their weights. */
  carries: [string, number][]
}

// Coefficients of a logistic model for a record, fitted on the development halves of multi-hop, encyclopedia and chat
// questions, cross-validated between sets. The area under the curve is 0.85 to 0.98 for two hops and encyclopedias and
// 0.82 for chats; the ranking score by itself reaches 0.72 to 0.94.
const RECORD_PRIOR = { place: -0.73, focus: 2.54, base: -0.65 }
const OWN_LABEL_TERMS_MIN = 2
// Weight factor of the subject that an earlier part states, relative to the terms of the part itself.
const CARRIED_SHARE = 0.5
/** Factor of the covered share of the query terms: half of them indicate the subject as reliably as all. */
const RELATED_FACTOR = 2
/** Minimum length of a self-contained sentence, in words. Items, rows and code depend on their surroundings. */
const WHOLE_WORDS = 4
const BELONGING: ReadonlySet<Candidate['kind']> = new Set(['item', 'row', 'code'])
// Slope of the position discount: the fifth statement of a section counts half as much as the first.
const POSITION_FALL = 0.25
/** Position value of statements of records with a time. In messages, the beginning is not special. */
const MIDDLE_POSITION = 0.5
const OTHER_TIME_FACTOR = 0.25
/**
 * Factor of a statement whose period does not include the time of the question. It is less likely to answer than a
 * statement that was made at another time.
 */
const OTHER_PERIOD_FACTOR = 0.1
const FORM_SHARE = 0.4
// Factor of an assistant's statements about its user. They repeat the user's statements with less detail. It was chosen
// on halves of chats; values from 0.1 to 0.5 make no difference.
const ASSISTANT_SHARE = 0.2

export function scoreCandidates(question: Question, material: Material): Scored[] {
  const { candidates, records, names } = material
  const weights = termWeights(question, material)
  const titles = records.map(({ title = '' }) => new Set(material.termsOf(title)))
  const aliases = askedAliases(question, material)
  const doers = askedDoers(question, names)
  const carried = candidates.map((candidate) => {
    const terms = withAliases(candidate, aliases, names, speaker(candidate, material, doers))
    return weights.filter(([term]) => terms.has(term))
  })
  const covers = carried.map((each) => each.reduce((sum, [, weight]) => sum + weight, 0))
  const most = Math.max(Number.MIN_VALUE, ...covers)
  const best = Math.max(Number.MIN_VALUE, ...records.map((record) => record.score))
  const hops = followHops(question, material)
  const meanings = similaritiesOf(material, new Map(weights))
  const onSubject = covers.map((cover, at) => Math.min(1, RELATED_FACTOR * Math.max(cover, meanings[at]!.said)))
  const lateness = latenessOf(question, records)
  const timeliness = timelinessOf(question, material)
  return candidates.map((candidate, at) => {
    const [recordIndex, cover, meaning] = [candidate.record, covers[at]!, meanings[at]!]
    const record = records[recordIndex]!
    const hasPerson = candidate.names.some((name) => names.isPerson(name))
    const isSaid = question.ways.isOfSaying && doers.has(record.author?.canonicalId ?? '')
    // A command must contain the first term of the question, which is the requested action: a command that limits
    // something does not answer how to install it.
    const isDone = candidate.kind === 'code' && carried[at]!.some(([term]) => term === question.terms[0])
    const isCourse = question.ways.isOfPresent && candidate.present !== undefined
    const labelled = isLabelledBy(question, candidate, material) || isDone || isCourse
    const isDirect = labelled || (isSaid && !isComputed(candidate))
    const prior = answerPrior(question, hops.remaining[recordIndex]!, candidate.text, hasPerson)
    const isBesideText = isComputed(candidate) && !hasNoText(record)
    const features: StatementFeatures = {
      cover,
      most: cover / most,
      form: prior * Math.max(onSubject[at]!, Math.min(1, RELATED_FACTOR * hops.weight[recordIndex]!)),
      standing: recordPrior(recordIndex, hops.weight[recordIndex]!),
      relevance: Math.max(0, record.score / best),
      reached: Number(hops.isHopTarget[recordIndex]!),
      onward: hops.hopStrength[recordIndex]!,
      opening: record.occurredAtMs === undefined ? openingOf(candidate) : MIDDLE_POSITION,
      whole: isInContext(candidate) ? 1 : Math.min(1, countWords(candidate.text) / WHOLE_WORDS),
      asks: Number(isQuestion(candidate.text)),
      related: Number(candidate.kind === 'relation'),
      stated: Number(candidate.kind === 'field' && isBesideText),
      labelled: Number(isDirect),
      latest: lateness[recordIndex]! * onSubject[at]!,
      changed: Number(candidate.former !== undefined && candidate.former.length > 0),
      ...meaning,
    }
    // Statements from fields and relations are numerous. They are used only if they say more than the title.
    const isUsable =
      candidate.kind === 'code'
        ? isDone
        : (!isBesideText || cover > 0) && saysMore(candidate, titles[recordIndex]!, record)
    return {
      ...candidate,
      answerScore: isUsable ? timeliness(candidate) * answerScore(features, material.meant !== undefined) : 0,
      features,
      cover,
      carries: carried[at]!,
    }
  })
}

/** Returns true if a statement contains more than its record's title. */
function saysMore({ terms }: Candidate, title: ReadonlySet<string>, record: BriefRecord): boolean {
  return title.size === 0 || hasNoText(record) || [...terms].some((term) => !title.has(term))
}

/**
 * Returns the score factor of a statement for its time and author. Statements about another time get a lower factor, by
 * the period that they state or else by the time of their record. So do an assistant's statements about its user.
 */
function timelinessOf(question: Question, material: Material): (candidate: Candidate) => number {
  const otherTime = asksTimeAlone(question, material) ? 0 : OTHER_TIME_FACTOR
  const asked = spansAsked(question, material)
  // The start or end of a period answers a "when" question if the statement has no other time.
  const asksWhen = question.kind === 'when' && question.times === undefined
  const ofRecord = material.records.map((record) => ({
    day: dayOf(record.occurredAtMs ?? 0),
    time: isOfOtherTime(question, record) ? otherTime : 1,
    speaker: question.ways.isOfSpeakerAlone && isAssistants(record) ? ASSISTANT_SHARE : 1,
  }))
  return ({ record, text }) => {
    const { day, time, speaker } = ofRecord[record]!
    const periods = asked.length === 0 ? [] : validityOf(text, day)
    if (periods.length === 0 || (asksWhen && !statesTime(withoutPeriods(text, periods)))) return time * speaker
    return (periods.some((period) => asked.some((span) => overlap(period, span))) ? 1 : OTHER_PERIOD_FACTOR) * speaker
  }
}

/** Returns true if a statement states a period that excludes the times in the question, or else the reference day. */
export function isOfOtherPeriod({ record, text }: Statement, question: Question, material: Material): boolean {
  const asked = spansAsked(question, material)
  const periods = asked.length === 0 ? [] : validityOf(text, dayOf(material.records[record]!.occurredAtMs ?? 0))
  return periods.length > 0 && !periods.some((period) => asked.some((span) => overlap(period, span)))
}

/** Returns the times in the question, or the reference day for a question about the present. */
function spansAsked({ times, ways }: Question, { today }: Material): readonly TimeSpan[] {
  if (times) return times
  const isPast = ways.isOfBefore || ways.isPast
  if (isPast || today === undefined) return []
  const toMs = ways.isOfFuture ? Number.POSITIVE_INFINITY : (today + 1) * MS_PER_DAY
  return [{ fromMs: today * MS_PER_DAY, toMs }]
}

function withoutPeriods(text: string, periods: readonly Period[]): string {
  return periods.reduceRight((rest, { start, end }) => rest.slice(0, start) + rest.slice(end), text)
}

/** Returns the relative lateness of each record's day, 0 to 1; all 0 unless the question asks for the latest. */
function latenessOf(question: Question, records: readonly BriefRecord[]): number[] {
  const times = records.map(({ occurredAtMs }) => occurredAtMs)
  const days = [...new Set(times.filter((each) => each !== undefined))].sort((one, other) => one - other)
  if (days.length < 2 || !asksOfLatest(question)) return times.map(() => 0)
  return times.map((each) => (each === undefined ? MIDDLE_POSITION : days.indexOf(each) / (days.length - 1)))
}

/** Returns true for a statement that gets its meaning from its surroundings. */
function isInContext({ kind, inReplyTo }: Candidate): boolean {
  return BELONGING.has(kind) || inReplyTo !== undefined
}

/** Returns the position score of a statement in its section. The beginning is most important. */
function openingOf({ kind, inSection }: Candidate): number {
  if (BELONGING.has(kind)) return MIDDLE_POSITION
  return 1 / (1 + POSITION_FALL * inSection)
}

/** Returns true for a message of an assistant. It states nothing about the user that the user did not say. */
function isAssistants({ properties }: BriefRecord): boolean {
  return properties?.role === 'assistant'
}

function recordPrior(rank: number, hopWeight: number): number {
  return 1 / (1 + Math.exp(-(RECORD_PRIOR.place * rank + RECORD_PRIOR.focus * hopWeight + RECORD_PRIOR.base)))
}

/** Returns true if the record's time and its last edit are both outside the times of the question. */
function isOfOtherTime(question: Question, record: BriefRecord): boolean {
  const edited = editedAtMs(record)
  return (
    record.occurredAtMs !== undefined &&
    isOtherTime(question, record.occurredAtMs) &&
    (edited === undefined || isOtherTime(question, edited))
  )
}

/** Returns true if the label of the section matches the question's words or its requested topic. */
function isLabelledBy({ topics, terms }: Question, { label }: Candidate, { termsOf }: Material): boolean {
  if (label === undefined || label.length > LABEL_CHARS_MAX) return false
  const own = termsOf(label)
  if (own.length >= OWN_LABEL_TERMS_MIN && own.every((term) => terms.includes(term))) return true
  return topics.length > 0 && topicsOf(label).some((topic) => topics.includes(topic))
}

/** Returns true if a record has no text, so that its fields are its only content. */
function hasNoText(record: BriefRecord): boolean {
  return (record.text ?? '').trim() === ''
}

/** Returns the weights of the query terms, which sum to 1. Rare terms weigh more, and question words weigh less. */
export function termWeights(
  { terms, carried, times }: Question,
  { candidates, records, termsOf }: Material,
): [string, number][] {
  const isForm = formTerms(times !== undefined, termsOf)
  const kinds = records.map((record) => kindTerms(record, termsOf))
  const raw = terms.map((term): [string, number] => {
    const df = candidates.filter((each) => each.terms.has(term) || kinds[each.record]!.has(term)).length
    const share = (carried?.has(term) ? CARRIED_SHARE : 1) * (isForm(term) ? FORM_SHARE : 1)
    return [term, share * Math.log(1 + (candidates.length + 1) / (df + 0.5))]
  })
  const total = raw.reduce((sum, [, weight]) => sum + weight, 0) || 1
  return raw.map(([term, weight]) => [term, weight / total])
}

/** Returns the people whose actions the question asks about: "what did Priya say", "when does Jon leave". */
function askedDoers(question: Question, names: NameIndex): ReadonlySet<string> {
  const doers = names.findAsked(question.words).filter(({ name, isDoer }) => isDoer && names.isPerson(name))
  return new Set(doers.flatMap(({ name }) => names.entityOf(name) ?? []))
}

/** Returns the speaker of a statement in the first person, or of one by a person whose actions are asked about. */
function speaker(candidate: Candidate, { records }: Material, doers: ReadonlySet<string>): string | undefined {
  const author = records[candidate.record]!.author?.canonicalId
  if (isComputed(candidate) || author === undefined) return undefined
  return doers.has(author) || isFirstPerson(candidate.text) ? author : undefined
}
