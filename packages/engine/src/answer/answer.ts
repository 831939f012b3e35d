import type { AnswerOutcome } from '@cairnstore/contract'
import { dayOf, renderDates } from '../text/civil-date.ts'
import { type EmptyTime, mayBeAbout } from '../understand/empty-time.ts'
import { mentionsOtherNumber } from '../understand/numbered-entities.ts'
import type { Question } from '../understand/question.ts'
import { isWithin } from '../understand/time-span.ts'
import { validityOf } from '../understand/validity.ts'
import { areAnswered } from './answerable.ts'
import type { BriefInput, BriefRecord, Citation } from './brief.ts'
import { gatherMaterial, type Material, type ScoredCandidate } from './candidates.ts'
import { citeEntities } from './cite.ts'
import { type Considered, explain } from './considered.ts'
import { findAuthored, statementsOfAuthor, statementsOnTopic } from './find-authored.ts'
import { shorten } from './fit.ts'
import { CLOSEST_LIMITS, limitsOf, SUMMARY_LIMITS } from './limits.ts'
import { noAnswerOf } from './no-answer.ts'
import { openItems } from './open-items.ts'
import { ownFacts, statementsWithFacts } from './own-facts.ts'
import { isOfOtherPeriod, scoreCandidates } from './score.ts'
import { isPartOf, isSameSubject, type SelectedPassage, type SelectLimits, select } from './select.ts'
import { sheetRowOf } from './sheet-rows.ts'
import { mergeByRecord, type RenderedPassage, renderWithin, showAll, withoutNeighbors } from './show.ts'
import { editedAtMs } from './states.ts'
import { sectionAnswer } from './table-figure.ts'
import { CHANGE_CUE, isQuestion, lacksForm } from './traits.ts'

/** An answer to a question. Equal input gives an equal answer. */
export interface Answer {
  readonly outcome: AnswerOutcome
  /** Markdown: the passages in order. */
  readonly brief: string
  readonly citations: readonly Citation[]
  readonly statements: readonly RenderedPassage[]
  /** The best statements, best first. */
  readonly considered: readonly Considered[]
}

const NO_KNOWN_ID =
  'None of the pinned ids is known here, so there is nothing to answer from. ' +
  'Run discover with this question and pin the ids that it returns.'
const NO_CONTENT = 'The pinned records are known here, but they contain no text, title or fields.'
/** Minimum probability of a part's best statement, as a share of the best probability over all parts. */
const PART_SHARE_MIN = 0.5
/** Minimum probability of a later passage for moving it to the front, relative to the best one. */
const LATER_SHARE_MIN = 0.5
/** Maximum number of statements, best first, that passages are selected from. */
const CANDIDATES_MAX = 48
/** Minimum weighted share of the question's terms in a passage that is shown as related. */
const CLOSEST_COVER_MIN = 0.25

/**
 * Answers a question from records. Returns the passages that answer it. If none do, returns a sentence that names the
 * missing information, possibly with related passages. The result does not depend on the order of the records.
 */
