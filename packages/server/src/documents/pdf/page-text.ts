import { markdownHeading, markdownTable } from '../document.ts'
import type { Line } from './page-lines.ts'

/** Minimum font size of a heading as a multiple of the body size. LEVELS has the minimum of each level. */
const HEADING_SIZE = 1.12
const LEVELS = [1.7, 1.4, HEADING_SIZE]
const HEADING_CHARS_MAX = 200
/** Limits as multiples of the font size: minimum gap between paragraphs, and minimum indentation of a first line. */
const PARAGRAPH_GAP = 1.75
const INDENT = 0.9
/** Maximum position of the right edge of a paragraph's last line, as a share of the text's right edge. */
const SHORT_LINE = 0.85
const BULLET = /^(?:[•‣▪●○◦·∙–*-]|\d{1,3}[.)]|[a-z]\))\s+(?=\S)/
const BULLET_ONLY = /^[•‣▪●○◦∙]$/
const TABLE_ROWS_MIN = 2
/** Maximum horizontal distance of aligned cells, as a multiple of the font size. */
const ALIGNED = 1

/** Returns the blocks of a page as Markdown: headings by font size, paragraphs, list items and tables. */
export function blocksOf(lines: readonly Line[], bodySize: number): string[] {
  const blocks: string[] = []
  let paragraph: Line[] = []
  const right = rightEdge(lines)
  const flush = () => {
    if (paragraph.length > 0) blocks.push(asBlock(paragraph, bodySize))
    paragraph = []
  }
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at]!
    if (line.segments.some(({ isTable }) => isTable)) {
      flush()
      blocks.push(...line.segments.map(({ text }) => text))
      continue
    }
    const table = tableAt(lines, at)
    if (table > 0) {
      flush()
      blocks.push(asTable(lines.slice(at, at + table)))
      at += table - 1
      continue
    }
    const last = paragraph.at(-1)
    if (last && beginsBlock(line, last, paragraph, { bodySize, right })) flush()
    paragraph.push(line)
  }
  flush()
  return blocks.filter((block) => block.trim() !== '')
}

