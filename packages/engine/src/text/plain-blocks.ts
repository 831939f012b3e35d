import { type Block, blocksOf, cellsOf } from './block.ts'
import { hasLetterOrNumber, hasSpace } from './characters.ts'
import { maskInline, plainLine, REMOVED, replaceInvisible } from './clean-text.ts'
import { parseLeadIn, plainLabel } from './kinds.ts'
import { CLOCK, DEFINITION } from './parse-blocks.ts'
import { pattern } from './words.ts'

/** A block in plain text with a mapping of its characters to the source. */
export interface PlainBlock {
  readonly kind: Block['kind']
  readonly text: string
  /** State of a task list item's checkbox. */
  readonly done?: boolean
  /** Label at the beginning of the block: "**Cause.** …", "Fix: …". */
  readonly label?: string
  /** Language of a code block. */
  readonly lang?: string
  /** Returns the source span of a range of `text`. */
  readonly spanOf: PlainLine['spanOf']
}

export interface PlainBlockOptions {
  readonly keepsCode?: boolean
  readonly blocks?: readonly Block[]
}

/** Returns the blocks of a text (by default all) without markup. Code blocks are included if `keepsCode` is set. */
export function plainBlocks(
  text: string,
  { keepsCode = false, blocks = blocksOf(text) }: PlainBlockOptions = {},
): PlainBlock[] {
  const defined = text.includes(']:') ? linkNames(text) : undefined
  return blocks.flatMap((block): PlainBlock[] => {
    if (block.kind === 'code') return keepsCode ? [codeOf(text, block)] : []
    const plain = block.kind === 'row' ? rowOf(text, block) : lineOf(text, block, defined)
    return hasLetterOrNumber(plain.text) ? [plain] : []
  })
}

/** Returns the lower-case names of the link definitions of a text. */
function linkNames(text: string): ReadonlySet<string> {
  const lines = text.split('\n').filter((line) => line.includes(']:'))
  return new Set(lines.flatMap((line) => DEFINITION.exec(line.trim())?.[1]?.toLowerCase() ?? []))
}

function codeOf(text: string, { start, end, lang }: Block): PlainBlock {
  return { kind: 'code', text: text.slice(start, end), ...(lang && { lang }), spanOf: () => ({ start, end }) }
}

/** Matches a cell that is empty or contains only a dash. */
const NOTHING = /^[-–—]*$/
/** Matches punctuation at the end of a header cell. It would end the sentence before the cell's value. */
const HEAD_END = /[.!?]+$/

/** Renders a table row as a line that is understandable without the table: "Access logs: kept for 30 days". */
function rowOf(text: string, { start, end, header = [] }: Block): PlainBlock {
  const cells = cellsOf(text.slice(start, end)).map((cell) => plainLine(cell).replace(NOTHING, ''))
  const [name, ...values] = cells
  const heads = header.slice(1).map((head) => head.replace(HEAD_END, ''))
  const cellTexts = values.flatMap((value, at) => (value === '' ? [] : [`${heads[at] ?? ''} ${value}`.trim()]))
  const spanOf = () => ({ start, end })
  if (header.length === 0) return { kind: 'row', text: cells.filter(Boolean).join(', '), spanOf }
  const note = name && cellTexts.length > 0 ? `${name}: ${cellTexts.join(', ')}` : cells.filter(Boolean).join(', ')
  return { kind: 'item', text: note, ...(header[0] && { label: header[0] }), spanOf }
}

/**
 * Renders a block with its label. A label that is a sentence of its own ("**Cause.** …") is removed from the text of a
 * paragraph; a label with a colon stays.
 */
