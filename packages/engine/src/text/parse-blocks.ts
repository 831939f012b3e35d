import { anyOf } from '../lexicon/entries.ts'
import { FIELDS_OF_MAIL, REPLY_OPENINGS, REPLY_VERBS } from '../lexicon/mail.ts'
import { SIGNATURES } from '../lexicon/writing.ts'
import { beginsWithLowerCase, hasLetterOrNumber } from './characters.ts'
import { replaceInvisible } from './clean-text.ts'
import { parseLeadIn } from './kinds.ts'
import { type MarkupLine, type Region, regionsOf } from './markup.ts'
import { quotedHeads } from './quoted-mail.ts'
import { pattern } from './words.ts'

export type BlockKind = 'heading' | 'paragraph' | 'item' | 'row' | 'code' | 'quote'

/** A block before its heading path is known. */
export interface ParsedBlock {
  readonly kind: BlockKind
  /** UTF-16 offsets without the surrounding markup. List and quotation marks between its lines are included. */
  readonly start: number
  readonly end: number
  /** Level of a heading: 1 to 6 as marked, 7 for a line in bold. */
  readonly level?: number
  /** State of a task list item's checkbox. */
  readonly checked?: boolean
  /** Language of a fenced code block. */
  readonly lang?: string
  /** True for the header row of a table, which is only shown together with its rows. */
  readonly isHeader?: boolean
}

/** Maximum number of characters that are parsed and searched. */
const BLOCKS_CHARS_MAX = 400_000
/** Level of a heading in bold, below all marked headings. */
const BOLD_LEVEL = 7