function beginsBlock(
  line: Line,
  last: Line,
  paragraph: readonly Line[],
  { bodySize, right }: { bodySize: number; right: number },
): boolean {
  const text = textOf(line)
  if (levelOf(line, bodySize) !== levelOf(last, bodySize)) return true
  // The line is higher than the previous one, so it starts a new column or page.
  if (line.y > last.y) return !isUnfinished(textOf(last))
  if (last.y - line.y > PARAGRAPH_GAP * Math.max(line.size, last.size)) return true
  if (levelOf(line, bodySize) !== undefined) return false
  if (BULLET.test(text)) return true
  if (BULLET.test(textOf(paragraph[0]!)))
    return line.x < paragraph[0]!.x + INDENT * line.size && paragraph[0]!.x < line.x - 0.5
  const isIndented = line.x - last.x > INDENT * line.size && paragraph.length > 1
  const isShort = last.right < SHORT_LINE * right && /[.!?:]["”’)]?$/.test(textOf(last))
  return isIndented || isShort
}

/** Returns true if a line does not end a sentence. */
function isUnfinished(text: string): boolean {
  return !/[.!?:;]["”’)]?$/.test(text)
}

function rightEdge(lines: readonly Line[]): number {
  const edges = lines.map(({ right }) => right).toSorted((one, other) => one - other)
  return edges[Math.floor(edges.length * 0.9)] ?? 0
}

/** Returns the heading level of a line, counted from 1; undefined for body text. */
function levelOf(line: Line, bodySize: number): number | undefined {
  const text = textOf(line)
  if (text.length > HEADING_CHARS_MAX || !/\p{L}/u.test(text)) return undefined
  const level = LEVELS.findIndex((ratio) => line.size >= ratio * bodySize)
  return level < 0 ? undefined : level + 1
}

function textOf({ segments }: Line): string {
  return segments.map(({ text }) => text).join(' ')
}

function asBlock(lines: readonly Line[], bodySize: number): string {
  const level = levelOf(lines[0]!, bodySize)
  const text = joinLines(lines.map(textOf))
  if (level !== undefined && text.length <= HEADING_CHARS_MAX) return markdownHeading(level, text)
  const bullet = BULLET.exec(text)?.[0]
  return bullet ? `- ${text.slice(/\d/.test(bullet) ? 0 : bullet.length)}` : text
}

/** Joins lines to one text. A word that is hyphenated at the end of a line is rejoined. */
export function joinLines(lines: readonly string[]): string {
  return lines.reduce((text, line) => {
    if (text === '') return line
    if (/[\u00ad]$/.test(text)) return text.slice(0, -1) + line
    const isHyphenated = /\p{Ll}[-\u2010]$/u.test(text) && /^\p{Ll}/u.test(line)
    return isHyphenated ? text.slice(0, -1) + line : `${text} ${line}`
  }, '')
}

/** Returns the number of lines from an index on that form a table; 0 if no table starts there. */
function tableAt(lines: readonly Line[], from: number): number {
  const first = lines[from]!
  if (first.segments.length < 2 || isItem(first)) return 0
  let rows = 1
  let widest = first
  while (from + rows < lines.length) {
    const line = lines[from + rows]!
    const above = lines[from + rows - 1]!
    const isNear = above.y - line.y <= 3 * Math.max(line.size, first.size)
    if (!isNear || line.y > first.y || line.segments.some(({ isTable }) => isTable)) break
    const isRow = line.segments.length > 1 && isAligned(line, widest)
    if (!isRow && !isWrappedCell(line, above, widest)) break
    if (line.segments.length > widest.segments.length) widest = line
    rows += 1
  }
  return rows >= TABLE_ROWS_MIN ? rows : 0
}

/** Returns true for a list item whose bullet is a separate segment. Such a line is not a table row. */
function isItem({ segments }: Line): boolean {
  return segments.length === 2 && (BULLET_ONLY.test(segments[0]!.text) || BULLET.test(`${segments[0]!.text} x`))
}

/** Returns true if most cells of a line are aligned with those of another, by left or right edges or centers. */
function isAligned(line: Line, other: Line): boolean {
  const near = (one: number, two: number) => Math.abs(one - two) <= ALIGNED * line.size
  const aligned = line.segments.filter(({ x, right }) =>
    other.segments.some(
      (cell) => near(x, cell.x) || near(right, cell.right) || near((x + right) / 2, (cell.x + cell.right) / 2),
    ),
  )
  return aligned.length >= line.segments.length / 2
}

/** Returns true if a line continues cells of the row above: aligned, closer than a new row, without a first cell. */
function isWrappedCell(line: Line, above: Line, widest: Line): boolean {
  const isClose = above.y - line.y <= WRAPPED_GAP * line.size
  const columns = line.segments.map((segment) => columnOf(segment, widest))
  return isClose && columns.every((column) => column > 0) && isAligned(line, widest)
}

/** Maximum distance between two lines of a cell, as a multiple of their font size. */
const WRAPPED_GAP = 1.5

/** Returns the index of the column that a line segment overlaps most. */
function columnOf({ x, right }: { x: number; right: number }, { segments }: Line): number {
  const middle = (x + right) / 2
  const overlap = (cell: { x: number; right: number }) => Math.min(right, cell.right) - Math.max(x, cell.x)
  return segments
    .map((cell, index) => ({ index, by: overlap(cell) - Math.abs(middle - (cell.x + cell.right) / 2) / 1_000 }))
    .toSorted((one, other) => other.by - one.by)[0]!.index
}

/** Returns the lines as a Markdown table with the columns of the widest line. */
function asTable(lines: readonly Line[]): string {
  const widest = lines.reduce((one, other) => (other.segments.length > one.segments.length ? other : one))
  const rows: string[][] = []
  for (const [at, line] of lines.entries()) {
    const isWrapped = at > 0 && isWrappedCell(line, lines[at - 1]!, widest)
    const cells = isWrapped ? rows.at(-1)! : Array<string>(widest.segments.length).fill('')
    for (const part of line.segments.flatMap(({ parts }) => parts)) {
      const column = columnOf(part, widest)
      cells[column] = [cells[column], part.text.trim()].filter(Boolean).join(' ')
    }
    if (!isWrapped) rows.push(cells)
  }
  return markdownTable(rows)
}
