import { anyOf } from '../lexicon/entries.ts'
import {
  ABBREVIATIONS,
  BEFORE_ORDINALS,
  CLAUSE_OPENINGS,
  FAREWELLS,
  FILLERS,
  GREETINGS,
  MONTH_STARTS,
  NUMBER_ABBREVIATIONS,
  THANKS,
} from '../lexicon/writing.ts'
import { beginsWithDigit, beginsWithSmall, hasLetterOrNumber, isFirstOfPair, oneLine, withoutEnd } from './signs.ts'
import { type TellOptions, type ToldBlock, toldBlocks } from './told-blocks.ts'
import { pattern } from './words.ts'

/** One sentence of a record, cleaned, with where it stood. */
export interface Sentence {
  text: string
  /** Position among the sentences of its record, from 0. */
  position: number
  /** Position among the sentences under its heading, from 0. */
  inSection: number
  kind: ToldBlock['kind']
  /** Set on a task list's items: whether the box is ticked. */
  done?: boolean
  /** The nearest heading above it. */
  heading?: string
  /** The label of its section: what its block opens with, else the heading above. */
  label?: string
  /** Number of the block that it stands in. */
  block: number
  /** Where in the text stands what it was taken from, as UTF-16 offsets. */
  start: number
  end: number
}

// Terminators of Latin, Greek, Arabic, Devanagari, Armenian, Ethiopic, Burmese and CJK writing.
const TERMINATOR = /[.!?…؟۔।॥։።၊။]+["'”’»)\]]*(?=\s|$)|[。！？｡]+[」』”’）]*/gu
// "zwischen dem 2. und 3. Stock", "im 4. Quartal".
const GERMAN_ORDINAL = new RegExp(`\\b${anyOf(BEFORE_ORDINALS)}\\s+\\d{1,2}$`)
const MONTH_START = new RegExp(`^${anyOf(MONTH_STARTS)}`)
const CLAUSE_OPENING = new RegExp(`^${anyOf(CLAUSE_OPENINGS)}\\b`)
// How far around a sentence's end is looked.
/** Marks that end a sentence without a space behind them. */
const WIDE_ENDS = '。！？｡'
const LOOK_CHARS = 24
// Nobody reads a longer sentence; what is longer is a list or a log and is cut at its own separators.
const SENTENCE_CHARS_MAX = 600
const GREETING = pattern('iu', `^${anyOf(GREETINGS)}(?![\\p{L}\\p{N}])[^.!?\\n,:;–—-]{0,40}[,!.:;–—-]+\\s*`)
const FILLER = pattern('iu', `^(?:\\+1|${anyOf(FILLERS)}|${anyOf(THANKS)}(?: \\p{L}+)?)(?:\\s*[,!:;–—]+|\\.+)\\s*`)
const FAREWELL = pattern('iu', `^(?:\\+1|${anyOf(FAREWELLS)})\\b.{0,60}$`)
/** Where a statement ends at the latest: with its sentence, at a semicolon or at the end of a line. */
export const STATEMENT_END = /[.!?…;\n]/

/**
 * The sentences of a text in order, without greetings, courtesies and markup; works for any script. Where code is kept,
 * its commands stand among them, each between backticks.
 */
export function readSentences(text: string, telling: TellOptions = {}): Sentence[] {
  const sentences: Sentence[] = []
  let heading: string | undefined
  let sectionFrom = 0
  let isGreeted = false
  for (const [at, block] of toldBlocks(text, telling).entries()) {
    if (block.kind === 'heading') {
      heading = block.text.replace(/[:.]$/, '')
      sectionFrom = sentences.length
      continue
    }
    const label = block.label ?? heading
    const isCode = block.kind === 'code'
    let from = 0
    for (const piece of isCode ? commandsOf(block.text, block.lang) : readPieces(block.text)) {
      const found = block.text.indexOf(piece, from)
      // What was put together of the items of a list is the whole block's.
      const span = found < 0 ? block.spanOf(0, block.text.length) : block.spanOf(found, found + piece.length)
      if (found >= 0) from = found + piece.length
      const told = isCode ? `\`${piece}\`` : withoutGreeting(piece)
      if (told === undefined) {
        isGreeted ||= sentences.length === 0
        continue
      }
      // After a salutation on a line of its own German goes on in small letters.
      const text = isGreeted && sentences.length === 0 ? capitalised(told) : told
      const position = sentences.length
      const sentence: Sentence = {
        text,
        position,
        inSection: position - sectionFrom,
        kind: block.kind,
        block: at,
        ...span,
      }
      if (block.done !== undefined) sentence.done = block.done
      if (heading !== undefined) sentence.heading = heading
      if (label !== undefined) sentence.label = label
      sentences.push(sentence)
    }
  }
  return sentences
}

/** The sentences of a block; a numbered list in running text is one sentence, as its items lean on its head. */
function readPieces(text: string): string[] {
  const pieces = splitBlock(text)
  const items = unnumbered(pieces)
  if (!items) return pieces
  const list = `${items.map((item) => item.replace(/[.;,]$/, '')).join('; ')}.`
  return list.length <= SENTENCE_CHARS_MAX ? [list] : items
}

/** The sentences of a text in order, as plain texts. */
export function splitSentences(text: string): string[] {
  return readSentences(text).map((sentence) => sentence.text)
}

/** Cuts running text after sentence ends, but not after abbreviations, initials and ordinals. */
export function splitBlock(text: string): string[] {
  const pieces: string[] = []
  let start = 0
  for (const found of text.matchAll(TERMINATOR)) {
    const end = found.index + found[0].length
    if (!endsSentence(text, found.index, end, found[0])) continue
    pieces.push(text.slice(start, end).trim())
    start = end
  }
  pieces.push(text.slice(start).trim())
  return pieces.filter((piece) => piece !== '').flatMap(cutOverlong)
}

function endsSentence(text: string, at: number, end: number, mark: string): boolean {
  if (end >= text.length || [...WIDE_ENDS].some((sign) => mark.includes(sign))) return true
  const next = text.slice(end, end + LOOK_CHARS).trimStart()
  // A sentence goes on when the next word is small, save after a strong mark that does not end a name ("Who Won? is").
  if (beginsWithSmall(next))
    return (mark.includes('!') || mark.includes('?')) && !CLAUSE_OPENING.test(next) && !endsName(text.slice(0, at))
  if (/^[,;:)]/.test(next)) return false
  if (!mark.startsWith('.') || mark.startsWith('..')) return true
  const word = /[\p{L}\p{M}.]*$/u.exec(text.slice(Math.max(0, at - LOOK_CHARS), at))?.[0] ?? ''
  if (/^(?:\p{L}\.)*\p{L}$/u.test(word)) return false
  const bare = word.replaceAll('.', '').toLowerCase()
  if (ABBREVIATIONS.has(bare)) return false
  if (NUMBER_ABBREVIATIONS.has(bare) && beginsWithDigit(next)) return false
  // "am 12. Juni", "1. Liga": an ordinal, where a year or a larger number ends a sentence.
  if (
    /(^|\s)\d{1,2}$/.test(text.slice(Math.max(0, at - LOOK_CHARS), at)) &&
    (MONTH_START.test(next) || GERMAN_ORDINAL.test(text.slice(0, at)))
  )
    return false
  return true
}

