import { type Block, blocksOf, cutOut, fencesOf, withoutQuoted } from '../text/block.ts'
import { MS_PER_DAY, parseIsoDay } from '../text/civil-date.ts'
import { plainLine } from '../text/clean-text.ts'
import { LABEL_CHARS_MAX } from '../text/kinds.ts'
import { readSentences, type Sentence } from '../text/sentences.ts'
import { speaksAsSomebody } from '../text/words.ts'
import type { Question } from '../understand/question.ts'
import type { BriefInput, BriefRecord, BriefRelation, Meant } from './brief.ts'
import { gatherFacts } from './facts.ts'
import { indexNames, type NameIndex } from './names.ts'
import { numberedBlocks, numbersIn } from './numbered-blocks.ts'
import { isMessage, stateSentence } from './states.ts'
import { isQuestion } from './traits.ts'

/** One thing that a record says and the brief may tell. */
export interface Candidate {
  text: string
  record: number
  position: number
  /** A sentence of the text, or one made from relations, properties or the title. */
  source: 'sentence' | 'relation' | 'state'
  terms: Set<string>
  /** Its terms, of an identifier the whole alone: its parts say nothing more. */
  matter: ReadonlySet<string>
  names: number[]
  sentence?: Sentence
  /** The label of its section, when it is told with it. */
  lead?: string
  /** Set where the record's author repeats the words of somebody else. */
  isOthers?: boolean
  computed?: string
  /** All records that state it, when it was made from several. */
  supports?: number[]
  /** The values that it says no longer hold. */
  former?: string[]
  /** The value that it says holds. */
  present?: string
  /** Since when it holds, when it tells a change. */
  sinceMs?: number
}

/** The pinned records, best first, with all they say. */
export interface Material {
  records: BriefRecord[]
  /** By record, what of its text is read, and the blocks of that. */
  shown: { text: string; blocks: readonly Block[] }[]
  candidates: Candidate[]
  names: NameIndex
  termsOf: (text: string) => string[]
  /** What a model says of statements beside the question, where one compared them. */
  meant?: Meant
  /** Whether the question asks for one fact or reason in short, so that what answers it is enough. */
  isOfOneThing?: boolean
}