export function answerQuestion(input: BriefInput): Answer {
  if (input.records.length === 0) return emptyAnswer(NO_KNOWN_ID, input)
  if (input.emptyTime?.isDeciding) return answerOutsideTime(input, input.emptyTime)
  const { whole, parts } = input.asked
  const material = gatherMaterial(
    input,
    whole.kinds.some((kind) => kind === 'status' || kind === 'change'),
  )
  const author = parts.length === 0 ? findAuthored(whole, material) : undefined
  const said = author?.topic.length === 0 ? statementsOfAuthor(author, material) : []
  if (said.length > 0) return answerByAuthor(said, input, material)
  const near = nearMiss(whole, material)
  const all = scoreBy(whole, material)
  if (near && (all[0]?.cover ?? 0) < near.cover) return answerClosest(input, material, [near, ...all])
  const scored = author && author.topic.length > 0 ? statementsOnTopic(author, all) : all
  if (author && author.topic.length > 0 && scored.length === 0) return answerClosest(input, material, all)
  const facts = ownFacts(input, material.records)
  const section = facts.length > 0 || parts.length > 0 ? undefined : sectionAnswer(whole, scored, material)
  const isAnswered =
    facts.length > 0 ||
    section?.isSure ||
    input.corpus === undefined ||
    areAnswered(input.asked, material, input.corpus, input.meant)
  if (!isAnswered) return answerClosest(input, material, scored)
  if (section) return toAnswer('answered', [section.shown], input, material, explain(scored, [], material, 'answered'))
  const limits = limitsOf(input, material)
  const passagesMax = Math.max(1, limits.passagesMax - facts.length)
  const byPart = facts.length > 0 ? [] : answerParts(parts, material, limits)
  const isWhole = byPart.length > 0 && byPart.length === parts.length
  const current = changedFirst(withoutSuperseded(scored, whole), whole, material)
  const candidates =
    facts.length > 0 ? statementsWithFacts(current, facts, material) : inConversation(current, whole, material)
  const passages = isWhole
    ? byPart
    : select(candidates.slice(0, CANDIDATES_MAX), material.segmented, { ...limits, passagesMax }, material.termsOf, {
        before: byPart,
        asked: whole.terms,
      })
  const open = whole.kinds.includes('open') ? openItems(whole, material, statementsIn(passages, scored)) : undefined
  const ordered = byPart.length > 1 ? passages : inOrder(passages, whole, material)
  const isListed = ({ record }: SelectedPassage) => open?.recordIds.includes(material.records[record]!.id) ?? false
  const unlisted = ordered.filter((passage, at) => at === 0 || !isListed(passage))
  const rendered = showAll(mergeByRecord(unlisted), material)
  const shown = [
    ...facts,
    ...(open?.comesFirst ? [open] : []),
    ...rendered,
    ...(open && !open.comesFirst ? [open] : []),
  ]
  if (shown.length === 0) return emptyAnswer(NO_CONTENT, input)
  const isDated = passages.some(({ record }) => material.records[record]!.occurredAtMs !== undefined)
  const least = ordered[0]?.best.cover ?? 0
  const relevant = ordered.filter(({ best }) => (best.cover ?? 0) >= least)
  const text = [...facts, ...relevant.flatMap(({ statements }) => statements)].map((each) => each.text).join(' ')
  if (lacksForm(whole, text, isDated) || isOfUncountedRows(ordered[0], whole, material))
    return answerClosest(input, material, scored)
  return toAnswer('answered', shown, input, material, explain(scored, passages, material, 'answered'))
}

/**
 * Returns true for a row of a sheet in answer to "how many" or "how much", unless the question names the row. If the
 * rows could be counted or summed, they would have been before.
 */
function isOfUncountedRows(first: SelectedPassage | undefined, { ways, terms }: Question, material: Material): boolean {
  const row = first && sheetRowOf(material.segmented[first.record]!)
  if (!row || (ways.opening !== 'howMany' && ways.opening !== 'howMuch')) return false
  return !material.termsOf(row.cells[0]!).every((term) => terms.includes(term))
}

/** Answers with a person's statements in chronological order, up to the limits. */
function answerByAuthor(said: readonly ScoredCandidate[], input: BriefInput, material: Material): Answer {
  const passages = select(said.slice(0, CANDIDATES_MAX), material.segmented, SUMMARY_LIMITS, material.termsOf)
  const ordered = inOrder(passages, { ...input.asked.whole, isSummary: true }, material)
  const shown = showAll(mergeByRecord(ordered), material)
  return toAnswer('answered', shown, input, material, explain(said, passages, material, 'answered'))
}

/** Scores all statements, best first. Excludes questions and statements about an entity with a different number. */
function scoreBy(question: Question, material: Material): ScoredCandidate[] {
  const isOfOther = mentionsOtherNumber(question.numbered)
  return scoreCandidates(question, material)
    .filter(
      ({ answerScore: worth, text, context }) => worth > 0 && !isQuestion(text) && !isOfOther(`${context}\n${text}`),
    )
    .map((each) => ({ ...each, p: each.answerScore }))
    .sort((one, other) => other.p - one.p || one.record - other.record || one.start - other.start)
}

/**
 * Returns the best statement if it is about a different entity of the requested kind: with a different number, year or
 * weekday. The other statements can then answer only if one contains as much of the question.
 */
function nearMiss(question: Question, material: Material): ScoredCandidate | undefined {
  if (question.numbered.size === 0) return undefined
  const [best] = scoreCandidates(question, material).sort((one, other) => other.answerScore - one.answerScore)
  if (!best || best.answerScore === 0 || !mentionsOtherNumber(question.numbered)(`${best.context}\n${best.text}`))
    return undefined
  return { ...best, p: best.answerScore }
}

/** Returns the best passage for each answerable part of a question, in the order of the parts. */
function answerParts(parts: readonly Question[], { segmented, ...material }: Material, limits: SelectLimits) {
  const scored = parts.map((part) => scoreBy(part, { segmented, ...material }))
  const best = Math.max(0, ...scored.map(([first]) => first?.p ?? 0))
  const passages: SelectedPassage[] = []
  for (const [first] of scored) {
    if (!first || first.p < PART_SHARE_MIN * best) continue
    const [passage] = select([first], segmented, { ...limits, passagesMax: 1 }, material.termsOf)
    const isKnown = (each: SelectedPassage) => isPartOf(passage!, each) || each.best.text === passage!.best.text
    if (!passages.some(isKnown)) passages.push(passage!)
  }
  return passages
}

