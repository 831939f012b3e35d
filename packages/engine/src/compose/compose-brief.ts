import type { QuestionKind } from '../lexicon/asked.ts'
import { plainLine } from '../text/clean-text.ts'
import { type EmptyTime, mayBeOf } from '../understand/empty-time.ts'
import type { Question } from '../understand/question.ts'
import { isWithin } from '../understand/time-span.ts'
import { answerParts, answerSection } from './answer-parts.ts'
import { areAnswered } from './answerable.ts'
import { withAntecedents } from './antecedents.ts'
import type { Brief, BriefInput, BriefRecord, Draft } from './brief.ts'
import { gatherMaterial, type Material } from './candidates.ts'
import { chooseCandidates } from './choose.ts'
import { citeEntities } from './cite.ts'
import { type Contradiction, contradictionNote } from './contradiction.ts'
import { findContradictions, keyOf } from './contradictions.ts'
import { withConversation } from './conversation.ts'
import { fitDrafts, shorten, tokensOf } from './fit.ts'
import { findFocus } from './focus.ts'
import { framePiece, type Piece } from './frame.ts'
import { openDraft, repeatsOpen } from './open-ends.ts'
import { besideFacts, ownFacts } from './own-facts.ts'
import { inTime, toAnswerPieces, toPieces } from './pieces.ts'
import { type RefusedInput, refusalText } from './refusal.ts'
import { type Scored, scoreCandidates } from './select.ts'
import { sequelOf } from './sequels.ts'
import { editedAtMs } from './states.ts'
import { sectionAnswer } from './table-figure.ts'
import { countWords } from './traits.ts'
import { valuesOf } from './values.ts'

const NOTHING_KNOWN =
  'None of the pinned ids is known here, so there is nothing to brief on. ' +
  'Run discover with this question and pin the ids that it returns.'
const NOTHING_SAID = 'The pinned records are known here, but they hold no text, title or fields that could be told.'
// Importance of what is told, for dropping the least when room is short.
const WEIGHT = { answer: 3, story: 2, part: 0.5, open: 0.9 }
/** What answers a part of the question more likely than not. */
const PART_ANSWER = 0.5 * WEIGHT.story + WEIGHT.part
// Words of a whole brief by the number of records, of which what is computed takes its part.
const WORDS = { one: 90, two: 130, more: 195 }
/** Words of a concise answer that no record leads on from: of one fact, and of a story. */
const CONCISE_WORDS = { fact: 60, story: 110 }
/** A question about so many things asks for more than one record tells. */
const CHAIN_TERMS_MIN = 7
const STORIES: ReadonlySet<QuestionKind> = new Set(['why', 'change', 'status', 'open', 'overview'])
const EXTRACTED_SHARE_MIN = 0.5
const DETAILED_FACTOR = 2

/**
 * A brief of one or two paragraphs whose every statement is taken or computed from the pinned records.
 * Pure: equal input gives an equal brief, whatever the order of the records.
 */
export function composeBrief(input: BriefInput): Brief {
  if (input.records.length === 0) return plainBrief(NOTHING_KNOWN, input.maxTokens)
  if (input.emptyTime?.isDeciding) return composeOfNoTime(input, input.emptyTime)
  const { whole: question, parts } = input.asked
  const gathered = gatherMaterial(
    input,
    question.kinds.some((kind) => kind === 'status' || kind === 'change'),
  )
  const own = ownFacts(input, gathered.records, WEIGHT.answer + 1)
  const material = own.length === 0 ? gathered : besideFacts(gathered, own)
  const { words, ...shape } = shapeOf(input, question, material)
  const shaped = { ...material, ...shape }
  const scored = scoreCandidates(question, shaped)
  const whole =
    own.length > 0 || parts.length > 0 ? undefined : sectionAnswer(question, scored, material, WEIGHT.answer)
  const isSure = own.length > 0 || whole?.isSure || input.corpus === undefined
  if (!isSure && !areAnswered(input.asked, material, input.corpus!, input.meant)) return refuse(input)
  if (whole && countWords(whole.draft.text) <= WORDS.more && tokensOf(whole.draft.text) <= input.maxTokens)
    return tell([whole.draft], material, input)
  const left = words - own.reduce((sum, { text }) => sum + countWords(text), 0)
  const wordsMax = Math.max(words * EXTRACTED_SHARE_MIN, left)
  const { open, ...told } = settle(question, parts, scored, shaped, wordsMax)
  const beside = [...own, ...(open ? [open] : [])]
  const drafts = inAskedOrder(storyDrafts(told, material, question.isSummary), beside, parts)
  return drafts.length === 0 ? plainBrief(NOTHING_SAID, input.maxTokens) : tell(drafts, material, input)
}