function lineOf(text: string, block: Block, defined: ReadonlySet<string> | undefined): PlainBlock {
  const { kind, start, end, checked } = block
  const raw = text.slice(start, end)
  const leadIn = kind === 'item' || kind === 'paragraph' ? parseLeadIn(raw) : undefined
  const isOwn = kind === 'paragraph' && leadIn !== undefined && !/^[^.]*:/.test(raw.slice(0, -leadIn.rest.length))
  const shown = plainTextOf(text, isOwn ? end - leadIn.rest.length : start, end, defined)
  const label = leadIn?.label ?? (kind === 'item' ? plainLabel(shown.text) : undefined)
  return {
    kind,
    text: shown.text,
    ...(checked !== undefined && { done: checked }),
    ...(label !== undefined && { label }),
    spanOf: shown.spanOf,
  }
}

/** A part of a text as one line without markup. */
interface PlainLine {
  readonly text: string
  /** Returns the source span of a range of the line, in UTF-16 offsets and with surrounding markup. */
  spanOf(from: number, to: number): { start: number; end: number }
}

/** Matches quotation marks and indentation at the start of a continued line. */
const FURTHER_LINE = /\n[ \t>]*/g
/** Matches a speaker in angle brackets in a chat log: "[12:04] <mira> …". */
const LOG_SPEAKER = pattern(
  'iu',
  `^([[(]?[\\p{L}\\d/.,: -]{0,24}${CLOCK}[\\])]?[ -]{1,3})`,
  '<([@+%&~ ]?)([^\\s<>]{1,30})>(:?)(?=[ \\t])',
)

/** Renders the text between two offsets. `defined` has the names of link definitions. */
function plainTextOf(text: string, start: number, end: number, defined?: ReadonlySet<string>): PlainLine {
  const clean = replaceInvisible(REMOVED, text.slice(start, end))
  const line = clean.replace(FURTHER_LINE, (whole) => ` ${REMOVED.repeat(whole.length - 1)}`)
  const said = line.includes('<') ? line.replace(LOG_SPEAKER, withoutBrackets) : line
  const masked = maskInline(said, defined)
  if (!CHANGED.test(masked)) return { text: masked, spanOf: (from, to) => ({ start: start + from, end: start + to }) }
  const offsets = visibleOffsets(masked)
  const shown = offsets.map((at) => (hasSpace(masked[at]!) ? ' ' : masked[at])).join('')
  return {
    text: shown,
    spanOf: (from, to) => {
      // Markup belongs to the text that it encloses: an opening mark starts after the previous visible character, and a
      // closing mark ends before the next one.
      const before = from === 0 ? 0 : offsets[from - 1]! + 1
      const after = to >= offsets.length ? masked.length : offsets[to]!
      return trimmed(clean, before, after, start)
    },
  }
}

/** Matches a text that needs changes for display. */
const CHANGED = /[\0\n\t]|\s\s|^\s|\s$/

function withoutBrackets(_whole: string, time: string, sign: string, name: string, colon: string): string {
  return `${time}${REMOVED.repeat(1 + sign.length)}${name}:${REMOVED.repeat(colon.length)}`
}

/** Returns the offsets of the visible characters. Adjacent spaces count as one, and spaces at the ends as none. */
function visibleOffsets(masked: string): number[] {
  const offsets: number[] = []
  let space: number | undefined
  for (let at = 0; at < masked.length; at += 1) {
    const sign = masked[at]!
    if (sign === REMOVED) continue
    if (hasSpace(sign)) {
      if (offsets.length > 0) space ??= at
      continue
    }
    if (space !== undefined) offsets.push(space)
    space = undefined
    offsets.push(at)
  }
  return offsets
}

/** Trims spaces and masked characters at both ends of a range, and adds `offset` to its bounds. */
function trimmed(text: string, from: number, to: number, offset: number): { start: number; end: number } {
  let [start, end] = [from, to]
  while (start < end && isBlank(text[start]!)) start += 1
  while (end > start && isBlank(text[end - 1]!)) end -= 1
  return { start: offset + start, end: offset + end }
}

function isBlank(sign: string): boolean {
  return sign === REMOVED || hasSpace(sign)
}
