import { type Block, blocksOf, cellsOf, withoutQuoted } from '../text/block.ts'
import { plainLine } from '../text/clean-text.ts'
import { readSentences, type Sentence } from '../text/sentences.ts'
import type { BriefRecord } from './brief.ts'
import { isMessage } from './states.ts'

/**
 * The unit that is scored for a question: one sentence, list item, table row, code block or quotation of a text, or a
 * sentence rendered from a record's fields or relations.
 */
export interface Statement {
  /** Index of its record among the records that the answer is built from. */
  readonly record: number
  /** UTF-16 offsets into the record's text; both 0 for fields and relations. */
  readonly start: number
  readonly end: number
  /** Plain text without markup. A row is written as `column: value; …`. */
  readonly text: string
  /** `title › headings · speaker`: the visible context of the statement. */
  readonly context: string
  readonly kind: 'sentence' | 'item' | 'row' | 'code' | 'quote' | 'field' | 'relation'
  /** Index of its block among the blocks of the record's text; -1 for fields and relations. */
  readonly block: number
  /** Index of the statement under its heading, at least the number of unread blocks before it. */
  readonly inSection: number
  /** The label at the beginning of its block (`Cause: …`), otherwise the heading above it. */
  readonly label?: string
  /**
   * Values from which a field or relation statement is computed. The next field has the indexes of the records that
   * contain them.
   */
  readonly computed?: string
  readonly supports?: readonly number[]
}

/** A record with the blocks of its text and their statements, in order. */
export interface SegmentedRecord {
  readonly record: BriefRecord
  /** The text that the offsets refer to. */
  readonly text: string
  readonly blocks: readonly Block[]
  readonly statements: readonly Statement[]
}

/** Maximum number of characters of a code block that are scored. The cross-encoder reads no more. */
const CODE_CHARS_MAX = 1_500
/** Maximum number of characters of a record that are read if the ranking selected no passages of it. */
const READ_CHARS_MAX = 12_000

/**
 * Segments a record's text into statements. If the record has ranked passages, only these are read. Lines that a
 * message quotes from others are skipped, unless it has no text of its own.
 * @param at index of the record among the records that the answer is built from
 */
export function segment(record: BriefRecord, at: number): SegmentedRecord {
  const whole = record.text ?? ''
  const own = isMessage(record) ? withoutQuoted(whole) : whole
  const segmented = segmentText(record, at, own)
  return segmented.statements.length > 0 || own === whole ? segmented : segmentText(record, at, whole)
}

function segmentText(record: BriefRecord, at: number, text: string): SegmentedRecord {
  const read = record.passages ?? [{ start: 0, end: READ_CHARS_MAX }]
  const isRead = ({ start }: Block) => read.some((passage) => passage.start <= start && start < passage.end)
  const all = blocksOf(text)
  const blocks = all.filter((block) => block.kind === 'heading' || isRead(block))
  const skippedBefore = skippedInSection(all, isRead)
  const contextOf = contexts(record)
  const withNames = namesIn(record)
  const sentences = readSentences(text, { blocks: blocks.filter(({ kind }) => kind !== 'code') })
  let next = 0
  let section: readonly string[] = []
  let inSection = 0
  const statements = blocks.flatMap((block, index): Statement[] => {
    const { kind, start, end, path } = block
    while (next < sentences.length && sentences[next]!.start < start) next += 1
    const first = next
    while (next < sentences.length && sentences[next]!.start < end) next += 1
    if (kind === 'heading') return []
    if (path.join('\n') !== section.join('\n')) [section, inSection] = [path, 0]
    inSection = Math.max(inSection, skippedBefore.get(block) ?? 0)
    const own = sentences.slice(first, next)
    const label = labelOf(own[0], block, record)
    const base = { record: at, context: contextOf(block), block: index, ...(label !== undefined && { label }) }
    const of = (part: Pick<Statement, 'start' | 'end' | 'text' | 'kind'>): Statement => ({
      ...base,
      ...part,
      inSection: inSection++,
    })
    if (kind === 'code' && DIAGRAM_LANGUAGES.has(block.lang ?? '')) return []
    if (kind === 'code') return codeIn(text, block).map((code) => of({ start, end, text: code, kind }))
    if (kind === 'row') return [of({ start, end, text: rowText(text, block), kind })]
    return own.map((sentence, at) =>
      of({
        start: sentence.start,
        end: sentence.end,
        text: withNames(at === 0 ? withLabel(sentence) : sentence.text),
        kind: kind === 'item' || kind === 'quote' ? kind : 'sentence',
      }),
    )
  })
  return { record, text, blocks, statements: statements.filter((statement) => statement.text !== '') }
}

/** Languages of code that draws a diagram. Its source answers no question. */
const DIAGRAM_LANGUAGES: ReadonlySet<string> = new Set(['mermaid', 'plantuml', 'puml', 'dot', 'graphviz', 'd2'])

/** Returns for each block the number of unread blocks before it under the same heading. */
function skippedInSection(blocks: readonly Block[], isRead: (block: Block) => boolean): Map<Block, number> {
  let section: Block['path'] = []
  let skipped = 0
  return new Map(
    blocks.map((block) => {
      if (block.path.join('\n') !== section.join('\n')) [section, skipped] = [block.path, 0]
      const before = skipped
      if (!isRead(block)) skipped += 1
      return [block, before]
    }),
  )
}

/** Prefixes a sentence with the label that its block begins with: "Cause: A full disk." */
function withLabel({ text, label, heading }: Sentence): string {
  return label === undefined || label === heading || text.startsWith(label) ? text : `${label}: ${text}`
}

/** Returns a function that replaces ids of people and channels with their names. */
function namesIn({ mentions = new Map() }: BriefRecord): (text: string) => string {
  if (mentions.size === 0) return (text) => text
  return (text) => text.replace(MENTION, (id) => mentions.get(id) ?? id)
}

/** Matches an id of a person or channel in chat messages. */
export const MENTION = /[@#][A-Z][A-Z\d]{1,30}(?![\p{L}\p{N}_])/gu

/** Returns the label of a block's statements. The record's title is not a label. */
function labelOf(sentence: Sentence | undefined, { path }: Block, { title }: BriefRecord): string | undefined {
  const label = sentence?.label ?? path.at(-1)
  return label?.toLowerCase() === plainLine(title ?? '').toLowerCase() ? undefined : label
}

function codeIn(text: string, { start, end }: Block): string[] {
  const code = text.slice(start, end).trim()
  return code === '' ? [] : [code.slice(0, CODE_CHARS_MAX)]
}

/** Returns a row's cells, each with its column name. Skips empty cells. */
function rowText(text: string, { start, end, header = [] }: Block): string {
  const cells = cellsOf(text.slice(start, end)).map(plainLine)
  return cells.flatMap((cell, at) => (cell === '' ? [] : [header[at] ? `${header[at]}: ${cell}` : cell])).join('; ')
}

function contexts(record: BriefRecord): (block: Block) => string {
  const title = plainLine(record.title ?? '')
  const speaker = isMessage(record) ? plainLine(record.author?.name ?? '') : ''
  return ({ path }) => {
    const headings = [...new Set([title, ...path])].filter((part) => part !== '').join(' › ')
    return [headings, speaker].filter((part) => part !== '').join(' · ')
  }
}