function tell(drafts: readonly Draft[], material: Material, input: BriefInput): Brief {
  const { brief, placed } = fitDrafts(leadingFirst(drafts), input.maxTokens)
  return {
    answered: true,
    brief,
    citations: citeEntities(placed, material.records, input),
    statements: placed.map(({ draft, text }) => {
      const grounds = [draft.computed ?? [], fullNames(text, draft.recordIds, material)].flat()
      return { text, recordIds: draft.recordIds, ...(grounds.length > 0 && { computed: grounds.join('; ') }) }
    }),
  }
}

/** Asked of times that no record is of, those may answer that were edited then, speak of them or have no time. */
function composeOfNoTime(input: BriefInput, time: EmptyTime): Brief {
  const isEditedIn = (record: BriefRecord) => {
    const atMs = editedAtMs(record) ?? Number.NaN
    return time.ranges.some((range) => isWithin(atMs, range))
  }
  const records = input.records.filter((record) => mayBeOf(time, record) || isEditedIn(record))
  const told = records.length > 0 ? composeBrief({ ...input, records, emptyTime: undefined }) : undefined
  return told?.answered ? told : refuse(input)
}

/** Who is meant by the names under which the records of a statement have their authors, where it uses others. */
function fullNames(text: string, recordIds: readonly string[], { records }: Material): string[] {
  const notes = records.flatMap(({ id, author }) =>
    author?.given && recordIds.includes(id) && text.includes(plainLine(author.name))
      ? [`author ${author.given} is ${author.name}`]
      : [],
  )
  return [...new Set(notes)]
}

/** A brief that says in one sentence what the records do not tell. */
export function refuse(input: RefusedInput & Pick<BriefInput, 'maxTokens'>): Brief {
  return plainBrief(refusalText(input), input.maxTokens)
}

function plainBrief(text: string, maxTokens: number): Brief {
  const brief = shorten(text, maxTokens)
  return {
    answered: false,
    brief,
    citations: [],
    statements: brief === '' ? [] : [{ text: brief, recordIds: [], computed: text }],
  }
}

/** How an answer is told: in how many words, and whether one thing is asked for. */
function shapeOf({ detail }: BriefInput, question: Question, material: Material): Shape {
  const { length } = material.records
  const words = length === 1 ? WORDS.one : length === 2 ? WORDS.two : WORDS.more
  if (detail !== 'concise') return { words: detail === 'detailed' ? words * DETAILED_FACTOR : words }
  const isStory = question.kinds.some((kind) => STORIES.has(kind))
  // A fact or a reason stands in one record; what happened is told over many.
  const isOfOneThing = !isStory || question.kind === 'why'
  const { leadsOn } = findFocus(question, material)
  if (leadsOn.some((share) => share > 0) || question.about.length >= CHAIN_TERMS_MIN) return { words, isOfOneThing }
  return { words: Math.min(words, isStory ? CONCISE_WORDS.story : CONCISE_WORDS.fact), isOfOneThing }
}

type Shape = { words: number } & Pick<Material, 'isOfOneThing'>

/** What is told, with what overtakes it: a statement that a newer record contradicts is not told as current. */
interface Told {
  /** The answers of the question's parts, in the order asked; none when it has one part. */
  runs: Scored[][]
  others: Scored[]
  notes: Map<string, Contradiction>
}

/** What is told, and what is open by its status beside that. */
function settle(
  question: Question,
  parts: readonly Question[],
  scored: readonly Scored[],
  material: Material,
  words: number,
): Told & { open: Draft | undefined } {
  const whole = () => (question.isSummary ? [] : answerSection({ part: question, scored }, words))
  const runs = parts.length > 0 ? answerParts(parts, material, words) : whole()
  const answers = runs.flat()
  // Asked for, it stands with the answers, and what is told after it does not say it again.
  const open = question.kinds.includes('open') ? openEnds(question, material, answers) : undefined
  const fresh = open ? scored.filter((each) => !repeatsOpen(each, open.recordIds, material)) : scored
  const others = chooseCandidates(beyond(answers, fresh), material, words, answers)
  const before = [...answers, ...withAntecedents(others, scored, material)]
  const isOfTalk = question.isSummary && before.length > 0
  const told = isOfTalk ? withConversation(before, leadOf(before), scored, material, words) : before
  const sequel = runs.length === 0 && told.length > 0 ? sequelOf(question, leadOf(told), scored, material) : undefined
  const chosen = sequel === undefined || told.includes(sequel) ? told : [...told, sequel]
  const contradictions = findContradictions(chosen, material)
  const fallen = new Set(contradictions.filter((each) => each.dated).map((each) => keyOf(each.fallen)))
  const kept = new Map(chosen.filter((each) => !fallen.has(keyOf(each))).map((each) => [keyOf(each), each]))
  const byKey = new Map(scored.map((each) => [keyOf(each), each]))
  const notes = new Map<string, Contradiction>()
  for (const each of contradictions) {
    const key = keyOf(each.stands)
    if (fallen.has(key)) continue
    if (!each.dated) kept.delete(keyOf(each.fallen))
    if (!kept.has(key)) kept.set(key, byKey.get(key)!)
    if (!each.told && !namesFallen(each) && !notes.has(key)) notes.set(key, each)
  }
  const keptRuns = runs.map((run) => run.filter((each) => kept.get(keyOf(each)) === each))
  const inRuns = new Set(keptRuns.flat())
  return {
    runs: keptRuns.filter((run) => run.length > 0),
    others: [...kept.values()].filter((each) => !inRuns.has(each)),
    notes,
    open,
  }
}

