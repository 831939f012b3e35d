import type { Question } from '../understand/question.ts'
import { formTerms } from '../understand/written-names.ts'
import type { BriefRecord } from './brief.ts'
import { type Candidate, isComputed, type Material } from './candidates.ts'
import type { RenderedPassage } from './show.ts'
import { NAMED_MAX, numberWord, shownCount } from './shown-count.ts'
import { assigneeOf, joinAnd, phaseOf, readProperties, recordLabel, statusOf } from './states.ts'
import { OPEN_CUE, UNDERWAY } from './traits.ts'

// An open record is listed if its score is at least this share of the best score, if its title and fields contain much
// of the question, or if the answer mentions it.
const SCORE_SHARE = 0.8
const COVERED_SHARE = 0.4

/** A sentence that lists the records that are open by their status. */
export interface OpenItems extends RenderedPassage {
  /** True if the sentence comes first in the answer. */
  readonly comesFirst: boolean
}

/**
 * Returns "Still open are NOR-142 “…” (in progress, Jon Berg) and …" from the status of the records. Omits records that
 * the shown statements already describe as open; the sentence then begins with "Also".
 * @param statements the statements shown in the answer
 */
export function openItems(
  question: Question,
  material: Material,
  statements: readonly Candidate[],
): OpenItems | undefined {
  const { records } = material
  const isForAll = asksForAll(question, material)
  const least = isForAll ? 0 : SCORE_SHARE * Math.max(0, ...records.map((record) => record.score))
  const all = records.filter(
    (record) =>
      phaseOf(record) === 'open' &&
      recordLabel(record) !== undefined &&
      (record.score >= least ||
        coversQuestion(record, question, material) ||
        isMentioned(record, statements, material)),
  )
  const named = new Set(material.names.findAsked(question.wordsInTalk).map(({ name }) => name))
  // The project that the question names is not listed as an open item of itself.
  const inNamed = all.filter(
    (record) => !material.names.titlesOf(records.indexOf(record)).some((name) => named.has(name)),
  )
  const listed = inNamed.length > 0 ? inNamed : all
  const open = listed.filter(
    (record) => !statements.some((each) => statesOpen(each, records.indexOf(record), material)),
  )
  if (open.length === 0) return undefined
  const shown = open.slice(0, NAMED_MAX)
  const labels = shown.map((record) => workLabel(record, 'open'))
  if (open.length > shown.length) labels.push(`${numberWord(open.length - shown.length)} more`)
  const opening = open.length < listed.length ? 'Also' : 'Still'
  return {
    comesFirst: question.kind === 'open',
    text: `${opening} open ${open.length === 1 ? 'is' : 'are'} ${joinAnd(labels)}.`,
    recordIds: shown.map((record) => record.id),
    spans: [],
    computed: `${shownCount('open by status', open)}; ${numberWord(Math.max(0, open.length - shown.length))} more`,
  }
}

/**
 * Returns the label of a record with its status and owner: "NOR-142 “…” (in progress, Jon Berg)". Omits the status if
 * `said` states it.
 */
export function workLabel(record: BriefRecord, said: string): string {
  const facts = [statusOf(record), assigneeOf(record)].filter(
    (fact) => fact !== undefined && fact.toLowerCase() !== said,
  )
  return `${recordLabel(record)}${facts.length > 0 ? ` (${facts.join(', ')})` : ''}`
}

/** Returns true if a question asks for everything: "What is left to do?". */
function asksForAll(question: Question, { termsOf }: Material): boolean {
  return question.terms.every(formTerms(question.times !== undefined, termsOf))
}

/** Returns true if the question asks for everything open and records are open, whatever their words. */
export function isAnsweredByPhase(question: Question, material: Material): boolean {
  const { records } = material
  return question.kind === 'open' && asksForAll(question, material) && records.some((each) => phaseOf(each) === 'open')
}

/** Returns true if a shown statement is from the record or names it. */
function isMentioned(record: BriefRecord, statements: readonly Candidate[], { records, names }: Material): boolean {
  const at = records.indexOf(record)
  const titles = names.titlesOf(at)
  return statements.some((each) => each.record === at || each.names.some((name) => titles.includes(name)))
}

/** Returns true if a record's title and fields contain much of the question. */
function coversQuestion(record: BriefRecord, { terms }: Question, { termsOf }: Material): boolean {
  const said = new Set(termsOf([record.title ?? '', ...readProperties(record).values()].join('\n')))
  return terms.length > 0 && terms.filter((term) => said.has(term)).length >= COVERED_SHARE * terms.length
}

/**
 * Returns true if a shown statement says that the record is open: it is rendered from the record's fields, or names the
 * record together with words for open work.
 */
function statesOpen(statement: Candidate, record: number, { names }: Material): boolean {
  if (statement.kind === 'field') return statement.record === record
  if (!OPEN_CUE.test(statement.text) && !UNDERWAY.test(statement.text)) return false
  if (isComputed(statement)) return statement.supports?.includes(record) ?? false
  return statement.record !== record && names.titlesOf(record).some((name) => statement.names.includes(name))
}