// All texts together are read up to this size, so that one brief never holds the process for long.
const READ_CHARS_MAX = 120_000
const READ_CHARS_MIN = 3_000
const SENTENCES_MAX = 1_500
const SENTENCES_MIN = 40
const WINDOW_CHARS = 1_500
/** Characters of a word of a question from which a long text is looked through for it. */
const WANTED_CHARS_MIN = 3
const MARK = /[^\p{L}\p{M}\p{N}]/u
const BEGINS = /^["'“‘„«([]?[\p{Lu}\p{Lo}\p{N}]/u
/** "p-queue", "iPhone", "api_v2" and "node.js" are names as they are written. */
const SPELT_SMALL = /^\p{Ll}[\p{Ll}\p{N}]*(?:[-_./]?[\p{Lu}\p{N}]|[-_./]\p{Ll})/u
const MARKS = new RegExp(MARK, 'gu')
const NOTE = /^[\p{L}\p{N}][^:.!?]{0,40}(?:\.\d[^:.!?]{0,20}){0,3}: \S/u

/** Gathers what the records say; the order of the input does not matter. */
export function gatherMaterial(input: BriefInput, tellsProgress: boolean): Material {
  const records = distinctRecords(input.records)
  const names = indexNames(records)
  const share = Math.max(READ_CHARS_MIN, Math.floor(READ_CHARS_MAX / Math.max(1, records.length)))
  const sentencesMax = Math.max(SENTENCES_MIN, Math.floor(SENTENCES_MAX / Math.max(1, records.length)))
  const candidates: Candidate[] = []
  const shown: Material['shown'] = []
  const { ways, words } = input.asked.whole
  const known = new Map<string, string[]>()
  const wholes = wholesOf(input.asked.whole.terms)
  const numbers = numbersIn(input.asked.whole.terms)
  records.forEach((record, at) => {
    const title = plainLine(record.title ?? '')
    const { isOthers, text, blocks, sentences } = saidIn(record)
    shown.push({ text, blocks })
    const sections = numberedBlocks(blocks, numbers, labelTerms)
    for (const read of sentences.slice(0, sentencesMax)) {
      const numbered = sections.find(({ start, end }) => start <= read.start && read.start < end)
      if (numbered?.isOther && !ways.isOfBeside) continue
      const sentence = withoutTitleAsLabel(read, title)
      const { label } = sentence
      if (label !== undefined && lettersOf(sentence.text) === lettersOf(label)) continue
      const candidate: Candidate = { ...base(sentence.text, at, sentence.position), source: 'sentence', sentence }
      const over = isNote(candidate) ? headingAsked(sentence.heading, candidate.terms) : labelAbove(sentence, candidate)
      const lead = numbered?.heading ?? over
      if (lead !== undefined) candidate.lead = lead
      if (isOthers) candidate.isOthers = true
      for (const each of [label, numbered?.heading])
        if (each !== undefined) for (const term of labelTerms(each)) candidate.terms.add(term)
      candidates.push(candidate)
    }
    const state = stateSentence(record)
    if (state) candidates.push({ ...base(state.text, at, 0), source: 'state', computed: state.computed })
  })
  const today = parseIsoDay(input.referenceDate)
  for (const fact of gatherFacts(records, today === undefined ? undefined : (today + 1) * MS_PER_DAY)) {
    const { computed, records: supports, former, present } = fact
    // A record's own sentence tells how far it is; the way there matters only when asked for.
    if (fact.progress && !tellsProgress) continue
    const candidate: Candidate = { ...base(fact.text, supports[0]!, 0), source: 'relation', computed, supports, former }
    if (present !== undefined) candidate.present = present
    if (fact.sinceMs !== undefined) candidate.sinceMs = fact.sinceMs
    candidates.push(candidate)
  }
  /** What of a record's text is told: of a message the author's own words, of one without any what it quotes. */
  function saidIn(record: BriefRecord) {
    const read = (whole: string) => {
      const text = boundedText(whole, share, words)
      const blocks = blocksOf(text)
      return { text, blocks, sentences: readSentences(text, { keepsCode: ways.isOfManner, blocks }) }
    }
    const whole = record.text ?? ''
    const own = isMessage(record) ? withoutQuoted(whole) : whole
    const said = read(own)
    const isOthers = own !== whole && said.sentences.length === 0
    return { ...(isOthers ? read(whole) : said), isOthers }
  }
  /** The heading of a note that says something of what is asked that the note does not: "Default: 72000". */
  function headingAsked(heading: string | undefined, own: ReadonlySet<string>): string | undefined {
    const { terms } = input.asked.whole
    const isAsked = heading !== undefined && labelTerms(heading).some((term) => terms.includes(term) && !own.has(term))
    return isAsked ? heading : undefined
  }
  /** The label of a sentence's section where it says something that the sentence does not. */
  function labelAbove({ label, kind }: Sentence, { terms }: Pick<Candidate, 'terms'>): string | undefined {
    const isMore = label !== undefined && kind !== 'code' && labelTerms(label).some((term) => !terms.has(term))
    return isMore ? label : undefined
  }
  function labelTerms(label: string): string[] {
    const terms = known.get(label) ?? (label.length <= LABEL_CHARS_MAX ? input.terms(label) : [])
    known.set(label, terms)
    return terms
  }
  function base(text: string, record: number, position: number): Omit<Candidate, 'source'> {
    const terms = new Set(input.terms(text))
    for (const [whole, parts] of wholes) if (terms.has(whole)) for (const part of parts) terms.add(part)
    return { text, record, position, terms, matter: matterOf(terms), names: names.find(text) }
  }
  return { records, shown, candidates, names, termsOf: input.terms, ...(input.meant && { meant: input.meant }) }
}

function lettersOf(text: string): string {
  return text.toLowerCase().replace(MARKS, '')
}

/** What stands under a document's own title is not labelled by it. */
function withoutTitleAsLabel(sentence: Sentence, title: string): Sentence {
  if (sentence.label === undefined || sentence.label.toLowerCase() !== title.toLowerCase()) return sentence
  const { label: _, ...unlabelled } = sentence
  return unlabelled
}

/** What two words of a question side by side are as one word, with their terms: "back up" is a backup. */
function wholesOf(terms: readonly string[]): [string, string[]][] {
  const words = terms.filter((term) => !term.startsWith('~'))
  return words.slice(1).map((term, at) => {
    const whole = `${words[at]!}${term}`
    return [whole, [words[at]!, term, `~${whole}`]]
  })
}

function matterOf(terms: ReadonlySet<string>): ReadonlySet<string> {
  const joined = [...terms].filter((term) => MARK.test(term))
  if (joined.length === 0) return terms
  const wholes = joined.map((term) => term.replace(MARKS, ''))
  return new Set([...terms].filter((term) => MARK.test(term) || !wholes.some((whole) => whole.includes(term))))
}

/** Each record once, as a copy, best first. */
function distinctRecords(records: readonly BriefRecord[]): BriefRecord[] {
  const byId = new Map<string, BriefRecord>()
  for (const record of records) {
    const known = byId.get(record.id)
    if (!known || known.score < record.score) byId.set(record.id, record)
  }
  return [...byId.values()].map(readable).sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
}

/** A copy without times that are none and without an author who has no name. */
function readable(record: BriefRecord): BriefRecord {
  const { occurredAtMs, author, ...rest } = record
  const copy: BriefRecord = { ...rest, relations: (record.relations ?? []).map(withKnownTimes) }
  if (isTime(occurredAtMs)) copy.occurredAtMs = occurredAtMs
  if (author && plainLine(author.name) !== '') copy.author = author
  return copy
}

function withKnownTimes({ validFromMs, validToMs, ...relation }: BriefRelation): BriefRelation {
  return { ...relation, ...(isTime(validFromMs) && { validFromMs }), ...(isTime(validToMs) && { validToMs }) }
}

function isTime(ms: number | undefined): ms is number {
  return ms !== undefined && Number.isFinite(ms)
}

/** The start of a long text and the places that hold the question's words, cut at line or word ends. */
export function boundedText(text: string, charsMax: number, asked: Question['words']): string {
  if (text.length <= charsMax) return text
  const spans: [number, number][] = [[0, Math.floor(charsMax / 2)]]
  const lower = text.toLowerCase()
  let left = charsMax - spans[0]![1]
  const wanted = asked.map(({ text: word }) => word).filter((word) => word.length >= WANTED_CHARS_MIN)
  for (const word of new Set(wanted)) {
    let at = lower.indexOf(word, spans[0]![1])
    for (let hits = 0; at >= 0 && hits < 3 && left >= WINDOW_CHARS; hits++) {
      spans.push([Math.max(0, at - WINDOW_CHARS / 2), Math.min(text.length, at + WINDOW_CHARS / 2)])
      left -= WINDOW_CHARS
      at = lower.indexOf(word, at + WINDOW_CHARS)
    }
  }
  spans.sort((a, b) => a[0] - b[0])
  const fences = fencesOf(text)
  const parts: string[] = []
  let end = 0
  for (const [from, to] of spans) {
    if (to <= end) continue
    parts.push(cutOut(text, ...wholeSentences(text, Math.max(from, end), to), fences))
    end = to
  }
  return parts.join('\n\n')
}

/** A stretch of a text without the sentence that it starts in, when it starts in one, and the one it ends in. */
function wholeSentences(text: string, from: number, to: number): [number, number] {
  const cut = text.slice(from, to)
  const first = from > 0 ? Math.max(0, cut.search(/(?<=[.!?。\n])\s/)) : 0
  const last = Math.max(cut.lastIndexOf('. '), cut.lastIndexOf('\n'), cut.lastIndexOf('。'))
  return [from + first, last > first ? from + last + 1 : to]
}

/** Whether a candidate is a command or other code. */
export function isCommand({ sentence }: Pick<Candidate, 'sentence'>): boolean {
  return sentence?.kind === 'code'
}

/** Whether a candidate is a list's item or a table's row that gives a value under its name: "Default: 72000". */
export function isNote({ text, sentence }: Pick<Candidate, 'text' | 'sentence'>): boolean {
  return sentence?.kind === 'item' && NOTE.test(text)
}

/** Whether a candidate can stand in the brief without quotation marks. */
export function standsAlone(candidate: Candidate): boolean {
  if (candidate.source !== 'sentence') return true
  if (candidate.sentence?.kind === 'quote') return false
  if (isCommand(candidate)) return true
  const opens = candidate.lead ?? candidate.text
  // A list's item often begins small and is no less a note of the document; so does what begins with a name's spelling.
  const isWhole = candidate.sentence?.kind === 'item' || BEGINS.test(opens) || SPELT_SMALL.test(opens)
  return isWhole && !speaksAsSomebody(candidate.text) && !isQuestion(candidate.text)
}