/**
 * Removes statements with superseded values if a probable relation lists both current and previous values. A statement
 * is superseded if it contains a previous value and not the current one. The relation gets the highest probability
 * among the statements of its records, because it states the same with its history. Nothing is removed for a question
 * about the past.
 */
function withoutSuperseded(scored: readonly ScoredCandidate[], { ways }: Question): readonly ScoredCandidate[] {
  const history = scored.find(({ p, present }) => present !== undefined && p >= LATER_SHARE_MIN * scored[0]!.p)
  if (history === undefined || ways.isOfBefore) return scored
  const { former = [], present = '', supports = [] } = history
  const own = scored.filter(({ record, kind }) => kind !== 'relation' && supports.includes(record))
  const p = Math.max(history.p, ...own.map((each) => each.p))
  const isFormer = ({ text }: ScoredCandidate) =>
    !text.includes(present) && former.some((value) => text.includes(value))
  return scored
    .filter((each) => !own.includes(each) || !isFormer(each))
    .map((each) => (each === history ? { ...each, p } : each))
    .sort((one, other) => other.p - one.p)
}

/**
 * Moves a later statement about a change ("was raised to", "no longer", "instead of") to the front. It must contain as
 * much of the question as the best statement and share another term with it. Nothing is moved for a question about the
 * past or a named time, or if the best statement states its own period.
 */
function changedFirst(
  scored: readonly ScoredCandidate[],
  { terms, times, ways }: Question,
  { records }: Material,
): readonly ScoredCandidate[] {
  const [best] = scored
  if (!best || times || ways.isPast || ways.isOfBefore) return scored
  const timeOf = ({ record }: ScoredCandidate) => records[record]!.occurredAtMs ?? Number.NaN
  if (validityOf(best.text, dayOf(records[best.record]!.occurredAtMs ?? 0)).length > 0) return scored
  const sharesMore = (each: ScoredCandidate) =>
    [...each.terms].some((term) => best.terms.has(term) && !terms.includes(term))
  const isSuccessor = (each: ScoredCandidate) =>
    timeOf(each) > timeOf(best) && each.cover >= best.cover && CHANGE_CUE.test(each.text) && sharesMore(each)
  const successor = scored.find(isSuccessor)
  if (!successor) return scored
  return [{ ...successor, p: best.p }, ...scored.filter((each) => each !== successor)]
}

/** Returns the statements of the best statement's conversation for a summary, and all statements otherwise. */
function inConversation(
  scored: readonly ScoredCandidate[],
  { isSummary = false }: Question,
  { records }: Material,
): readonly ScoredCandidate[] {
  const conversationOf = ({ record }: ScoredCandidate) => records[record]!.conversation
  const conversation = isSummary && scored[0] ? conversationOf(scored[0]) : undefined
  if (conversation === undefined) return scored
  const own = scored.filter((each) => conversationOf(each) === conversation)
  return new Set(own.map(({ record }) => record)).size > 1 ? own : scored
}

function statementsIn(passages: readonly SelectedPassage[], scored: readonly ScoredCandidate[]): ScoredCandidate[] {
  return scored.filter((each) => passages.some((passage) => isPartOf(each, passage)))
}

/** Orders the passages of a summary by time, and else puts a later one first that is nearly as probable. */
function inOrder(passages: readonly SelectedPassage[], question: Question, material: Material): SelectedPassage[] {
  const { isSummary = false, times, ways } = question
  const { records, termsOf } = material
  const timeOf = ({ record }: SelectedPassage) => records[record]!.occurredAtMs ?? Number.POSITIVE_INFINITY
  if (isSummary) return [...passages].sort((one, other) => timeOf(one) - timeOf(other))
  const [first, second, ...rest] = passages
  const isPast = times !== undefined || ways.isOfBefore
  if (!second || isPast || second.p < LATER_SHARE_MIN * first!.p) return [...passages]
  const isLater = dayOf(timeOf(second)) > dayOf(timeOf(first!)) && timeOf(second) < Number.POSITIVE_INFINITY
  const isSame =
    isSameSubject(first!, second, termsOf) && haveSameTopic(records[first!.record]!, records[second.record]!, termsOf)
  const isMoved = isLater && isSame && !isOfOtherPeriod(second.best, question, material)
  return isMoved ? [second, first!, ...rest] : [...passages]
}

