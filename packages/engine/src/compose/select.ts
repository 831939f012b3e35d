import { LABEL_CHARS_MAX, topicsOf } from '../text/kinds.ts'
import { isOtherTime, type Question } from '../understand/question.ts'
import { asksTimeAlone, formTerms } from '../understand/written-names.ts'
import { askedAliases, kindTerms, withAliases } from './aliases.ts'
import { askedDoers, speaker } from './asked-people.ts'
import type { BriefRecord } from './brief.ts'
import { type Candidate, isCommand, isNote, type Material } from './candidates.ts'
import { findFocus } from './focus.ts'
import { isMessage } from './frame.ts'
import { lessMeant } from './statement-worth.ts'
import { editedAtMs, parentOf, recordKey } from './states.ts'
import { answerPrior, countWords, readability } from './traits.ts'

/** A candidate with what it is worth for the question. */
export interface Scored extends Candidate {
  /** Worth on its own, before anything is chosen. */
  worth: number
  /** Share of the question's terms, by weight, that it carries itself. */
  cover: number
  prior: number
  /** How likely an answer rests on its record, by its place in the ranking and by where the question leads, 0..1. */
  standing: number
  /** How strongly the question leads to its record or is covered by itself, 0..1. */
  anchor: number
  /** The question's terms that it carries, with their weights. */
  carries: [string, number][]
  words: number
  /** Whether it stands in a section whose label says that this is what the question asks for. */
  labelled: boolean
  /** Share of the question's terms, by weight, that its record's title carries. */
  topical: number
  /** 1 for what is of the time asked about, or of any when none is. */
  timely: number
}

// Parts of a candidate's worth. Chosen on stories and encyclopaedia passages; the plateau is broad.
const WEIGHT = {
  cover: 1.2,
  relevance: 0.7,
  position: 0.5,
  bridge: 0.3,
  prior: 0.8,
  focus: 0.6,
  label: 0.8,
  ownLabel: 1.1,
}
// Fitted on the development halves of multi-hop, encyclopaedia and chat questions; each set by the others: area under
// the curve 0.85 to 0.98 for two hops and encyclopaedias and 0.82 for chats, where worth alone has 0.72 to 0.94.
const STANDING = { place: -0.73, focus: 2.54, base: -0.65 }
// A label says that its section answers, whatever words stand in it.
const LABELLED_PRIOR = 0.8
const OWN_LABEL_TERMS_MIN = 2
const LABEL_RELEVANCE_SHARE = 0.3
const LABEL_COVER_FACTOR = 1.5
// A subject that was named in an earlier part counts less than what a part asks itself.
const CARRIED_SHARE = 0.5
const ANSWER_PRIOR_WEIGHT = 1
const ANSWER_COVER_WEIGHT = 0.6
// The answer to a question that leads on stands where it leads to.
const PASSING_COST = 0.7
const ANCHOR_FOCUS = 0.6
const NOTE_FIT = 0.9
// Quoted mail repeats what others said.
const QUOTE_SHARE = 0.6
const FRAME_WORDS = { message: 6, dated: 4 }
const MADE = { relevance: 0.6, prior: 0.7, changed: 0.6 }
const POSITION_FALL = 0.25
const TITLE_COVER_SHARE = 0.4
// What was said on a day and has nothing of the question, neither itself nor by its record, says little to it. An
// undated document may be where the question leads.
const UNRELATED = 0.6
const UNRELATED_PRIOR = 0.9
const OTHER_TIME = 0.25
const FORM_SHARE = 0.4
// What stands under a record's parent speaks of what that one is about.
const PARENT_SHARE = 0.8
// Where the question leads from record to record, what it leads past says less.
const OFF_PATH = 0.9

// What an assistant says of its user is taken from what they told it, and says it with less. Chosen on halves of chats;
// from 0.1 to 0.5 it makes no difference.
const ASSISTANT_SHARE = 0.3

