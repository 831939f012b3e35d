import { plainLabel, readLeadIn } from './labels.ts'
import { pattern } from './pattern.ts'

/** A stretch of text that stands on its own: no sentence runs from one block into the next. */
export interface Block {
  kind: 'paragraph' | 'item' | 'row' | 'heading' | 'quote'
  text: string
  /** Set on the items of a task list: whether the box is ticked. */
  done?: boolean
  /** The label that the block opens with: "**Cause.** …", "Fix: …". */
  label?: string
  /** The cells of a table's row. */
  cells?: string[]
}

// Controls but tab and line feed, bidirectional marks and overrides, zero-width space, byte order mark,
// soft hyphen, invisible operators, tag characters and lone surrogates: nothing of these may reach a reader.
const UNSEEN = pattern(
  'gu',
  '(?![\\n\\t])\\p{Cc}|',
  '[\\u00ad\\u061c\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}]|',
  '\\p{Cs}',
)
const HTML_ENTITIES: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  hellip: '…',
}
// Most texts hold none of these and need no further look.
const PLAIN = /^[\n -~]*$/
const MARKUP = /[<&*_`~[]|:[a-z0-9_+-]+:|\(\s|\s[,;:!?.)\]]/
const EMOJI = /(?![\d#*©®™])\p{Extended_Pictographic}|\ufe0f/u
const SIGNATURE = /^(-- ?|_{3,}|sent from my \w+.*)$/i
const FORWARDED = /^-{2,}\s*(original|forwarded) message/i
const REPLY_INTRO = /^(on|am|le) .{6,120}(wrote|schrieb|a écrit)\s?:$/i
const MAIL_HEADER = /^(from|to|cc|bcc|sent|date|subject|reply-to):\s/i
// A wrapped line of a letter is about this long; a shorter line was ended on purpose.
const INTRO_CHARS_MAX = 140
const WRAPPED_LINE_CHARS = 55

/** The text without characters that are not seen, in one line-break style. */
export function cleanText(text: string): string {
  if (PLAIN.test(text)) return text
  return text
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(UNSEEN, '')
    .replace(/[\u00a0\u202f\u2007\t]/g, ' ')
}

/** The text as one line without unseen characters and markup, for names and titles. */
export function plainLine(text: string): string {
  return inlineText(cleanText(text)).replace(/\s+/g, ' ').trim()
}

/** A title without its closing parenthesis. */
export function bareTitle(title: string): string {
  const bare = title.replace(/\s*[([][^)\]]*[)\]]\s*$/, '').trim()
  return bare === '' ? title : bare
}

/** Cuts a text into blocks without code, markup, mail headers, quoted mail and signatures. */
export function textBlocks(text: string): Block[] {
  const blocks: Block[] = []
  let lines: string[] = []
  const flush = (): void => {
    if (lines.length > 0) push(blocks, paragraph(lines.join(' ')))
    lines = []
  }
  let fenced = false
  // The heads of the table that the lines stand in.
  let heads: string[] | undefined
  for (const raw of cleanText(text).split('\n')) {
    const line = raw.trim()
    if (/^(```|~~~)/.test(line)) {
      // A fence that opens and closes on one line holds code as well.
      if (!/^(```|~~~).+\1$/.test(line)) fenced = !fenced
      flush()
      continue
    }
    if (fenced) continue
    if (SIGNATURE.test(line) || FORWARDED.test(line)) break
    const block = lineBlock(line)
    const isRow = block !== undefined && block !== 'skip' && block.kind === 'row'
    if (block === 'skip') {
      flush()
      const last = blocks[blocks.length - 1]
      if (/^\|.*-.*\|$/.test(line) && last?.kind === 'row' && last.cells) heads = blocks.pop()!.cells
    } else if (isRow && heads) {
      push(blocks, headedRow(block, heads))
    } else if (block) {
      flush()
      if (!isRow) heads = undefined
      push(blocks, block)
    } else if (lines.length > 0 && (!continues(lines[lines.length - 1]!, line) || readLeadIn(line))) {
      flush()
      lines.push(line)
    } else {
      lines.push(line)
    }
  }
  flush()
  return blocks
}

/** A row of a table that has heads, as a note that can be read without them: "Access logs: kept for 30 days". */
function headedRow({ text, cells = [] }: Block, heads: readonly string[]): Block {
  const [name, ...values] = cells
  const told = values.flatMap((value, at) => (value === '' ? [] : [`${heads[at + 1] ?? ''} ${value}`.trim()]))
  return { kind: 'item', text: name && told.length > 0 ? `${name}: ${told.join(', ')}` : text }
}

function push(blocks: Block[], block: Block): void {
  const text = inlineText(block.text).replace(/\s+/g, ' ').trim()
  if (/[\p{L}\p{N}]/u.test(text)) blocks.push({ ...block, text })
}

/** A paragraph; a label that is a sentence of its own is taken off, one with a colon stays in its sentence. */
function paragraph(text: string): Block {
  const lead = readLeadIn(text)
  if (!lead) return { kind: 'paragraph', text }
  return {
    kind: 'paragraph',
    text: /^[^.]*:/.test(text.slice(0, -lead.rest.length)) ? text : lead.rest,
    label: lead.label,
  }
}

function continues(previous: string, line: string): boolean {
  return previous.length >= WRAPPED_LINE_CHARS || /^\p{Ll}/u.test(line)
}

/** A line that is a block of its own, `skip` for one that only separates, undefined for running text. */
function lineBlock(line: string): Block | 'skip' | undefined {
  // Running text needs none of the looks below.
  if (/^[A-Za-z]/.test(line) && !line.slice(0, INTRO_CHARS_MAX).includes(':')) return undefined
  if (line === '' || /^([-*_=]\s?){3,}$/.test(line) || /^\|?[\s:|-]+\|$/.test(line)) return 'skip'
  if (MAIL_HEADER.test(line) || REPLY_INTRO.test(line)) return 'skip'
  const heading = /^#{1,6}\s+(.*?)#*$/.exec(line) ?? /^\*\*([^*]+)\*\*:?$/.exec(line)
  if (heading) return { kind: 'heading', text: heading[1]! }
  const item = /^(?:[-*+•‣▪–]|\d{1,3}[.)])\s+(?:\[([ xX])\]\s+)?(.*)$/.exec(line)
  if (item) {
    const block = labelled(item[2]!)
    return item[1] === undefined ? block : { ...block, done: item[1] !== ' ' }
  }
  if (line.startsWith('>')) return { kind: 'quote', text: line.replace(/^[>\s]+/, '') }
  if (/^\|.*\|$/.test(line)) {
    const cells = line.split('|').map((cell) => cell.trim())
    return { kind: 'row', text: cells.filter((cell) => cell !== '').join(', '), cells: cells.slice(1, -1) }
  }
  // "Priya: shipped" on a line of its own is a turn of a transcript or a labelled note.
  if (/^\p{Lu}[\p{L}\p{M} .'’-]{0,40}:\s+\S/u.test(line)) return labelled(line)
  return undefined
}

function labelled(text: string): Block {
  const label = readLeadIn(text)?.label ?? plainLabel(text)
  return label === undefined ? { kind: 'item', text } : { kind: 'item', text, label }
}

// Every repetition below is bounded: a text is data from anywhere and must not hold the process.
/** One line without inline markup: links keep their words, mentions their names, code its content. */
function inlineText(text: string): string {
  if (!MARKUP.test(text) && (PLAIN.test(text) || !EMOJI.test(text))) return text
  return text
    .replace(/!\[[^\]]{0,300}\]\([^)\s]{0,600}\)/g, '')
    .replace(/\[([^[\]]{1,120})\]\((?:[^)\s]{1,300})(?:\s+"[^"]{0,200}")?\)/g, '$1')
    .replace(/<[@#!][A-Z0-9]{1,40}\|([^>]{1,200})>/g, '$1')
    .replace(/<!(here|channel|everyone)>|<[@#][A-Z0-9]{6,40}>/g, '')
    .replace(/<(?:https?|mailto):[^|>\s]{1,600}\|([^>]{1,300})>/g, '$1')
    .replace(/<((?:https?:\/\/|mailto:)[^>\s]{1,600})>/g, '$1')
    .replace(/<\/?[a-zA-Z][^<>]{0,200}>/g, ' ')
    .replace(/&(#\d{2,6}|[a-z]{2,6});/g, (whole, name: string) => htmlEntity(name) ?? whole)
    .replace(/(?<![\p{L}\p{N}:]):[a-z0-9_+-]{2,30}:(?![\p{L}\p{N}:])/gu, '')
    .replace(
      /(?![\d#*©®™])\p{Extended_Pictographic}(?:[\u{1f3fb}-\u{1f3ff}\ufe0f]|\u200d\p{Extended_Pictographic})*/gu,
      '',
    )
    .replace(/\ufe0f/g, '')
    .replace(/(`{1,2})([^`]{1,400})\1/g, '$2')
    .replace(/(?<![\p{L}\p{N}*])(\*{1,3})(?=\S)([^*]{1,600}?)(?<=\S)\1(?![\p{L}\p{N}*])/gu, '$2')
    .replace(/(?<![\p{L}\p{N}_])(_{1,3})(?=\S)([^_]{1,600}?)(?<=\S)\1(?![\p{L}\p{N}_])/gu, '$2')
    .replace(/~~(?=\S)([^~]{1,400}?)(?<=\S)~~/g, '$1')
    .replace(/([\p{L}\p{N}])\(\s+/gu, '$1 (')
    .replace(/\s+([,;:!?.)\]])(?=\s|$)/g, '$1')
}

function htmlEntity(name: string): string | undefined {
  if (!name.startsWith('#')) return HTML_ENTITIES[name]
  const code = Number(name.slice(1))
  return code >= 0x20 && code < 0xd800 ? String.fromCodePoint(code).replace(UNSEEN, '') : undefined
}
