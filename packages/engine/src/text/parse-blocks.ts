import { anyOf } from '../lexicon/entries.ts'
import { FIELDS_OF_MAIL, REPLY_OPENINGS, REPLY_VERBS } from '../lexicon/mail.ts'
import { SIGNATURES } from '../lexicon/writing.ts'
import { withUnseenAs } from './clean-text.ts'
import { readLeadIn } from './kinds.ts'
import { type MarkupLine, type Region, regionsOf } from './markup.ts'
import { quotedHeads } from './quoted-mail.ts'
import { beginsWithSmall, hasLetterOrNumber } from './signs.ts'
import { pattern } from './words.ts'

/** What a block is to people. */
export type BlockKind = 'heading' | 'paragraph' | 'item' | 'row' | 'code' | 'quote'

/** A block before what follows from those above it is known. */
export interface ParsedBlock {
  readonly kind: BlockKind
  /** UTF-16 offsets into the text; marks before its first line and behind its last are left out. */
  readonly start: number
  readonly end: number
  /** The level of a heading: 1 to 6 as marked, 7 for a line in bold. */
  readonly level?: number
  /** Of a task list's item: whether the box is ticked. */
  readonly checked?: boolean
  /** The language that a fence names. */
  readonly lang?: string
  /** The row that heads a table; it is told with the rows below it alone. */
  readonly isHeader?: boolean
}

/** The characters that are read as blocks and searched; the rest of a longer text is not. */
const BLOCKS_CHARS_MAX = 400_000
/** A heading that only stands in bold is below all that are marked as such. */
const BOLD_LEVEL = 7

const SIGNATURE = new RegExp(`^(?:-- ?|_{3,}|${anyOf(SIGNATURES)} \\w+.*)$`, 'i')
const REPLY_INTRO = new RegExp(`^${anyOf(REPLY_OPENINGS)} .{6,120}${anyOf(REPLY_VERBS)}\\s?:$`, 'i')
const MAIL_HEADER = new RegExp(`^${anyOf(FIELDS_OF_MAIL)}:\\s`, 'i')
const FENCE = /^\s{0,3}(`{3,}|~{3,})/
const INTRO_CHARS_MAX = 140
// A wrapped line of a letter is about this long; a shorter line was ended on purpose.
const WRAPPED_LINE_CHARS = 55
// Beyond this length nobody wraps; where so many of the lines that others follow are full, the text is wrapped.
const WRAP_CHARS_MAX = 130
const WRAPPED_LINES_MIN = 4
const WRAPPED_SHARE_MIN = 0.6
// Over a rule, a line like this is a heading.
const UNDERLINED_CHARS_MAX = 120
const NO_HEADING = /[.!?:;,|]$/
const SEPARATOR = /^(?:[-*_=]\s?){3,}$/
const TABLE_RULE = /^\|?(?:\s*:?-+:?\s*\|)+(?:\s*:?-+:?\s*)?$/
// A row by its outer borders, or by two within it where a text was cut inside its table.
const ROW = /^\|.*\|$|\S \| .*\S \| /
// A line that opens with a link or with code is seldom a sentence's beginning where the line above has no end.
const INLINE = /^(?:`|\[[^\]]{1,200}\][([])/
const ENDED = /[.!?:;]$/
const BOLD_LINE = /^\*\*([^*]+)\*\*:?$/
const MARK = /^(?:#{1,6}\s+|[-*+•‣▪–]\s+|\d{1,3}[.)]\s+)/
const BOX = /^\[([ xX])\]\s+/
/** "[name]: https://…" says where a link leads. A place in a text is told from words by its first signs. */
export const DEFINITION =
  /^\[([^[\]^][^[\]]{0,200})\]:\s*<?(?:[a-z]{2,10}:|\.{0,2}\/|#|[\w-]{1,60}[./])\S*(?:\s+["'(].*)?$/i
// "- [Installation](#installation)" names a section that stands below under its own name.
const CONTENTS_LINE = /^[*_`]{0,2}\[.{0,300}\]\(#.{0,300}\)[*_`]{0,2}$/
const NOTICE = /^\[!\w{1,20}\]\s*/
const CLOCK = '\\d?\\d:\\d\\d(?::\\d\\d)?(?: ?[ap]m)?'
/** A line with the time at which it was said, in brackets, behind a date, or before who said it. */
const STAMPED = pattern(
  'iu',
  `^(?:[[(][^\\])]{0,24}${CLOCK}[\\])]|\\d{1,4}[/.-]\\d{1,2}[/.-]\\d{1,4},? ?${CLOCK})(?: -)? +\\S|`,
  `^${CLOCK} +(?:[^\\s:]{1,30}: +|<[^\\s<>]{1,30}>:? )\\S`,
)
const TURN = /^\p{Lu}[\p{L}\p{M} .'’-]{0,40}:\s+\S/u

/**
 * Returns the blocks of a text in order, without mail headers, signatures and bare rules. Text below the header of a
 * quoted or forwarded mail is a quotation.
 */
export function parseBlocks(text: string): ParsedBlock[] {
  const read = withUnseenAs(' ', text.slice(0, BLOCKS_CHARS_MAX))
  const heads = quotedHeads(read)
  const own = read.slice(0, endOfOwn(read, heads))
  const reader = new LineReader(own, heads)
  for (const region of regionsOf(own)) reader.readRegion(region)
  return reader.blocks
}

/** Returns the offset at which the signature begins. */
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

/** Whether most lines that others follow are as long as wrapped ones, so that short ones among them are no ends. */
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

/** What a line says of the block that it begins: where its words start, and what they are. */
type BlockStart = { kind: BlockKind; start: number; end: number; level?: number; checked?: boolean }

type Span = { start: number; end: number }

/** Puts the lines of a text together to blocks. */
class LineReader {
  readonly blocks: ParsedBlock[] = []
  private readonly text: string
  private readonly isWrapped: boolean
  private open: BlockStart | undefined
  /** The line read last, while its block can go on. */
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

  /** Takes a paragraph of one line as a heading, unless it ends like a sentence. */
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

  /** The block that a line begins, `skip` for one that only separates or tells nothing, undefined for running text. */
  private openedBy(
    shown: string,
    { start, end }: MarkupLine,
    within: 'item' | 'quote' | undefined,
    isFirst: boolean,
  ): BlockStart | 'skip' | undefined {
    if (within === 'item' && isFirst) return itemOf(shown, start, end)
    if (STAMPED.test(shown)) return { kind: 'item', start, end }
    // Running text needs none of the looks below.
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

  /** Whether a line continues the block above it: what was wrapped, or stands in under an item. */
  private goesOn(shown: string, isIndented: boolean): boolean {
    if (!this.open) return false
    const isBroken = beginsWithSmall(shown) || isInBrackets(this.last) || (INLINE.test(shown) && !ENDED.test(this.last))
    if (this.open.kind === 'quote') return isBroken || this.last.length >= WRAPPED_LINE_CHARS
    const isFull = this.isWrapped || this.last.length >= WRAPPED_LINE_CHARS
    if (this.open.kind === 'item') return isIndented || isBroken || (isFull && !ENDED.test(this.last))
    return (isBroken || isFull) && !readLeadIn(shown)
  }
}

/** A longer name of a language is none. */
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

/** Whether a line ends within the words of a link or within a tag. */
function isInBrackets(line: string): boolean {
  const tag = line.lastIndexOf('<')
  const isInTag = tag > line.lastIndexOf('>') && /^[a-zA-Z/!]/.test(line.slice(tag + 1, tag + 2))
  return isInTag || line.lastIndexOf('[') > line.lastIndexOf(']')
}
