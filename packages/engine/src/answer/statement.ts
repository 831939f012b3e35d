import type { BriefRecord } from '../compose/brief.ts'
import { isMessage } from '../compose/states.ts'
import { type Block, blocksOf, cellsOf, withoutQuoted } from '../text/block.ts'
import { plainLine } from '../text/clean-text.ts'
import { readSentences } from '../text/sentences.ts'

/** The unit that is scored against a question: one sentence, list item, table row, code block or quotation. */
export interface Statement {
  /** Index of its record among the records that the answer is built from. */
  readonly record: number
  /** UTF-16 offsets into the record's text. */
  readonly start: number
  readonly end: number
  /** Plain text without markup. A row is written as `column: value; …`. */
  readonly text: string
  /** `title › headings · speaker`: the context that a reader would see around the statement. */
  readonly context: string
  readonly kind: 'sentence' | 'item' | 'row' | 'code' | 'quote'
  /** Index of its block among the blocks of the record's text. */
  readonly block: number
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

/**
 * Segments a record's text into statements. Skips the lines that a message quotes from others, unless it has no text of
 * its own.
 * @param at index of the record among the records that the answer is built from
 */
export function segment(record: BriefRecord, at: number): SegmentedRecord {
  const whole = record.text ?? ''
  const own = isMessage(record) ? withoutQuoted(whole) : whole
  const segmented = segmentText(record, at, own)
  return segmented.statements.length > 0 || own === whole ? segmented : segmentText(record, at, whole)
}

function segmentText(record: BriefRecord, at: number, text: string): SegmentedRecord {
  const blocks = blocksOf(text)
  const contextOf = contexts(record)
  const sentences = readSentences(text, { blocks: blocks.filter(({ kind }) => kind !== 'code') })
  let next = 0
  const statements = blocks.flatMap((block, index): Statement[] => {
    const { kind, start, end } = block
    while (next < sentences.length && sentences[next]!.start < start) next += 1
    const first = next
    while (next < sentences.length && sentences[next]!.start < end) next += 1
    if (kind === 'heading') return []
    const base = { record: at, context: contextOf(block), block: index }
    if (kind === 'code') return codeIn(text, block).map((code) => ({ ...base, start, end, text: code, kind }))
    if (kind === 'row') return [{ ...base, start, end, text: rowText(text, block), kind }]
    return sentences.slice(first, next).map((sentence) => ({
      ...base,
      start: sentence.start,
      end: sentence.end,
      text: sentence.text,
      kind: kind === 'item' || kind === 'quote' ? kind : 'sentence',
    }))
  })
  return { record, text, blocks, statements: statements.filter((statement) => statement.text !== '') }
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

/** Returns a function that returns the context of a block. */
function contexts(record: BriefRecord): (block: Block) => string {
  const title = plainLine(record.title ?? '')
  const speaker = isMessage(record) ? plainLine(record.author?.name ?? '') : ''
  return ({ path }) => {
    const place = [...new Set([title, ...path])].filter((part) => part !== '').join(' › ')
    return [place, speaker].filter((part) => part !== '').join(' · ')
  }
}