/** Whether a text ends with several words in capitals, as titles have them. */
function endsName(text: string): boolean {
  return /\p{Lu}[\p{L}'’-]*(?: \p{Ll}{1,3}){0,2} \p{Lu}[\p{L}'’-]*$/u.test(text.slice(-2 * LOOK_CHARS))
}

function cutOverlong(piece: string): string[] {
  if (piece.length <= SENTENCE_CHARS_MAX) return [piece]
  const parts: string[] = []
  let rest = piece
  while (rest.length > SENTENCE_CHARS_MAX) {
    const head = rest.slice(0, SENTENCE_CHARS_MAX)
    const at = Math.max(head.lastIndexOf('; '), head.lastIndexOf(', '), head.lastIndexOf('、'), head.lastIndexOf('，'))
    const cut =
      at > SENTENCE_CHARS_MAX / 3 ? at + 1 : head.lastIndexOf(' ') > 0 ? head.lastIndexOf(' ') : wholeChars(head)
    parts.push(rest.slice(0, cut).trim())
    rest = rest.slice(cut).trim()
  }
  parts.push(rest)
  return parts.filter((part) => part !== '')
}

/** The length of a text without half a surrogate pair at its end. */
function wholeChars(text: string): number {
  return isFirstOfPair(text.charCodeAt(text.length - 1)) ? text.length - 1 : text.length
}

