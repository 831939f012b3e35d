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
import {
  beginsWithDigit,
  beginsWithLowerCase,
  hasLetterOrNumber,
  isHighSurrogate,
  oneLine,
  withoutEnd,
} from './characters.ts'
import { type PlainBlock, type PlainBlockOptions, plainBlocks } from './plain-blocks.ts'
import { pattern } from './words.ts'

/** A cleaned sentence of a record with its position. */
export interface Sentence {
  text: string
  /** Index among the sentences of its record. */
  position: number
  /** Index among the sentences under its heading. */
  inSection: number
  kind: PlainBlock['kind']
  /** State of a task list item's checkbox. */
  done?: boolean
  /** Nearest heading above it. */
  heading?: string
  /** Label of its section: the one that its block begins with, otherwise the heading above. */
  label?: string
  /** Index of its block in the text. */
  block: number
  /** UTF-16 offsets of its source in the text. */
  start: number
  end: number
}

// Sentence terminators of Latin, Greek, Arabic, Devanagari, Armenian, Ethiopic, Burmese and CJK scripts. A match begins
// at the first terminator of a run only, so that a line of periods takes linear time.
const TERMINATOR = /(?<![.!?…؟۔।॥։።၊။])[.!?…؟۔।॥։።၊။]+["'”’»)\]]*(?=\s|$)|[。！？｡]+[」』”’）]*/gu
// German ordinals: "zwischen dem 2. und 3. Stock", "im 4. Quartal".
const GERMAN_ORDINAL = new RegExp(`\\b${anyOf(BEFORE_ORDINALS)}\\s+\\d{1,2}$`)
const MONTH_START = new RegExp(`^${anyOf(MONTH_STARTS)}`)
const CLAUSE_OPENING = new RegExp(`^${anyOf(CLAUSE_OPENINGS)}\\b`)
/** Marks that end a sentence without a following space. */
const WIDE_ENDS = '。！？｡'
/** Number of characters that are examined before and after the end of a sentence. */
const LOOK_CHARS = 24
// Maximum length of a sentence. Longer text is a list or a log and is cut at its own separators.
const SENTENCE_CHARS_MAX = 600
const GREETING = pattern('iu', `^${anyOf(GREETINGS)}(?![\\p{L}\\p{N}])[^.!?\\n,:;–—-]{0,40}[,!.:;–—-]+\\s*`)
const FILLER = pattern('iu', `^(?:\\+1|${anyOf(FILLERS)}|${anyOf(THANKS)}(?: \\p{L}+)?)(?:\\s*[,!:;–—]+|\\.+)\\s*`)
const FAREWELL = pattern('iu', `^(?:\\+1|${anyOf(FAREWELLS)})\\b.{0,60}$`)
/** Matches the end of a statement: the end of a sentence or line, or a semicolon. */
export const STATEMENT_END = /[.!?…;\n]/

/** Returns the sentences of a text without greetings and markup. Shell commands are included if `keepsCode` is set. */
export function readSentences(text: string, options: PlainBlockOptions = {}): Sentence[] {
  const sentences: Sentence[] = []
  let heading: string | undefined
  let sectionFrom = 0
  let isGreeted = false
  for (const [at, block] of plainBlocks(text, options).entries()) {
    if (block.kind === 'heading') {
      heading = block.text.replace(/[:.]$/, '')
      sectionFrom = sentences.length
      continue
    }
    const label = block.label ?? heading
    const isCode = block.kind === 'code'
    let from = 0
    for (const piece of isCode ? commandsOf(block.text, block.lang) : splitRegions(block.text)) {
      const found = block.text.indexOf(piece, from)
      // A sentence combined from list items has the span of the whole block.
      const span = found < 0 ? block.spanOf(0, block.text.length) : block.spanOf(found, found + piece.length)
      if (found >= 0) from = found + piece.length
      const plain = isCode ? `\`${piece}\`` : withoutGreeting(piece)
      if (plain === undefined) {
        isGreeted ||= sentences.length === 0
        continue
      }
      // After a salutation on a separate line, German continues in lower case.
      const text = isGreeted && sentences.length === 0 ? capitalised(plain) : plain
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

/**
 * Splits a block into sentences. A numbered list in running text stays one sentence, because its items depend on its
 * introduction.
 */
function splitRegions(text: string): string[] {
  const sentences = splitBlock(text)
  const items = unnumbered(sentences)
  if (!items) return sentences
  const list = `${items.map((item) => item.replace(/[.;,]$/, '')).join('; ')}.`
  return list.length <= SENTENCE_CHARS_MAX ? [list] : items
}

/** Returns the sentences of a text in order as plain texts. */
export function splitSentences(text: string): string[] {
  return readSentences(text).map((sentence) => sentence.text)
}

/** Splits running text after ends of sentences, but not after abbreviations, initials and ordinals. */
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
  // A sentence continues if the next word is in lower case, except after "!" or "?" that does not end a name ("Who Won?
  // is").
  if (beginsWithLowerCase(next))
    return (mark.includes('!') || mark.includes('?')) && !CLAUSE_OPENING.test(next) && !endsName(text.slice(0, at))
  if (/^[,;:)]/.test(next)) return false
  if (!mark.startsWith('.') || mark.startsWith('..')) return true
  const before = text.slice(Math.max(0, at - LOOK_CHARS), at)
  const word = /[\p{L}\p{M}.]*$/u.exec(before)?.[0] ?? ''
  if (/^(?:\p{L}\.)*\p{L}$/u.test(word)) return false
  const bare = word.replaceAll('.', '').toLowerCase()
  if (ABBREVIATIONS.has(bare)) return false
  if (NUMBER_ABBREVIATIONS.has(bare) && beginsWithDigit(next)) return false
  // "am 12. Juni" and "1. Liga" are ordinals. A year or a larger number ends a sentence.
  return !(/(^|\s)\d{1,2}$/.test(before) && (MONTH_START.test(next) || GERMAN_ORDINAL.test(before)))
}

/** Returns true if a text ends with several capitalized words, as in the title of a film. */
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

/** Returns the length of a text, minus one if it ends with half a surrogate pair. */
function wholeChars(text: string): number {
  return isHighSurrogate(text.charCodeAt(text.length - 1)) ? text.length - 1 : text.length
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

/** Returns the items of a list in running text ("1 check the index. 2 …") without numbers; undefined for no list. */
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

/** Matches code languages in which each line is a command. */
const SHELLS = /^(?:sh|bash|zsh|shell|console|terminal|shell-session|cmd|powershell|ps1|bat)$/i
const PROMPT = /^(?:\$|>|PS>|%)\s+/
/** Matches a command with optional variable assignments: "CAIRN_DATA=./x cairn restore". */
const COMMAND = /^(?:[A-Z_][A-Z0-9_]*=\S* )*(?:\.{0,2}\/)?[a-z][\w./@-]*(?: |$)/
const COMMENT = /^(?:#|\/\/|REM )/
/** Matches columns, as in a list of commands with descriptions, or in a tree of folders. */
const COLUMNS = /\S {2,}(?!#)\S|^\s+\S/
/** Line continuation character. */
const GOES_ON = '\\'
/** Maximum length of a command in characters. */
const CHARS_MAX = 240
/** Maximum number of commands of a code block. */
const COMMANDS_MAX = 40

/** Returns the shell commands in code; none if it contains anything else. `language` is that of its fence, if any. */
export function commandsOf(code: string, language = ''): string[] {
  if (language !== '' && !SHELLS.test(language)) return []
  const lines = code.split('\n').filter((line) => line.trim() !== '')
  const commands = joined(lines)
    .filter((line) => !COMMENT.test(line))
    .map((line) => line.replace(PROMPT, ''))
  const isList = commands.every((line) => COMMAND.test(line) && line.length <= CHARS_MAX)
  return isList && (language !== '' || !lines.some((line) => COLUMNS.test(line))) ? commands.slice(0, COMMANDS_MAX) : []
}

/** Joins lines that end with a line continuation. */
function joined(lines: readonly string[]): string[] {
  const parts: string[] = []
  let begun = ''
  for (const line of lines) {
    begun += withoutEnd(line.trim(), GOES_ON)
    if (line.trim().endsWith(GOES_ON)) continue
    parts.push(oneLine(begun))
    begun = ''
  }
  return begun === '' ? parts : [...parts, oneLine(begun)]
}
