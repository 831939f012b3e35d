import { plainLine } from './clean-text.ts'
import { type BlockKind, type ParsedBlock, parseBlocks } from './parse-blocks.ts'

/** A stretch of a record's text that stands on its own: no sentence runs from one into the next. */
export interface Block {
  readonly kind: BlockKind
  /**
   * UTF-16 offsets into the text, without the marks around it; between its lines stand the marks of a list or a
   * quotation as they are written.
   */
  readonly start: number
  readonly end: number
  /** The headings above it in plain words, from the outermost to the innermost. */
  readonly path: readonly string[]
  /** Of a heading: 1 to 6 as it is marked, 7 for a line in bold. */
  readonly level?: number
  /** Of a task list's item: whether the box is ticked. */
  readonly checked?: boolean
  /** Of a table's row: what stands in the row that heads the table, in plain words, cell by cell. */
  readonly header?: readonly string[]
  /** Of code: the language that is named with it. */
  readonly lang?: string
}

/**
 * The blocks of a text in order; none overlap. `stored` is what `encodeBlocks` made of the same text; without it, or
 * where it is of another text, the text is parsed. A text longer than 400 000 characters has the blocks of its
 * beginning.
 */
export function blocksOf(text: string, stored?: string): Block[] {
  const parsed = stored === undefined ? undefined : decode(stored, text.length)
  return placed(text, parsed ?? parseBlocks(text))
}

/** With what those above say of each. */
function placed(text: string, parsed: readonly ParsedBlock[]): Block[] {
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

/** The cells of a table's row as they are written; "\|" is no border. */
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
 * The blocks of a text as they are stored with it, some eight characters each: the letter of a kind, signs left out
 * since the block before and the length to base 36, then a heading's level, an item's box (x or o) or a language.
 */
export function encodeBlocks(text: string): string {
  let from = 0
  return parseBlocks(text)
    .map(({ kind, start, end, level, checked, lang, isHeader }) => {
      const box = checked === undefined ? undefined : checked ? 'x' : 'o'
      const more = level ?? box ?? lang?.replace(/\s/g, '')
      const [gap, size] = [start - from, end - start].map((count) => count.toString(RADIX))
      const told = `${isHeader ? HEADER : LETTERS[kind]}${gap}.${size}`
      from = end
      return more === undefined || more === '' ? told : `${told}.${more}`
    })
    .join(' ')
}

/** Undefined for what is of no such text. */
function decode(stored: string, length: number): ParsedBlock[] | undefined {
  if (stored === '') return []
  const blocks: ParsedBlock[] = []
  let from = 0
  for (const told of stored.split(' ')) {
    const found = STORED.exec(told)
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

/** A stretch of code in a text: from the line that opens it to after the one that closes it. */
interface Fenced {
  readonly from: number
  readonly to: number
  /** The signs that open it, by which it is closed too. */
  readonly mark: string
}

const FENCE = /^(`{3,}|~{3,})(.*)$/

/** The code between fences in a text, in order; what is opened last may go on to its end. */
export function fencesOf(text: string): Fenced[] {
  if (!text.includes('```') && !text.includes('~~~')) return []
  const found: Fenced[] = []
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
      // A fence that opens and closes on one line holds code as well.
      if (rest.endsWith(mark)) found.push({ from, to, mark })
      else open = { from, mark }
    }
    from = to
  }
  if (open) found.push({ ...open, to: text.length })
  return found
}

const QUOTED = /^[ \t]*>.*$/gm

/** A message's text with blanks for the lines that it quotes outside code, so that all else stays in its place. */
export function withoutQuoted(text: string): string {
  const fences = fencesOf(text)
  let next = 0
  return text.replace(QUOTED, (line, at: number) => {
    while (next < fences.length && fences[next]!.to <= at) next += 1
    return next < fences.length && fences[next]!.from <= at ? line : ' '.repeat(line.length)
  })
}

/** A part of a text in which what was code stays code: cut inside a fence, it is opened and closed again. */
export function cutOut(text: string, from: number, to: number, fences: readonly Fenced[]): string {
  const opened = fences.find((fence) => fence.from < from && from < fence.to)
  const left = fences.find((fence) => fence.from < to && to < fence.to)
  return `${opened ? `${opened.mark}\n` : ''}${text.slice(from, to).trim()}${left ? `\n${left.mark}` : ''}`
}