/** Weighs every candidate against the question. */
export function scoreCandidates(question: Question, material: Material): Scored[] {
  const { candidates, records, names, orderWeight = 0 } = material
  const weights = termWeights(question, material)
  const coverOf = (terms: ReadonlySet<string>): number => {
    let sum = 0
    for (const [term, weight] of weights) if (terms.has(term)) sum += weight
    return sum
  }
  const best = Math.max(...records.map((record) => record.score), Number.MIN_VALUE)
  const titleCover = titleCovers(material, coverOf)
  const aliases = askedAliases(question, material)
  const doers = askedDoers(question, names)
  const { isOfSaying: isSaying, isOfPresent: asksPresent, isOfSpeakerAlone: isOfSelf } = question.ways
  const otherTime = asksTimeAlone(question, material) ? 0 : OTHER_TIME
  const carried = candidates.map((candidate) => {
    const terms = withAliases(candidate, aliases, names, speaker(candidate, material, doers))
    return weights.filter(([term]) => terms.has(term))
  })
  const covers = carried.map((each) => each.reduce((sum, [, weight]) => sum + weight, 0))
  const focus = findFocus(question, material)
  const less = lessMeant(material, new Map(weights))
  return candidates.map((candidate, at) => {
    const record = records[candidate.record]!
    const cover = Math.max(covers[at]!, TITLE_COVER_SHARE * titleCover[candidate.record]! + 0.6 * covers[at]!)
    const hasPerson = candidate.names.some((name) => names.isPerson(name))
    const label = labelWeight(question, candidate, material)
    const form =
      answerPrior(question, focus.remaining[candidate.record]!, candidate.text, hasPerson) *
      (1 - PASSING_COST * focus.leadsOn[candidate.record]!)
    const isSaid = isSaying && candidate.source === 'sentence' && doers.has(record.author?.canonicalId ?? '')
    // What is asked to be done stands first: to install something is not to limit it.
    const isNamed = carried[at]!.some(([term]) => term === question.terms[0])
    const isDone = isCommand(candidate) && isNamed
    const isDirect = label > 0 || isDone || isSaid || (asksPresent && candidate.present !== undefined)
    const prior = isDirect ? Math.max(LABELLED_PRIOR, form) : form
    const relevance = Math.max(0, record.score / best)
    let worth =
      candidate.source === 'sentence' || isSilent(record)
        ? saidWorth(cover, relevance, prior, candidate, material, focus.weight[candidate.record]!) *
          fitOf(candidate, isDone)
        : madeWorth(covers[at]!, relevance, prior, (candidate.former ?? []).length > 0)
    worth += orderWeight / (1 + candidate.record)
    if (label > 0) worth += label * labelShare(relevance, titleCover[candidate.record]!, covers[at]!)
    if (candidate.sentence?.kind === 'quote') worth *= QUOTE_SHARE
    if (focus.anchored && focus.weight[candidate.record] === 0) worth *= OFF_PATH
    const isRelated = covers[at]! > 0 || titleCover[candidate.record]! > 0 || focus.weight[candidate.record]! > 0
    if (!isRelated && record.occurredAtMs !== undefined && prior < UNRELATED_PRIOR) worth *= UNRELATED
    const isOthers = isOfSelf && isAssistants(record)
    const timely = (isOfOtherTime(question, record) ? otherTime : 1) * (isOthers ? ASSISTANT_SHARE : 1)
    // What others lead on to is told in words that are not the question's.
    worth = Math.max(0, worth - (focus.isReached[candidate.record] ? 0 : less[at]!)) * timely
    return {
      ...candidate,
      worth,
      cover: covers[at]!,
      carries: carried[at]!,
      prior,
      standing: standingOf(candidate.record, focus.weight[candidate.record]!),
      anchor: Math.max(covers[at]!, ANCHOR_FOCUS * focus.weight[candidate.record]!),
      words: countWords(candidate.text) + frameWords(record),
      labelled: label > 0 || isDone,
      topical: titleCover[candidate.record]!,
      timely,
    }
  })
}

/** Whether a message is of a session's assistant, who answers its user and says nothing of them that they did not. */
function isAssistants({ properties }: BriefRecord): boolean {
  return properties?.role === 'assistant'
}

function standingOf(place: number, focus: number): number {
  return 1 / (1 + Math.exp(-(STANDING.place * place + STANDING.focus * focus + STANDING.base)))
}