/** Returns true if two records may have the same subject: their titles share a term, or one of them has no title. */
function haveSameTopic(
  { title: one = '' }: BriefRecord,
  { title: other = '' }: BriefRecord,
  termsOf: Material['termsOf'],
): boolean {
  const terms = new Set(termsOf(one))
  const others = termsOf(other)
  return terms.size === 0 || others.length === 0 || others.some((term) => terms.has(term))
}

/**
 * Answers a question about a time that no record is from. Only records that have no time, mention the time or were
 * edited in it can answer. For a question about a state, earlier records can answer otherwise.
 */
function answerOutsideTime(input: BriefInput, time: EmptyTime): Answer {
  const isEditedIn = (record: BriefRecord) => {
    const atMs = editedAtMs(record) ?? Number.NaN
    return time.ranges.some((range) => isWithin(atMs, range))
  }
  const records = input.records.filter((record) => mayBeAbout(time, record) || isEditedIn(record))
  const answer = records.length > 0 ? answerQuestion({ ...input, records, emptyTime: undefined }) : undefined
  if (answer?.outcome === 'answered') return answer
  const endMs = Math.max(...time.ranges.map(({ toMs }) => toMs))
  const earlier = input.records.filter(({ occurredAtMs }) => occurredAtMs !== undefined && occurredAtMs < endMs)
  if (!input.asked.whole.ways.isOfPastState || earlier.length === 0) return abstain(input)
  const before = answerQuestion({ ...input, records: earlier, emptyTime: undefined })
  return before.outcome === 'answered' ? before : abstain(input)
}

/** Returns a sentence that names the missing information, with related passages that share words with the question. */
function answerClosest(input: BriefInput, material: Material, scored: readonly ScoredCandidate[]): Answer {
  const noAnswer = noAnswerOf(input)
  const related = scored.filter(({ cover }) => cover >= CLOSEST_COVER_MIN)
  const considered = (passages: readonly SelectedPassage[]) => explain(scored, passages, material, 'closest')
  if (noAnswer.isOfUnknown || related.length === 0)
    return { ...emptyAnswer(noAnswer.text, input), considered: considered([]) }
  const passages = select(related, material.segmented, CLOSEST_LIMITS, material.termsOf)
  const shown = showAll(passages.map(withoutNeighbors), material)
  const text = `${noAnswer.text} The closest:`
  const intro: RenderedPassage = { text, recordIds: [], spans: [], computed: text }
  return toAnswer('closest', [intro, ...shown], input, material, considered(passages))
}

/**
 * Converts an answer to related passages below a sentence that names the missing information. Used if a language model
 * found no answer in the passages.
 */
export function asClosest(input: BriefInput, answer: Answer): Answer {
  if (answer.outcome !== 'answered') return answer
  const text = `${noAnswerOf(input).text} The closest:`
  const intro: RenderedPassage = { text, recordIds: [], spans: [], computed: text }
  const statements = renderWithin([intro, ...answer.statements.slice(0, CLOSEST_LIMITS.passagesMax)], input.maxTokens)
  const brief = statements.map(({ text: each }) => each).join('\n\n')
  return { ...answer, outcome: 'closest', brief, statements, citations: citeEntities(statements, input.records, input) }
}

/** Returns an answer that only names the missing information, in one sentence. */
export function abstain(input: Parameters<typeof noAnswerOf>[0] & Pick<BriefInput, 'maxTokens'>): Answer {
  return emptyAnswer(noAnswerOf(input).text, input)
}

function emptyAnswer(text: string, { maxTokens }: Pick<BriefInput, 'maxTokens'>): Answer {
  const brief = shorten(text, maxTokens)
  const statements = brief === '' ? [] : [{ text: brief, recordIds: [], spans: [], computed: text }]
  return { outcome: 'nothing', brief, citations: [], statements, considered: [] }
}

/** Renders the dates, drops the last passages until the rest fits the token limit, and cites the records' entities. */
function toAnswer(
  outcome: AnswerOutcome,
  shown: readonly RenderedPassage[],
  input: BriefInput,
  { records }: Material,
  considered: readonly Considered[],
): Answer {
  const texts = renderDates(shown.map(({ text }) => text))
  const statements = renderWithin(
    shown.map((each, at) => ({ ...each, text: texts[at]! })),
    input.maxTokens,
  )
  const brief = statements.map(({ text }) => text).join('\n\n')
  return { outcome, brief, citations: citeEntities(statements, records, input), statements, considered }
}
