import { anyIn, inAll } from '../lexicon/languages.ts'
import { MS_PER_DAY, parseIsoDay } from '../text/civil-date.ts'
import { LABEL_CHARS_MAX } from '../text/kinds.ts'
import type { BriefInput, BriefRecord, BriefRelation, SemanticScores } from './brief.ts'
import { gatherFacts } from './facts.ts'
import { indexNames, type NameIndex } from './names.ts'
import { questionsRepliedTo } from './replies.ts'
import { type SegmentedRecord, type Statement, segment } from './statement.ts'
import { stateSentence } from './states.ts'

/** A statement with its terms and the names in it. */
export interface Candidate extends Statement {
  readonly terms: ReadonlySet<string>
  /** Numbers of the names in the statement. */
  readonly names: readonly number[]
  /** Current value, if it states a relation that changed. The next field has the previous values. */
  readonly present?: string
  readonly former?: readonly string[]
  /** Question of an earlier message to which the statement is a short reply: "Yes, please." */
  readonly inReplyTo?: string
}

/** A statement with the probability that it answers the question. */
export interface ScoredCandidate extends Candidate {
  readonly p: number
  /** Weighted share of the question's terms that the statement contains. */
  readonly cover: number
  /** The question's terms that the statement contains, with their weights. */
  readonly carries: readonly (readonly [string, number])[]
}

/** The records that an answer is built from, best first, with all their statements. */
export interface Material {
  readonly records: readonly BriefRecord[]
  readonly segmented: readonly SegmentedRecord[]
  readonly candidates: readonly Candidate[]
  readonly names: NameIndex
  readonly termsOf: (text: string) => string[]
  /** The reference day, in days since 1970-01-01. */
  readonly today?: number
  /** Semantic similarity of the statements to the question, if a model computed it. */
  readonly meant?: SemanticScores
}

/** Maximum number of statements per answer. STATEMENTS_MIN is the minimum for each record. Both bound the time. */
const STATEMENTS_MAX = 1_500
const STATEMENTS_MIN = 40
const AGENT_ENDINGS = [...inAll('agentEndings'), 'r']
/** Matches an agent noun, such as "inspector": a stem of at least three letters and an ending. */
const AGENT = new RegExp(`^(.{3,})${anyIn('agentEndings')}$`, 'u')
const FIRST_STATEMENT = { start: 0, end: 0, block: -1, inSection: 0, context: '' } as const

/**
 * Returns the statements of the records: of their texts, fields and relations. The order of the records does not
 * matter.
 * @param includesProgress true to include relations that only state progress, such as a status
 */
export function gatherMaterial(input: BriefInput, includesProgress: boolean): Material {
  const records = distinctRecords(input.records)
  const names = indexNames(records)
  const perRecord = Math.max(STATEMENTS_MIN, Math.floor(STATEMENTS_MAX / Math.max(1, records.length)))
  const { whole: question } = input.asked
  const forms = [...compoundsOf(question.terms), ...(question.kinds.includes('who') ? agentsOf(question.terms) : [])]
  const labels = new Map<string, readonly string[]>()
  const segmented = records.map(segment)
  const questions = questionsRepliedTo(segmented)
  const ofTexts = segmented.flatMap(({ statements }) => statements.slice(0, perRecord).map(toCandidate))
  const fields = records.flatMap((record, at) => {
    const state = stateSentence(record)
    if (!state) return []
    return [toCandidate({ ...FIRST_STATEMENT, record: at, kind: 'field', text: state.text, computed: state.computed })]
  })
  const today = parseIsoDay(input.referenceDate)
  const facts = gatherFacts(records, today === undefined ? undefined : (today + 1) * MS_PER_DAY)
  const relations = facts
    .filter(({ progress }) => includesProgress || !progress)
    .map(({ text, computed, records: supports, former, present }) => ({
      ...toCandidate({ ...FIRST_STATEMENT, record: supports[0]!, kind: 'relation', text, computed, supports }),
      former,
      ...(present !== undefined && { present }),
    }))
  return {
    records,
    segmented,
    candidates: [...ofTexts, ...fields, ...relations],
    names,
    termsOf: input.terms,
    ...(today !== undefined && { today }),
    ...(input.meant && { meant: input.meant }),
  }

  function toCandidate(statement: Statement): Candidate {
    const terms = new Set(input.terms(statement.text))
    for (const [form, asked] of forms) if (terms.has(form)) for (const term of asked) terms.add(term)
    for (const term of labelTerms(statement.label)) terms.add(term)
    const inReplyTo = questions.get(statement)
    for (const term of inReplyTo === undefined ? [] : input.terms(inReplyTo)) terms.add(term)
    return { ...statement, terms, names: names.find(statement.text), ...(inReplyTo !== undefined && { inReplyTo }) }
  }
  function labelTerms(label = ''): readonly string[] {
    const terms = labels.get(label) ?? (label.length <= LABEL_CHARS_MAX ? input.terms(label) : [])
    labels.set(label, terms)
    return terms
  }
}

/** Returns pairs of adjacent words of a question as one word, with their terms: "back up" also matches "backup". */
function compoundsOf(terms: readonly string[]): [string, string[]][] {
  const words = terms.filter((term) => !term.startsWith('~'))
  return words.slice(1).map((term, at) => {
    const whole = `${words[at]!}${term}`
    return [whole, [words[at]!, term, `~${whole}`]]
  })
}

/**
 * Returns the agent nouns of the question's verbs, and the verbs of its agent nouns, each with the terms that they
 * stand for. A column "Inspector" or "Owner: Ida" then answers who inspected or owns something.
 */
function agentsOf(terms: readonly string[]): [string, string[]][] {
  return terms.flatMap((term): [string, string[]][] => {
    const verb = AGENT.exec(term)?.[1]
    const forms = verb === undefined ? AGENT_ENDINGS.map((ending) => `${term}${ending}`) : [verb, `${verb}e`]
    return forms.map((form) => [form, [term]])
  })
}

/** Returns a copy of each distinct record, best first. */
function distinctRecords(records: readonly BriefRecord[]): BriefRecord[] {
  const byId = new Map<string, BriefRecord>()
  for (const record of records) {
    const known = byId.get(record.id)
    if (!known || known.score < record.score) byId.set(record.id, record)
  }
  return [...byId.values()].map(sanitized).sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
}

/** Returns a copy without invalid times and without an author who has no name. */
function sanitized(record: BriefRecord): BriefRecord {
  const { occurredAtMs, author, ...rest } = record
  const copy: BriefRecord = { ...rest, relations: (record.relations ?? []).map(withValidTimes) }
  if (isTime(occurredAtMs)) copy.occurredAtMs = occurredAtMs
  if (author && /\S/.test(author.name)) copy.author = author
  return copy
}

function withValidTimes({ validFromMs, validToMs, ...relation }: BriefRelation): BriefRelation {
  return { ...relation, ...(isTime(validFromMs) && { validFromMs }), ...(isTime(validToMs) && { validToMs }) }
}

function isTime(ms: number | undefined): ms is number {
  return ms !== undefined && Number.isFinite(ms)
}

/** Returns true for a statement that is rendered from fields or relations. */
export function isComputed({ kind }: Pick<Statement, 'kind'>): boolean {
  return kind === 'field' || kind === 'relation'
}