/** Whether a record is of a time that the question does not ask about; its text may be as new as its last edit. */
function isOfOtherTime(question: Question, record: BriefRecord): boolean {
  const edited = editedAtMs(record)
  return (
    record.occurredAtMs !== undefined &&
    isOtherTime(question, record.occurredAtMs) &&
    (edited === undefined || isOtherTime(question, edited))
  )
}

/** Per record, how much of the question its title covers, or the title of what it is a comment on. */
function titleCovers({ records, termsOf }: Material, coverOf: (terms: ReadonlySet<string>) => number): number[] {
  const own = records.map((record) => coverOf(new Set([...termsOf(record.title ?? ''), ...kindTerms(record, termsOf)])))
  const byKey = new Map(records.flatMap((record, at) => (record.title ? [[recordKey(record), own[at]!]] : [])))
  return records.map((record, at) => Math.max(own[at]!, PARENT_SHARE * (byKey.get(parentOf(record)) ?? 0)))
}

/** What the label of its section adds to a sentence: most when the question uses the label's own words. */
function labelWeight({ topics, terms }: Question, { sentence }: Candidate, { termsOf }: Material): number {
  const label = sentence?.label
  if (label === undefined || label.length > LABEL_CHARS_MAX) return 0
  const own = termsOf(label)
  if (own.length >= OWN_LABEL_TERMS_MIN && own.every((term) => terms.includes(term))) return WEIGHT.ownLabel
  return topics.length > 0 && topicsOf(label).some((topic) => topics.includes(topic)) ? WEIGHT.label : 0
}

/** How much of a label's weight a record earns: it has to speak of the question's subject as well. */
function labelShare(relevance: number, titleCover: number, cover: number): number {
  return Math.min(1, LABEL_RELEVANCE_SHARE * relevance + LABEL_COVER_FACTOR * Math.max(titleCover, cover))
}

/** What a candidate is worth as the answer, beyond what it is worth as a part of the story. */
export function answerWorth(each: Scored): number {
  return each.worth + each.timely * (ANSWER_PRIOR_WEIGHT * each.prior * each.anchor + ANSWER_COVER_WEIGHT * each.cover)
}

/** About how many words the frame of a sentence takes: author and day, or the source behind it. */
function frameWords(record: BriefRecord): number {
  if (record.occurredAtMs === undefined) return 1
  return isMessage(record) ? FRAME_WORDS.message : FRAME_WORDS.dated
}

function saidWorth(
  cover: number,
  relevance: number,
  prior: number,
  candidate: Candidate,
  material: Material,
  focus: number,
): number {
  return (
    WEIGHT.cover * cover +
    WEIGHT.relevance * relevance +
    WEIGHT.position / (1 + POSITION_FALL * (candidate.sentence?.inSection ?? candidate.position)) +
    WEIGHT.bridge * bridge(candidate, material) +
    WEIGHT.focus * focus +
    WEIGHT.prior * prior * (0.4 + 0.6 * Math.min(1, 2 * Math.max(cover, focus)))
  )
}

/** How fit a candidate is to be read; a note is short by its nature. */
function fitOf(candidate: Candidate, isDone: boolean): number {
  if (isCommand(candidate)) return Number(isDone)
  return isNote(candidate) ? Math.max(NOTE_FIT, readability(candidate.text)) : readability(candidate.text)
}

/** Whether a record has no text, so that what is made from its fields is all that it says. */
function isSilent(record: BriefRecord): boolean {
  return (record.text ?? '').trim() === ''
}

/** What is made from fields and relations counts by what it covers: there is much of it and it reads alike. */
function madeWorth(cover: number, relevance: number, prior: number, changed: boolean): number {
  if (cover === 0) return 0
  return WEIGHT.cover * cover + MADE.relevance * relevance + MADE.prior * prior + (changed ? MADE.changed : 0)
}

/** Weights of the question's terms, rare ones heavy and those of its form light, that sum to 1. */
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

/** How much a candidate ties its record to others by a name they share, 0..1. */
function bridge(candidate: Candidate, { names }: Material): number {
  const own = names.titleOf(candidate.record)
  let most = 0
  for (const name of candidate.names) if (name !== own) most = Math.max(most, 1 - names.rarity(name) * 0.5)
  return candidate.names.length === 0 ? 0 : most
}
