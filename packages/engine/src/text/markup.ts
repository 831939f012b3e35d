import { Parser } from 'htmlparser2'
import MarkdownIt from 'markdown-it'

/** A line of a text without the markup before it (list, quotation or heading marks). */
export interface MarkupLine {
  /** UTF-16 offsets into the text, without surrounding spaces. */
  readonly start: number
  readonly end: number
  /** True if it is indented. */
  readonly isIndented: boolean
}

/** A part of a text that is one element of the markup. */
export type Region =
  | {
      readonly kind: 'lines'
      readonly lines: readonly MarkupLine[]
      readonly within?: 'item' | 'quote'
      /** Heading level if the last line is underlined. */
      readonly underlined?: number
    }
  | { readonly kind: 'heading'; readonly start: number; readonly end: number; readonly level: number }
  | { readonly kind: 'row'; readonly start: number; readonly end: number; readonly isHeader: boolean }
  | { readonly kind: 'code'; readonly start: number; readonly end: number; readonly lang: string }

const INDENTED = /^\s{2}/
/** Matches the beginning of a line of markup. A text without one has paragraphs only. */
const MARKED = /^[ \t]*(?:[#>|`~<*+=_-]|\d{1,9}[.)])/m
/** Matches an underline of a heading. Shorter lines of these characters usually have another meaning. */
const UNDERLINE = /^[ \t>]*(?:={3,}|-{3,})[ \t]*$/
/** Maximum number of lines that are parsed as Markdown, to bound the time. Further lines are paragraphs. */
const MARKED_LINES_MAX = 20_000
/** Maximum nesting of lists and quotations. Deeper levels are ignored. */
const NESTING_MAX = 100

// Indented code is disabled, because people indent ordinary text. Link definitions are disabled, because many lines
// only look like one. Only blocks are parsed; inline markup is processed for display.
const parser = new MarkdownIt('commonmark', { html: true, maxNesting: NESTING_MAX })
  .enable('table')
  .disable(['code', 'reference'])

type MarkdownToken = ReturnType<typeof parser.parse>[number]

/** Returns the regions of a text in order, by CommonMark 0.31 with GitHub tables, in linear time. */
export function regionsOf(text: string): Region[] {
  const lines = linesOf(text)
  if (!MARKED.test(text)) return paragraphs(lines)
  const cut = lines[MARKED_LINES_MAX]
  if (!cut) return parsed(text, text, lines)
  const rest = paragraphs(lines.slice(MARKED_LINES_MAX))
  return [...parsed(text, text.slice(0, cut.from), lines), ...rest]
}

/** A line with its surrounding spaces, without its line break. */
interface WholeLine {
  readonly from: number
  readonly to: number
  readonly text: string
}

function linesOf(text: string): WholeLine[] {
  let from = 0
  return text.split('\n').map((line) => {
    const whole = { from, to: from + line.length, text: line }
    from += line.length + 1
    return whole
  })
}

/** Returns each group of adjacent nonblank lines as a paragraph. */
function paragraphs(lines: readonly WholeLine[]): Region[] {
  const regions: Region[] = []
  let open: MarkupLine[] = []
  for (const line of [...lines, undefined]) {
    if (line && line.text.trim() !== '') open.push(trimmed(line))
    else if (open.length > 0) {
      regions.push({ kind: 'lines', lines: open })
      open = []
    }
  }
  return regions
}

function trimmed({ from, text }: WholeLine): MarkupLine {
  const start = from + text.length - text.trimStart().length
  return { start, end: from + text.trimEnd().length, isIndented: INDENTED.test(text) }
}

/** Returns the span of `content`, which is the part of the line after its markup. */
function shownOf({ from, text }: WholeLine, content: string): MarkupLine {
  const bare = content.trim()
  const end = text.trimEnd().length
  const start = Math.max(0, end - bare.length)
  return { start: from + start, end: from + Math.max(start, end), isIndented: INDENTED.test(text) }
}

function parsed(whole: string, text: string, lines: readonly WholeLine[]): Region[] {
  const tokens: MarkdownToken[] = []
  parser.block.parse(text, parser, {}, tokens)
  const regions: Region[] = []
  const containers: { kind: 'item' | 'quote'; isFresh: boolean }[] = []
  let isHeader = false
  for (const [at, token] of tokens.entries()) {
    const [from = 0, to = 0] = token.map ?? []
    switch (token.type) {
      case 'list_item_open':
        containers.push({ kind: 'item', isFresh: true })
        break
      case 'blockquote_open':
        containers.push({ kind: 'quote', isFresh: true })
        break
      case 'list_item_close':
      case 'blockquote_close':
        containers.pop()
        break
      case 'thead_open':
      case 'tbody_open':
        isHeader = token.type === 'thead_open'
        break
      case 'tr_open':
        regions.push({ kind: 'row', isHeader, ...spanOf(lines, from, from + 1) })
        break
      case 'fence':
        regions.push(codeOf(token, lines))
        break
      case 'html_block':
        regions.push(...htmlRegions(whole, lines[from]!.from, lines[to - 1]!.to))
        break
      case 'inline': {
        const opened = tokens[at - 1]!
        if (opened.type === 'heading_open' && opened.markup.startsWith('#'))
          regions.push(headingOf(opened, token, lines))
        else if (opened.type === 'heading_open' || opened.type === 'paragraph_open')
          regions.push(linesRegion(opened, token, lines, containers.at(-1)))
        break
      }
    }
  }
  return regions
}

/** Returns the span from the first character of line `from` to the last character before line `to`. */
function spanOf(lines: readonly WholeLine[], from: number, to: number): { start: number; end: number } {
  const [first, last] = [lines[from]!, lines[to - 1]!]
  return { start: trimmed(first).start, end: Math.max(trimmed(first).start, trimmed(last).end) }
}

function linesRegion(
  { tag, map: opened }: MarkdownToken,
  { map, content }: MarkdownToken,
  lines: readonly WholeLine[],
  container: { kind: 'item' | 'quote'; isFresh: boolean } | undefined,
): Region {
  const shown = content.split('\n').map((each, at) => shownOf(lines[map![0] + at]!, each))
  const within = container?.kind === 'item' && !container.isFresh ? undefined : container?.kind
  if (container) container.isFresh = false
  const isUnderlined = tag !== 'p' && UNDERLINE.test(lines[opened![1] - 1]?.text ?? '')
  return { kind: 'lines', lines: shown, ...(within && { within }), ...(isUnderlined && { underlined: levelOf(tag) }) }
}

/** Returns the region of a heading with leading `#` characters. */
function headingOf({ tag }: MarkdownToken, { map, content }: MarkdownToken, lines: readonly WholeLine[]): Region {
  const { from, text } = lines[map![0]]!
  const at = content === '' ? 0 : Math.max(0, text.indexOf(content, text.indexOf('#') + 1))
  return { kind: 'heading', level: levelOf(tag), start: from + at, end: from + at + content.length }
}

function levelOf(tag: string): number {
  return Number(tag.slice(1))
}

/** Returns the region of the text between two fences. */
function codeOf({ map, info, markup, content }: MarkdownToken, lines: readonly WholeLine[]): Region {
  const [from, to] = map!
  const last = lines[to - 1]!
  const isClosed =
    to - 1 > from &&
    last.text
      .trim()
      .replace(/^[>\s]+/, '')
      .startsWith(markup)
  const end = isClosed ? lines[to - 2]!.to : last.to
  const lang = info.trim().split(/[\s{]/)[0]!
  if (content.trim() === '' || from + 1 >= to) return { kind: 'code', lang, start: last.to, end: last.to }
  const start = lines[from + 1]!.from
  return { kind: 'code', lang, start, end: Math.max(start, end) }
}

/** Returns the blocks of HTML: paragraphs, items and headings. */
function htmlRegions(text: string, from: number, to: number): Region[] {
  const regions: Region[] = []
  eachHtmlPart(text.slice(from, to), ({ start, end, level, isItem }) => {
    if (level !== undefined) regions.push({ kind: 'heading', level, start: from + start, end: from + end })
    else {
      const line = { start: from + start, end: from + end, isIndented: false }
      regions.push({ kind: 'lines', lines: [line], ...(isItem && { within: 'item' as const }) })
    }
  })
  return regions
}

/** The text of one HTML block. */
interface HtmlPart {
  /** UTF-16 offsets into the HTML, from the first to after the last visible character. */
  readonly start: number
  readonly end: number
  /** Level of a heading, 1 to 6. */
  readonly level?: number
  readonly isItem: boolean
}

/** Tags that begin and end a block. */
const BLOCKS: ReadonlySet<string> = new Set(
  (
    'address article aside blockquote br caption center dd details div dl dt fieldset figcaption figure footer form ' +
    'h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table tbody td tfoot th thead tr ul'
  ).split(' '),
)
const HEADING = /^h([1-6])$/
/** Elements whose content is not visible text. */
const UNSEEN: ReadonlySet<string> = new Set(['script', 'style', 'template', 'title', 'svg'])

/** Calls `visit` with the blocks of HTML in order, without tags, comments, scripts and styles. */
function eachHtmlPart(html: string, visit: (part: HtmlPart) => void): void {
  let start = -1
  let end = -1
  let heading: number | undefined
  let isItem = false
  let unseen = 0
  const flush = () => {
    if (start >= 0) visit({ start, end, isItem, ...(heading !== undefined && { level: heading }) })
    start = -1
    isItem = false
  }
  const handler = {
    onopentagname(name: string) {
      if (UNSEEN.has(name)) unseen += 1
      if (!BLOCKS.has(name)) return
      flush()
      const level = HEADING.exec(name)?.[1]
      if (level !== undefined) heading = Number(level)
      isItem = name === 'li'
    },
    ontext(text: string) {
      if (unseen > 0 || text.trim() === '') return
      if (start < 0) start = parser.startIndex + text.length - text.trimStart().length
      end = parser.startIndex + text.trimEnd().length
    },
    onclosetag(name: string) {
      if (UNSEEN.has(name)) unseen = Math.max(0, unseen - 1)
      if (!BLOCKS.has(name)) return
      flush()
      if (HEADING.test(name)) heading = undefined
    },
  }
  // Entities are not decoded, so that offsets stay valid.
  const parser = new Parser(handler, { decodeEntities: false })
  parser.write(html)
  parser.end()
  flush()
}