/** Whether what stands says itself what it replaces: "on 26 June, not on 12 June". */
function namesFallen({ stands, values }: Contradiction): boolean {
  return (
    values !== undefined &&
    valuesOf(stands.text).some(({ key }) => valuesOf(values.fallen).some((each) => each.key === key))
  )
}

function openEnds(question: Question, material: Material, told: readonly Scored[]): Draft | undefined {
  return openDraft(question, material, question.kind === 'open' ? WEIGHT.answer + 1 : WEIGHT.open, told)
}

/** What the answers do not tell themselves. */
function beyond(answers: readonly Scored[], scored: readonly Scored[]): readonly Scored[] {
  const told = new Set(answers.map(keyOf))
  return scored.filter((each) => !told.has(keyOf(each)))
}

function storyDrafts({ runs, others, notes }: Told, material: Material, isSummary = false): Draft[] {
  const pieces = runs.length > 0 ? toAnswerPieces(runs, others, material) : storyPieces(others, material, isSummary)
  return pieces.map((piece, at): Draft => {
    const framed = framePiece(piece, material.records, pieces[at - 1])
    const contradiction = piece.candidates
      .map((candidate) => notes.get(keyOf(candidate)))
      .find((note) => note !== undefined)
    const remark = contradiction ? contradictionNote(contradiction, material.records) : undefined
    const computed = [framed.computed, remark?.computed].filter((each) => each !== undefined)
    const worth = Math.max(...piece.candidates.map((candidate) => (candidate as Scored).worth))
    const supports = piece.candidates.flatMap((candidate) => candidate.supports ?? [candidate.record])
    return {
      role: at === 0 ? 'answer' : 'story',
      text: remark ? `${framed.text} ${remark.text}` : framed.text,
      recordIds: [
        ...new Set([...supports.map((record) => material.records[record]!.id), ...(remark?.recordIds ?? [])]),
      ],
      ...(computed.length > 0 ? { computed: computed.join('; ') } : {}),
      weight: at === 0 ? WEIGHT.answer : WEIGHT.story * worth + (at < runs.length ? WEIGHT.part : 0),
    }
  })
}

function storyPieces(chosen: readonly Scored[], material: Material, isSummary: boolean): Piece[] {
  if (chosen.length === 0) return []
  return isSummary ? inTime(chosen, material) : toPieces(chosen, leadOf(chosen), material)
}

/** What a story opens with. */
function leadOf(chosen: readonly Scored[]): Scored {
  return chosen.reduce((best, each) => (best.worth >= each.worth ? best : each))
}

/** What is open by its status answers a part of the question and so stands with the answers. */
function inAskedOrder(story: readonly Draft[], computed: readonly Draft[], parts: readonly Question[]): Draft[] {
  const open = computed.find(({ role }) => role === 'open')
  if (!open || story.length === 0 || parts.every(({ kind }) => kind !== 'open')) return [...story, ...computed]
  const answers = story.filter(({ weight }) => weight >= PART_ANSWER)
  return [
    ...answers,
    { ...open, role: 'story', weight: PART_ANSWER },
    ...story.filter((draft) => !answers.includes(draft)),
    ...computed.filter((draft) => draft !== open),
  ]
}

/** What leads where nothing computed does; more facts that answer stand with the first. */
function isBesideLead({ role, weight }: Draft): boolean {
  return role === 'answer' && weight <= WEIGHT.answer
}

/** A computed statement that answers the question directly stands before what the records say. */
function leadingFirst(drafts: readonly Draft[]): Draft[] {
  const lead = drafts.find((draft) => draft.weight > WEIGHT.answer)
  if (!lead) return [...drafts]
  const rest = drafts.filter((draft) => draft !== lead)
  return [
    { ...lead, role: 'answer' },
    ...rest.map((draft): Draft => (isBesideLead(draft) ? { ...draft, role: 'story' } : draft)),
  ]
}
