import { anyOf } from '../lexicon/entries.ts'
import { FORWARDS, MAIL_FIELDS, REPLY_OPENINGS, REPLY_VERBS, SIGNATURES } from '../lexicon/writing.ts'
import { cleanText, inlineText } from './clean-text.ts'
import { fencesOf } from './fences.ts'
import { htmlBlocksAsLines } from './html-blocks.ts'
import { plainLabel, readLeadIn } from './labels.ts'
import { pattern } from './pattern.ts'

/** A stretch of text that stands on its own: no sentence runs from one block into the next. */
export interface Block {
  kind: 'paragraph' | 'item' | 'row' | 'heading' | 'quote' | 'code'
  text: string
  /** Set on the items of a task list: whether the box is ticked. */
  done?: boolean
  /** The label that the block opens with: "**Cause.** …", "Fix: …". */
  label?: string
}

/** What the line of a block says about it; its text may go on over further lines. */
type Opened = Pick<Block, 'kind' | 'text' | 'done'>

const SIGNATURE = new RegExp(`^(?:-- ?|_{3,}|${anyOf(SIGNATURES)} \\w+.*)$`, 'i')
const FORWARDED = new RegExp(`^-{2,}\\s*${anyOf(FORWARDS)}`, 'i')
const REPLY_INTRO = new RegExp(`^${anyOf(REPLY_OPENINGS)} .{6,120}${anyOf(REPLY_VERBS)}\\s?:$`, 'i')
const MAIL_HEADER = new RegExp(`^${anyOf(MAIL_FIELDS)}:\\s`, 'i')
const INTRO_CHARS_MAX = 140
// A wrapped line of a letter is about this long; a shorter line was ended on purpose.
const WRAPPED_LINE_CHARS = 55
// Beyond this length nobody wraps; where so many of the lines that others follow are full, the text is wrapped.
const WRAP_CHARS_MAX = 130
const WRAPPED_LINES_MIN = 4
const WRAPPED_SHARE_MIN = 0.6
// Under a short line, a line of these makes it a heading.
const UNDERLINE = /^(?:={3,}|-{3,})$/
const UNDERLINED_CHARS_MAX = 120
const SEPARATOR = /^(?:[-*_=]\s?){3,}$/
const TABLE_RULE = /^\|?(?:\s*:?-+:?\s*\|)+(?:\s*:?-+:?\s*)?$/
// A row by its outer borders, or by two within it where a text was cut inside its table.
const ROW = /^\|.*\|$|\S \| .*\S \| /
// A line that opens with a link or with code is seldom a sentence's beginning where the line above has no end.
const INLINE = /^(?:`|\[[^\]]{1,200}\][([])/
const ENDED = /[.!?:;]$/
const HEADING = /^#{1,6}\s+(\S.*)$/
const BOLD_LINE = /^\*\*([^*]+)\*\*:?$/
const ITEM = /^(?:[-*+•‣▪–]|\d{1,3}[.)])\s+(?:\[([ xX])\]\s+)?(.*)$/
// "[name]: https://…" says where a link leads. A place in a text is told from words by its first signs.
const DEFINITION = /^\[([^[\]^][^[\]]{0,200})\]:\s*<?(?:[a-z]{2,10}:|\.{0,2}\/|#|[\w-]{1,60}[./])\S*(?:\s+["'(].*)?$/i
// "- [Installation](#installation)" names a section that stands below under its own name.
const CONTENTS_LINE = /^[*_`]{0,2}\[.{0,300}\]\(#.{0,300}\)[*_`]{0,2}$/
const CLOCK = '\\d?\\d:\\d\\d(?::\\d\\d)?(?: ?[ap]m)?'
/** Who speaks in a line of a chat's log, between the signs of a tag: "[12:04] <mira> …". */
const LOGGED = pattern(
  'gimu',
  `^([ \\t]{0,3}[[(]?[\\p{L}\\d/.,: -]{0,24}${CLOCK}[\\])]?[ -]{1,3})`,
  '<[@+%&~ ]?([^\\s<>]{1,30})>:?[ \\t]',
)
/** A line with the time at which it was said, in brackets, behind a date, or before who said it. */
const STAMPED = pattern(
  'i',
  `^(?:[[(][^\\])]{0,24}${CLOCK}[\\])]|\\d{1,4}[/.-]\\d{1,2}[/.-]\\d{1,4},? ?${CLOCK})(?: -)? +\\S|`,
  `^${CLOCK} +[^\\s:]{1,30}: +\\S`,
)
const NOTICE = /^\[!\w{1,20}\]\s*/

/** Cuts a text into blocks without markup, mail headers, quoted mail and signatures; without code unless it is kept. */
export function textBlocks(text: string, keepsCode = false): Block[] {
  const parts = codeApart(htmlBlocksAsLines(withSpeakers(cleanText(text))))
  const lines = parts.flatMap(({ text: part, isCode }) => (isCode ? [''] : part.split('\n')))
  const reader = new BlockReader(definedNames(lines), isWrapped(lines))
  for (const { text: part, isCode } of parts) {
    if (isCode) {
      reader.flush()
      if (keepsCode) reader.blocks.push({ kind: 'code', text: part })
      continue
    }
    for (const raw of part.split('\n')) {
      const line = raw.trim()
      if (SIGNATURE.test(line) || FORWARDED.test(line)) return reader.ended()
      reader.read(line, /^\s{2}/.test(raw))
    }
  }
  return reader.ended()
}

/** Who speaks in a chat's log as in any other talk: "[12:04] mira: …". */
function withSpeakers(text: string): string {
  return text.includes('>') ? text.replace(LOGGED, '$1$2: ') : text
}

/** A text in order, its code with the fences around it apart. */
function codeApart(text: string): { text: string; isCode: boolean }[] {
  const parts: { text: string; isCode: boolean }[] = []
  let from = 0
  for (const code of fencesOf(text)) {
    parts.push({ text: text.slice(from, code.from), isCode: false })
    parts.push({ text: text.slice(code.from, code.to), isCode: true })
    from = code.to
  }
  return [...parts, { text: text.slice(from), isCode: false }]
}

/** The names under which a text says where links lead. */
function definedNames(lines: readonly string[]): ReadonlySet<string> {
  return new Set(
    lines.flatMap((line) => (line.includes(']:') ? (DEFINITION.exec(line.trim())?.[1]?.toLowerCase() ?? []) : [])),
  )
}

/** Whether most lines that others follow are as long as wrapped ones, so that short ones among them are no ends. */
function isWrapped(lines: readonly string[]): boolean {
  let followed = 0
  let full = 0
  for (const [at, line] of lines.entries()) {
    if (line.trim() === '' || !/^\s*[\p{L}\p{N}[(`*_"“]/u.test(lines[at + 1] ?? '')) continue
    followed += 1
    if (line.length >= WRAPPED_LINE_CHARS && line.length <= WRAP_CHARS_MAX) full += 1
  }
  return followed >= WRAPPED_LINES_MIN && full >= WRAPPED_SHARE_MIN * followed
}

/** Puts lines together to blocks. */
class BlockReader {
  readonly blocks: Block[] = []
  private readonly defined: ReadonlySet<string>
  private readonly isWrapped: boolean
  private open: Opened | undefined
  /** The line read last, while its block can go on. */
  private last = ''
  /** The heads of the table that the lines stand in. */
  private heads: readonly string[] | undefined
  /** The cells of the row read last, which may turn out to be a table's heads. */
  private row: readonly string[] | undefined

  constructor(defined: ReadonlySet<string>, isWrapped: boolean) {
    this.defined = defined
    this.isWrapped = isWrapped
  }

  /** Reads one line; `isIndented` says whether it stands further in than the text. */
  read(line: string, isIndented: boolean): void {
    if (this.isHeading(line) || this.isInTable(line)) return
    const opened = openedBy(line)
    if (opened === 'skip') this.flush()
    else if (opened && !this.isQuotedFurther(opened)) this.start(opened)
    else if (opened || this.goesOn(line, isIndented)) this.add(opened ? opened.text : line)
    else this.start({ kind: 'paragraph', text: line })
    this.last = opened && opened !== 'skip' ? opened.text : line
  }

  /** Ends the block that is open. */
  flush(): void {
    if (this.open) this.push(labelled(this.open))
    this.open = undefined
    this.heads = undefined
    this.row = undefined
  }

  /** All blocks, the open one among them. */
  ended(): Block[] {
    this.flush()
    return this.blocks
  }

  private start(opened: Opened): void {
    this.flush()
    if (opened.kind === 'heading') this.push(opened)
    else this.open = opened
  }

  private add(text: string): void {
    this.open!.text += ` ${text}`
  }

  /** Whether a line continues the block above it: what was wrapped, or stands in under an item. */
  private goesOn(line: string, isIndented: boolean): boolean {
    if (!this.open || this.open.kind === 'quote') return false
    const isWrapped = /^\p{Ll}/u.test(line) || isInBrackets(this.last) || (INLINE.test(line) && !ENDED.test(this.last))
    const isFull = this.isWrapped || this.last.length >= WRAPPED_LINE_CHARS
    if (this.open.kind === 'item') return isIndented || isWrapped || (isFull && !ENDED.test(this.last))
    return (isWrapped || isFull) && !readLeadIn(line)
  }

  private isQuotedFurther({ kind, text }: Opened): boolean {
    if (kind !== 'quote' || this.open?.kind !== 'quote') return false
    return /^\p{Ll}/u.test(text) || this.last.length >= WRAPPED_LINE_CHARS
  }

  /** Takes the open line as a heading when it is underlined. */
  private isHeading(line: string): boolean {
    const { open } = this
    if (open?.kind !== 'paragraph' || open.text !== this.last || !UNDERLINE.test(line)) return false
    if (open.text.length > UNDERLINED_CHARS_MAX || /[.!?:;,|]$/.test(open.text)) return false
    this.open = undefined
    this.push({ kind: 'heading', text: open.text })
    return true
  }

  /** Takes a line that is part of a table: a row, its heads or the rule below them. */
  private isInTable(line: string): boolean {
    if (!line.includes('|')) return false
    if (TABLE_RULE.test(line)) {
      const heads = this.row ?? (this.open && this.open.text === this.last ? cellsOf(this.last) : undefined)
      if (this.row) this.blocks.pop()
      else if (heads) this.open = undefined
      this.flush()
      this.heads = heads
      return true
    }
    const { heads } = this
    if (!heads && !ROW.test(line)) return false
    const cells = cellsOf(line)
    const before = this.blocks.length
    this.flush()
    this.heads = heads
    if (heads) this.push(headedRow(cells, heads))
    else this.push({ kind: 'row', text: rowText(cells) })
    this.row = this.blocks.length > before ? cells : undefined
    return true
  }

  private push(block: Block): void {
    const { text, ...rest } = block
    const plain = inlineText(text, this.defined).replace(/\s+/g, ' ').trim()
    if (/[\p{L}\p{N}]/u.test(plain)) this.blocks.push({ ...rest, text: plain })
  }
}

/** Whether a line ends within the words of a link. */
function isInBrackets(line: string): boolean {
  return line.lastIndexOf('[') > line.lastIndexOf(']')
}

/** The cells of a table's row; "\|" is no border. */
function cellsOf(line: string): string[] {
  const cells = line.split(/(?<!\\)\|/).map((cell) => cell.trim())
  if (cells[0] === '') cells.shift()
  if (cells.at(-1) === '') cells.pop()
  return cells
}

function rowText(cells: readonly string[]): string {
  return cells.filter((cell) => cell !== '').join(', ')
}

/** A row of a table that has heads, as a note that can be read without them: "Access logs: kept for 30 days". */
function headedRow(cells: readonly string[], heads: readonly string[]): Block {
  const [name, ...values] = cells
  const told = values.flatMap((value, at) => (value === '' ? [] : [`${heads[at + 1] ?? ''} ${value}`.trim()]))
  const text = name && told.length > 0 ? `${name}: ${told.join(', ')}` : rowText(cells)
  return { kind: 'item', text, ...(heads[0] && { label: heads[0] }) }
}

/** The block that a line begins, `skip` for one that only separates or tells nothing, undefined for running text. */
function openedBy(line: string): Opened | 'skip' | undefined {
  if (STAMPED.test(line)) return { kind: 'item', text: line }
  // Running text needs none of the looks below.
  if (/^[A-Za-z]/.test(line) && !line.slice(0, INTRO_CHARS_MAX).includes(':')) return undefined
  if (line === '' || /^#{1,6}$/.test(line) || SEPARATOR.test(line) || MAIL_HEADER.test(line) || REPLY_INTRO.test(line))
    return 'skip'
  if (line.startsWith('[') && DEFINITION.test(line)) return 'skip'
  const heading = HEADING.exec(line)?.[1]?.replace(/#+$/, '') ?? BOLD_LINE.exec(line)?.[1]
  if (heading !== undefined) return { kind: 'heading', text: heading }
  const item = ITEM.exec(line)
  if (item) {
    const text = item[2]!
    if (CONTENTS_LINE.test(text)) return 'skip'
    return { kind: 'item', text, ...(item[1] !== undefined && { done: item[1] !== ' ' }) }
  }
  if (line.startsWith('>')) {
    const text = line.replace(/^[>\s]+/, '').replace(NOTICE, '')
    return text === '' ? 'skip' : { kind: 'quote', text }
  }
  // "Priya: shipped" on a line of its own is a turn of a transcript or a labelled note.
  return /^\p{Lu}[\p{L}\p{M} .'’-]{0,40}:\s+\S/u.test(line) ? { kind: 'item', text: line } : undefined
}

/** With the label that it opens with; one that is a paragraph's own sentence is taken off, one with a colon stays. */
function labelled(opened: Opened): Block {
  const { kind, text } = opened
  if (kind === 'quote') return opened
  const lead = readLeadIn(text)
  if (kind === 'item') {
    const label = lead?.label ?? plainLabel(text)
    return label === undefined ? opened : { ...opened, label }
  }
  if (!lead) return opened
  return {
    kind,
    text: /^[^.]*:/.test(text.slice(0, -lead.rest.length)) ? text : lead.rest,
    label: lead.label,
  }
}
