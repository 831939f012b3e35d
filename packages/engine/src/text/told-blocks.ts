import { type Block, blocksOf, cellsOf } from './block.ts'
import { GONE, maskInline, plainLine, withUnseenAs } from './clean-text.ts'
import { plainLabel, readLeadIn } from './kinds.ts'
import { DEFINITION } from './parse-blocks.ts'
import { hasLetterOrNumber, hasSpace } from './signs.ts'
import { pattern } from './words.ts'

/** A block as it is told: in plain words, with where in the text each stands. */
export interface ToldBlock {
  readonly kind: Block['kind']
  readonly text: string
  /** Set on the items of a task list: whether the box is ticked. */
  readonly done?: boolean
  /** The label that the block opens with: "**Cause.** …", "Fix: …". */
  readonly label?: string
  /** Of code: the language that is named with it. */
  readonly lang?: string
  /** Where in the text stands what these signs of `text` show. */
  readonly spanOf: ShownLine['spanOf']
}

/** What of a text is told. */
export interface TellOptions {
  readonly keepsCode?: boolean
  readonly blocks?: readonly Block[]
}

/**
 * The blocks of a text in order without markup; without code unless it is kept. `blocks` are those of the same text
 * that are told, where they are known.
 */
export function toldBlocks(
  text: string,
  { keepsCode = false, blocks = blocksOf(text) }: TellOptions = {},
): ToldBlock[] {
  const defined = text.includes(']:') ? definedNames(text) : undefined
  return blocks.flatMap((block): ToldBlock[] => {
    if (block.kind === 'code') return keepsCode ? [codeOf(text, block)] : []
    const told = block.kind === 'row' ? rowOf(text, block) : lineOf(text, block, defined)
    return hasLetterOrNumber(told.text) ? [told] : []
  })
}

/** The names under which a text says where links lead. */
function definedNames(text: string): ReadonlySet<string> {
  const lines = text.split('\n').filter((line) => line.includes(']:'))
  return new Set(lines.flatMap((line) => DEFINITION.exec(line.trim())?.[1]?.toLowerCase() ?? []))
}

function codeOf(text: string, { start, end, lang }: Block): ToldBlock {
  return { kind: 'code', text: text.slice(start, end), ...(lang && { lang }), spanOf: () => ({ start, end }) }
}

/** What stands in a cell that holds nothing. */
const NOTHING = /^[-–—]*$/
/** At the end of a head it would end the sentence before the cell's value. */
const HEAD_END = /[.!?]+$/

/** A row of a table that has heads, as a note that can be read without them: "Access logs: kept for 30 days". */
function rowOf(text: string, { start, end, header = [] }: Block): ToldBlock {
  const cells = cellsOf(text.slice(start, end)).map((cell) => plainLine(cell).replace(NOTHING, ''))
  const [name, ...values] = cells
  const heads = header.slice(1).map((head) => head.replace(HEAD_END, ''))
  const told = values.flatMap((value, at) => (value === '' ? [] : [`${heads[at] ?? ''} ${value}`.trim()]))
  const spanOf = () => ({ start, end })
  if (header.length === 0) return { kind: 'row', text: cells.filter(Boolean).join(', '), spanOf }
  const note = name && told.length > 0 ? `${name}: ${told.join(', ')}` : cells.filter(Boolean).join(', ')
  return { kind: 'item', text: note, ...(header[0] && { label: header[0] }), spanOf }
}

/** With the label that it opens with; one that is a paragraph's own sentence is taken off, one with a colon stays. */
function lineOf(text: string, block: Block, defined: ReadonlySet<string> | undefined): ToldBlock {
  const { kind, start, end, checked } = block
  const raw = text.slice(start, end)
  const lead = kind === 'item' || kind === 'paragraph' ? readLeadIn(raw) : undefined
  const isOwn = kind === 'paragraph' && lead !== undefined && !/^[^.]*:/.test(raw.slice(0, -lead.rest.length))
  const shown = shownIn(text, isOwn ? end - lead.rest.length : start, end, defined)
  const label = lead?.label ?? (kind === 'item' ? plainLabel(shown.text) : undefined)
  return {
    kind,
    text: shown.text,
    ...(checked !== undefined && { done: checked }),
    ...(label !== undefined && { label }),
    spanOf: shown.spanOf,
  }
}

/** What a stretch of a text shows to who reads it: one line without markup. */
interface ShownLine {
  readonly text: string
  /** The stretch of the whole text, in UTF-16 offsets, that shows these signs of the line, with markup around them. */
  spanOf(from: number, to: number): { start: number; end: number }
}

/** The marks of a quotation and the spaces with which a further line of a block begins. */
const FURTHER_LINE = /\n[ \t>]*/g
const CLOCK = '\\d?\\d:\\d\\d(?::\\d\\d)?(?: ?[ap]m)?'
/** Who speaks in a line of a chat's log, between the signs of a tag: "[12:04] <mira> …". */
const LOGGED = pattern(
  'iu',
  `^([[(]?[\\p{L}\\d/.,: -]{0,24}${CLOCK}[\\])]?[ -]{1,3})`,
  '<([@+%&~ ]?)([^\\s<>]{1,30})>(:?)(?=[ \\t])',
)

/** What the text shows from `start` to before `end`; `defined` are the names under which it says where links lead. */
function shownIn(text: string, start: number, end: number, defined?: ReadonlySet<string>): ShownLine {
  const clean = withUnseenAs(GONE, text.slice(start, end))
  const line = clean.replace(FURTHER_LINE, (whole) => ` ${GONE.repeat(whole.length - 1)}`)
  const said = line.includes('<') ? line.replace(LOGGED, spoken) : line
  const masked = maskInline(said, defined)
  if (!CHANGED.test(masked)) return { text: masked, spanOf: (from, to) => ({ start: start + from, end: start + to }) }
  const places = placesShown(masked)
  const shown = places.map((at) => (hasSpace(masked[at]!) ? ' ' : masked[at])).join('')
  return {
    text: shown,
    spanOf: (from, to) => {
      // Markup stands with what it is of: before it behind what is shown before, behind it before what is shown next.
      const before = from === 0 ? 0 : places[from - 1]! + 1
      const after = to >= places.length ? masked.length : places[to]!
      return trimmed(clean, before, after, start)
    },
  }
}

/** A line without these is shown as it is. */
const CHANGED = /[\0\n\t]|\s\s|^\s|\s$/

function spoken(_whole: string, time: string, sign: string, name: string, colon: string): string {
  return `${time}${GONE.repeat(1 + sign.length)}${name}:${GONE.repeat(colon.length)}`
}

/** Where each sign that is shown stands; of spaces beside each other the first, and none at either end. */
function placesShown(masked: string): number[] {
  const places: number[] = []
  let space: number | undefined
  for (let at = 0; at < masked.length; at += 1) {
    const sign = masked[at]!
    if (sign === GONE) continue
    if (hasSpace(sign)) {
      if (places.length > 0) space ??= at
      continue
    }
    if (space !== undefined) places.push(space)
    space = undefined
    places.push(at)
  }
  return places
}

/** Without spaces at its ends, in places of the whole text. */
function trimmed(text: string, from: number, to: number, offset: number): { start: number; end: number } {
  let [start, end] = [from, to]
  while (start < end && isBlank(text[start]!)) start += 1
  while (end > start && isBlank(text[end - 1]!)) end -= 1
  return { start: offset + start, end: offset + end }
}

function isBlank(sign: string): boolean {
  return sign === GONE || hasSpace(sign)
}