function withoutGreeting(piece: string): string | undefined {
  let rest = piece.replace(GREETING, '')
  for (let round = 0; round < 2; round++) rest = rest.replace(FILLER, '')
  rest = rest.replace(/^[\s,;:–—-]+/, '')
  if (!hasLetterOrNumber(rest) || FAREWELL.test(rest)) return undefined
  return rest === piece ? rest : capitalised(rest)
}

function capitalised(text: string): string {
  return text.replace(/^\p{Ll}(?=\p{Ll}|\s)/u, (letter) => letter.toUpperCase())
}

/** The items of a list that was written as running text, "1 check the index. 2 …", without their numbers. */
export function unnumbered(pieces: readonly string[]): string[] | undefined {
  if (pieces.length < 2) return undefined
  const items: string[] = []
  for (const [at, piece] of pieces.entries()) {
    const found = /^(\d{1,2})[.)]?\s+(?=\S)/.exec(piece)
    if (!found || Number(found[1]) !== at + 1) return undefined
    items.push(piece.slice(found[0].length))
  }
  return items
}

/** Languages of a fence under which each line is a command; a fence without one may hold such lines as well. */
const SHELLS = /^(?:sh|bash|zsh|shell|console|terminal|shell-session|cmd|powershell|ps1|bat)$/i
/** How a terminal asks for a command. */
const PROMPT = /^(?:\$|>|PS>|%)\s+/
/** A command, after what it sets for itself: "CAIRN_DATA=./x cairn restore". */
const COMMAND = /^(?:[A-Z_][A-Z0-9_]*=\S* )*(?:\.{0,2}\/)?[a-z][\w./@-]*(?: |$)/
const COMMENT = /^(?:#|\/\/|REM )/
/** Columns, as in a list of commands with what each does, or in a tree of folders. */
const COLUMNS = /\S {2,}(?!#)\S|^\s+\S/
/** A line that goes on behind its end. */
const GOES_ON = '\\'
/** A longer line is a text rather than a command. */
const CHARS_MAX = 240
/** Commands of one stretch of code that are looked at. */
const COMMANDS_MAX = 40

/** The commands for a shell in code, under the language that is named with it; none where it holds anything else. */
export function commandsOf(code: string, language = ''): string[] {
  if (language !== '' && !SHELLS.test(language)) return []
  const lines = code.split('\n').filter((line) => line.trim() !== '')
  const commands = joined(lines)
    .filter((line) => !COMMENT.test(line))
    .map((line) => line.replace(PROMPT, ''))
  const isList = commands.every((line) => COMMAND.test(line) && line.length <= CHARS_MAX)
  return isList && (language !== '' || !lines.some((line) => COLUMNS.test(line))) ? commands.slice(0, COMMANDS_MAX) : []
}

/** The lines, each with those that it goes on over. */
function joined(lines: readonly string[]): string[] {
  const told: string[] = []
  let begun = ''
  for (const line of lines) {
    begun += withoutEnd(line.trim(), GOES_ON)
    if (line.trim().endsWith(GOES_ON)) continue
    told.push(oneLine(begun))
    begun = ''
  }
  return begun === '' ? told : [...told, oneLine(begun)]
}
