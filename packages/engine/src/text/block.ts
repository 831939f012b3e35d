import { plainLine } from './clean-text.ts'
import { type BlockKind, type ParsedBlock, parseBlocks } from './parse-blocks.ts'

/** A paragraph, heading, list item, table row, quotation or code block. No sentence crosses its boundaries. */
export interface Block extends Omit<ParsedBlock, 'isHeader'> {
  /** Plain text of the headings above it, outermost first. */
  readonly path: readonly string[]
  /** Plain text of the cells of a table's header row. */
  readonly header?: readonly string[]
}

/**
 * Returns the blocks of a text in order, without overlaps. `stored` is the result of `encodeBlocks` for the same text.
 * If it is missing or belongs to another text, the text is parsed. Only the first 400 000 characters of a text have
 * blocks.
 */
export function blocksOf(text: string, stored?: string): Block[] {
  const parsed = stored === undefined ? undefined : decode(stored, text.length)
  return withPaths(text, parsed ?? parseBlocks(text))
}

/** Adds the heading path and the table header to each block. */
function withPaths(text: string, parsed: readonly ParsedBlock[]): Block[] {
  const blocks: Block[] = []
  const open: { level: number; heading: string }[] = []
  let path: readonly string[] = []
  let header: readonly string[] | undefined
  for (const { isHeader, ...block } of parsed) {
    const isHeading = block.kind === 'heading'
    if (isHeading) {
      while (open.length > 0 && open.at(-1)!.level >= block.level!) open.pop()
      path = open.map(({ heading }) => heading)
    }
    if (isHeader) header = cellsOf(text.slice(block.start, block.end)).map(plainLine)
    else if (block.kind !== 'row') header = undefined
    if (!isHeader) blocks.push({ ...block, path, ...(header && { header }) })
    if (isHeading) {
      open.push({ level: block.level!, heading: plainLine(text.slice(block.start, block.end)) })
      path = open.map(({ heading }) => heading)
    }
  }
  return blocks
}

/** Returns the cells of a table row as written. "\|" does not separate cells. */
export function cellsOf(row: string): string[] {
  const cells = row
    .trim()
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim())
  if (cells[0] === '') cells.shift()
  if (cells.at(-1) === '') cells.pop()
  return cells
}

const LETTERS = { heading: 'h', paragraph: 'p', item: 'i', row: 'r', code: 'c', quote: 'q' } as const
const KINDS = new Map(Object.entries(LETTERS).map(([kind, letter]) => [letter as string, kind as BlockKind]))
const HEADER = 't'
const RADIX = 36
const STORED = /^([hpircqt])([0-9a-z]{1,7})\.([0-9a-z]{1,7})(?:\.(.*))?$/s

/**
 * Encodes the blocks of a text for storage, in about eight characters each: the letter of the kind, the gap since the
 * previous block and the length in base 36, then the level of a heading, the state of a checkbox (x or o) or the
 * language of code.
 */
export function encodeBlocks(text: string): string {
  let from = 0
  return parseBlocks(text)
    .map(({ kind, start, end, level, checked, lang, isHeader }) => {
      const box = checked === undefined ? undefined : checked ? 'x' : 'o'
      const more = level ?? box ?? lang?.replace(/\s/g, '')
      const [gap, size] = [start - from, end - start].map((count) => count.toString(RADIX))
      const code = `${isHeader ? HEADER : LETTERS[kind]}${gap}.${size}`
      from = end
      return more === undefined || more === '' ? code : `${code}.${more}`
    })
    .join(' ')
}

/** Decodes stored blocks. Returns undefined if they do not fit the text. */
function decode(stored: string, length: number): ParsedBlock[] | undefined {
  if (stored === '') return []
  const blocks: ParsedBlock[] = []
  let from = 0
  for (const encoded of stored.split(' ')) {
    const found = STORED.exec(encoded)
    if (!found) return undefined
    const [, letter, gap, size, more] = found
    const start = from + Number.parseInt(gap!, RADIX)
    const end = start + Number.parseInt(size!, RADIX)
    if (end > length) return undefined
    from = end
    const kind = KINDS.get(letter!) ?? 'row'
    blocks.push({ kind, start, end, ...detailsOf(letter!, more) })
  }
  return blocks
}

function detailsOf(letter: string, more: string | undefined): Partial<ParsedBlock> {
  if (letter === HEADER) return { isHeader: true }
  if (letter === LETTERS.heading) return { level: Number(more ?? 1) }
  if (more === undefined) return {}
  return letter === LETTERS.code ? { lang: more } : { checked: more === 'x' }
}

/** A fenced code block, from its opening line to the end of its closing line. */
interface FencedCode {
  readonly from: number
  readonly to: number
  /** Fence characters of the opening line. */
  readonly mark: string
}

const FENCE = /^(`{3,}|~{3,})(.*)$/

/** Returns the fenced code blocks of a text in order. An unclosed block extends to the end. */
export function fencesOf(text: string): FencedCode[] {
  if (!text.includes('```') && !text.includes('~~~')) return []
  const found: FencedCode[] = []
  let open: { from: number; mark: string } | undefined
  let from = 0
  for (const line of text.split('\n')) {
    const to = Math.min(text.length, from + line.length + 1)
    const [, mark, rest = ''] = FENCE.exec(line.trim()) ?? []
    if (open) {
      if (mark?.startsWith(open.mark)) {
        found.push({ ...open, to })
        open = undefined
      }
    } else if (mark) {
      // A fence that opens and closes on one line also contains code.
      if (rest.endsWith(mark)) found.push({ from, to, mark })
      else open = { from, mark }
    }
    from = to
  }
  if (open) found.push({ ...open, to: text.length })
  return found
}

const QUOTED = /^[ \t]*>.*$/gm

/** Replaces a message's quoted lines outside code by spaces, so that the other offsets stay valid. */
export function withoutQuoted(text: string): string {
  const fences = fencesOf(text)
  let next = 0
  return text.replace(QUOTED, (line, at: number) => {
    while (next < fences.length && fences[next]!.to <= at) next += 1
    return next < fences.length && fences[next]!.from <= at ? line : ' '.repeat(line.length)
  })
}

/** Returns a part of a text. Adds the missing fences if a boundary is inside a code block. */
export function excerpt(text: string, from: number, to: number, fences: readonly FencedCode[]): string {
  const opened = fences.find((fence) => fence.from < from && from < fence.to)
  const left = fences.find((fence) => fence.from < to && to < fence.to)
  return `${opened ? `${opened.mark}\n` : ''}${text.slice(from, to).trim()}${left ? `\n${left.mark}` : ''}`
}