const SIGNATURE = new RegExp(`^(?:-- ?|_{3,}|${anyOf(SIGNATURES)} \\w+.*)$`, 'i')
const REPLY_INTRO = new RegExp(`^${anyOf(REPLY_OPENINGS)} .{6,120}${anyOf(REPLY_VERBS)}\\s?:$`, 'i')
const MAIL_HEADER = new RegExp(`^${anyOf(FIELDS_OF_MAIL)}:\\s`, 'i')
const FENCE = /^\s{0,3}(`{3,}|~{3,})/
const INTRO_CHARS_MAX = 140
// Minimum length of an automatically wrapped line in characters. A shorter line ends where its author ended it.
const WRAPPED_LINE_CHARS = 55
// Maximum length of a wrapped line in characters. A text counts as wrapped if at least WRAPPED_LINES_MIN of its
// continued lines, and this share of them, have a length in this range.
const WRAP_CHARS_MAX = 130
const WRAPPED_LINES_MIN = 4
const WRAPPED_SHARE_MIN = 0.6
// Maximum length of a heading above an underline.
const UNDERLINED_CHARS_MAX = 120
const NO_HEADING = /[.!?:;,|]$/
const SEPARATOR = /^(?:[-*_=]\s?){3,}$/
const TABLE_RULE = /^\|?(?:\s*:?-+:?\s*\|)+(?:\s*:?-+:?\s*)?$/
// Matches a table row: with outer borders, or with two inner ones if the text was cut inside a table.
const ROW = /^\|.*\|$|\S \| .*\S \| /
// Matches a line that begins with a link or code. It rarely begins a sentence if the previous line has no end mark.
const INLINE = /^(?:`|\[[^\]]{1,200}\][([])/
const ENDED = /[.!?:;]$/
const BOLD_LINE = /^\*\*([^*]+)\*\*:?$/
const MARK = /^(?:#{1,6}\s+|[-*+•‣▪–]\s+|\d{1,3}[.)]\s+)/
const BOX = /^\[([ xX])\]\s+/
/** Matches a link definition, "[name]: https://…". The destination must begin like an address, path or fragment. */
export const DEFINITION =
  /^\[([^[\]^][^[\]]{0,200})\]:\s*<?(?:[a-z]{2,10}:|\.{0,2}\/|#|[\w-]{1,60}[./])\S*(?:\s+["'(].*)?$/i
// Matches a line of a table of contents: "- [Installation](#installation)".
const CONTENTS_LINE = /^[*_`]{0,2}\[.{0,300}\]\(#.{0,300}\)[*_`]{0,2}$/
const NOTICE = /^\[!\w{1,20}\]\s*/
/** Pattern source for a time of day: "10:32", "9:05:10 am". */
export const CLOCK = '\\d?\\d:\\d\\d(?::\\d\\d)?(?: ?[ap]m)?'
/** Matches a line with a time: in brackets, after a date, or before the speaker. */
const STAMPED = pattern(
  'iu',
  `^(?:[[(][^\\])]{0,24}${CLOCK}[\\])]|\\d{1,4}[/.-]\\d{1,2}[/.-]\\d{1,4},? ?${CLOCK})(?: -)? +\\S|`,
  `^${CLOCK} +(?:[^\\s:]{1,30}: +|<[^\\s<>]{1,30}>:? )\\S`,
)
const TURN = /^\p{Lu}[\p{L}\p{M} .'’-]{0,40}:\s+\S/u

/** Returns the blocks of a text in order, without mail headers, signatures and separators. */
export function parseBlocks(text: string): ParsedBlock[] {
  const read = replaceInvisible(' ', text.slice(0, BLOCKS_CHARS_MAX))
  const heads = quotedHeads(read)
  const own = read.slice(0, endOfOwn(read, heads))
  const reader = new LineReader(own, heads)
  for (const region of regionsOf(own)) reader.readRegion(region)
  return reader.blocks
}

/** Returns the offset of the signature of the mail's author, or the length of the text if there is none. */
function endOfOwn(text: string, heads: readonly Span[]): number {
  let from = 0
  let fence: string | undefined
  for (const raw of text.split('\n')) {
    const mark = FENCE.exec(raw)?.[1]
    if (mark) fence = fence === undefined ? mark : mark.startsWith(fence) ? undefined : fence
    const line = raw.trim()
    if (fence === undefined && SIGNATURE.test(line) && !heads.some(({ start }) => start === from)) return from
    from += raw.length + 1
  }
  return text.length
}

/** Returns true if the text was wrapped automatically. Short lines then do not end a paragraph. */
function isWrapped(lines: readonly string[]): boolean {
  let followed = 0
  let full = 0
  for (const [at, line] of lines.entries()) {
    if (line.trim() === '' || !/^\s*[\p{L}\p{N}[(`*_"“]/u.test(lines[at + 1] ?? '')) continue
    followed += 1
    const { length } = line.trim()
    if (length >= WRAPPED_LINE_CHARS && length <= WRAP_CHARS_MAX) full += 1
  }
  return followed >= WRAPPED_LINES_MIN && full >= WRAPPED_SHARE_MIN * followed
}

/** Kind of a new block and the offsets of its text. */
type BlockStart = { kind: BlockKind; start: number; end: number; level?: number; checked?: boolean }

type Span = { start: number; end: number }

/** Combines the lines of a text into blocks. */
class LineReader {
  readonly blocks: ParsedBlock[] = []
  private readonly text: string
  private readonly isWrapped: boolean
  private open: BlockStart | undefined
  /** Text of the previous line, while its block can continue. */
  private last = ''

  /** Spans of the header lines above quoted mails. */
  private readonly heads: readonly Span[]

  constructor(text: string, heads: readonly Span[]) {
    this.text = text
    this.heads = heads
    this.isWrapped = isWrapped(text.split('\n'))
  }

  readRegion(region: Region): void {
    if (region.kind === 'lines') {
      for (const [at, line] of region.lines.entries()) this.read(line, region.within, at === 0)
      if (region.underlined) this.underline(region.underlined)
    } else if (region.kind === 'row')
      this.push({ kind: 'row', ...spanOf(region), ...(region.isHeader && { isHeader: true }) })
    else if (region.kind === 'heading') this.push({ kind: 'heading', level: region.level, ...spanOf(region) })
    else
      this.push({ kind: 'code', ...spanOf(region), ...(region.lang && { lang: region.lang.slice(0, LANG_CHARS_MAX) }) })
    this.flush()
  }

  private read(line: MarkupLine, of: 'item' | 'quote' | undefined, isFirst: boolean): void {
    const shown = this.text.slice(line.start, line.end)
    const isQuoted = this.heads.length > 0 && line.start >= this.heads[0]!.start
    const within = isQuoted && of === undefined ? 'quote' : of
    const isHead = isQuoted && this.heads.some(({ start, end }) => line.start >= start && line.start < end)
    const opened = isHead ? 'skip' : this.openedBy(shown, line, within, isFirst)
    if (opened === 'skip') this.flush()
    else if (opened) this.start(opened)
    else if (this.goesOn(shown, line.isIndented)) this.open!.end = line.end
    else this.start({ kind: within === 'quote' ? 'quote' : 'paragraph', start: line.start, end: line.end })
    this.last = shown
  }

  /** Converts a paragraph of one line to a heading, unless it ends like a sentence. */
  private underline(level: number): void {
    const { open, last } = this
    if (open?.kind !== 'paragraph' || open.end - open.start !== last.length) return
    if (last.length <= UNDERLINED_CHARS_MAX && !NO_HEADING.test(last)) this.open = { ...open, kind: 'heading', level }
  }

  private start(opened: BlockStart): void {
    this.flush()
    if (opened.kind === 'heading' || opened.kind === 'row') this.push(opened)
    else this.open = opened
  }

  private flush(): void {
    if (this.open) this.push(this.open)
    this.open = undefined
    this.last = ''
  }

  private push(block: ParsedBlock): void {
    if (hasLetterOrNumber(this.text.slice(block.start, block.end))) this.blocks.push(block)
  }

  /** Returns the block that a line begins, `skip` for a separator, and undefined for running text. */
  private openedBy(
    shown: string,
    { start, end }: MarkupLine,
    within: 'item' | 'quote' | undefined,
    isFirst: boolean,
  ): BlockStart | 'skip' | undefined {
    if (within === 'item' && isFirst) return itemOf(shown, start, end)
    if (STAMPED.test(shown)) return { kind: 'item', start, end }
    // Fast path for running text.
    if (/^[A-Za-z]/.test(shown) && !shown.slice(0, INTRO_CHARS_MAX).includes(':') && !shown.includes('|'))
      return undefined
    if (SEPARATOR.test(shown) || MAIL_HEADER.test(shown) || REPLY_INTRO.test(shown)) return 'skip'
    if (shown.startsWith('[') && DEFINITION.test(shown)) return 'skip'
    if (within === 'quote') {
      const notice = NOTICE.exec(shown)?.[0].length ?? 0
      if (notice === shown.length) return 'skip'
      if (notice > 0) return { kind: 'quote', start: start + notice, end }
    }
    const bold = BOLD_LINE.exec(shown)
    if (bold) return { kind: 'heading', level: BOLD_LEVEL, start, end }
    if (shown.includes('|')) {
      if (TABLE_RULE.test(shown)) return 'skip'
      if (ROW.test(shown)) return { kind: 'row', start, end }
    }
    const mark = MARK.exec(shown)?.[0]
    if (mark?.startsWith('#')) return { kind: 'heading', level: mark.trimEnd().length, start: start + mark.length, end }
    if (mark !== undefined && mark.length < shown.length)
      return itemOf(shown.slice(mark.length), start + mark.length, end)
    return TURN.test(shown) ? { kind: 'item', start, end } : undefined
  }

  /** Returns true if a line continues the previous block because it is wrapped or is indented under a list item. */
  private goesOn(shown: string, isIndented: boolean): boolean {
    if (!this.open) return false
    const isBroken =
      beginsWithLowerCase(shown) || isInBrackets(this.last) || (INLINE.test(shown) && !ENDED.test(this.last))
    if (this.open.kind === 'quote') return isBroken || this.last.length >= WRAPPED_LINE_CHARS
    const isFull = this.isWrapped || this.last.length >= WRAPPED_LINE_CHARS
    if (this.open.kind === 'item') return isIndented || isBroken || (isFull && !ENDED.test(this.last))
    return (isBroken || isFull) && !parseLeadIn(shown)
  }
}

/** Maximum length of a language name in characters. */
const LANG_CHARS_MAX = 40

function spanOf({ start, end }: { start: number; end: number }): { start: number; end: number } {
  return { start, end }
}

function itemOf(shown: string, start: number, end: number): BlockStart | 'skip' {
  if (CONTENTS_LINE.test(shown)) return 'skip'
  const box = BOX.exec(shown)
  if (box) return { kind: 'item', checked: box[1] !== ' ', start: start + box[0].length, end }
  return { kind: 'item', start, end }
}

/** Returns true if a line ends inside a link text or a tag. */
function isInBrackets(line: string): boolean {
  const tag = line.lastIndexOf('<')
  const isInTag = tag > line.lastIndexOf('>') && /^[a-zA-Z/!]/.test(line.slice(tag + 1, tag + 2))
  return isInTag || line.lastIndexOf('[') > line.lastIndexOf(']')
}
