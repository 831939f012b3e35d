import { isFirstOfPair } from './signs.ts'
import { pattern } from './words.ts'

/** A stretch of a long text, with the headings that stand over it. */
export interface Passage {
  /** Where it begins and ends in the text. */
  readonly from: number
  readonly to: number
  /** From the outermost to the innermost; one with which the passage begins is among them. */
  readonly headings: readonly string[]
}

/** How a long text is read that can be left out: by passages, and a talk by its turns. */
export const READING_NAMES = ['passages', 'turns'] as const

export type ReadingName = (typeof READING_NAMES)[number]

/** A text up to this length is one passage: what people call a long message is still read as a whole. */
export const WHOLE_CHARS_MAX = 8_000
/** Passages end at the first paragraph's end after so many characters, some three hundred words of English. */
const PASSAGE_CHARS = 1_800

/** How long a text is one passage, and how long passages are. */
export interface PassageSizes {
  readonly wholeCharsMax: number
  readonly chars: number
}

/** The sizes of passages in which texts are ranked by their words. */
const RANKED: PassageSizes = { wholeCharsMax: WHOLE_CHARS_MAX, chars: PASSAGE_CHARS }
/**
 * The sizes of passages that the reader is given: a passage says one thing, and most fit into the 256 tokens that it
 * reads at once.
 */
export const READ_AT_ONCE: PassageSizes = { wholeCharsMax: 1_000, chars: 600 }
/** A heading ends a passage of at least this length, so that short sections stay together. */
const SECTION_CHARS_MIN = 500
/** A paragraph that would make a passage longer than this is cut at a sentence's end. */
const PASSAGE_CHARS_MAX = 3_600
/**
 * A turn of a talk with this many characters is a passage of its own, so that short turns are not lost in long ones.
 */
const LONG_TURN_CHARS = 600
/** Passages of one text; those of a longer one are longer. */
const PASSAGES_MAX = 400
const HEADING_CHARS_MAX = 120
const LEVELS_MAX = 6
/** A line by itself that is no sentence is a heading below all that are marked as such. */
const UNMARKED_LEVEL = LEVELS_MAX + 1
const MARKED = /^ {0,3}(#{1,6})[ \t]+(\S.*)$/
const UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/
const FENCE = /^ {0,3}(?:```|~~~)/
const SENTENCE_LIKE = /[.!?,;:。！？、，…]["”’)\]]?$/u
const CUT_BEHIND = /[.!?…]["”’)\]]?\s|[。！？]|\n/gu

interface PassageLine {
  from: number
  to: number
  text: string
}

/**
 * The passages of a long text, in order and without gaps; none of a text that is read as a whole. `without` names what
 * of this is left out, to see what it is worth.
 */
export function passagesOf(text: string, without: readonly ReadingName[] = [], sizes = RANKED): Passage[] {
  if (text.length <= sizes.wholeCharsMax || without.includes('passages')) return []
  const target = Math.max(sizes.chars, Math.ceil(text.length / PASSAGES_MAX))
  const scale = target / PASSAGE_CHARS
  const passages: Passage[] = []
  const open: { level: number; heading: string }[] = []
  let over: string[] = []
  let from = 0
  let isAfterLong = false
  const end = (to: number) => {
    if (to <= from) return
    for (const [start, stop] of cutLong(text, from, to, target, PASSAGE_CHARS_MAX * scale))
      passages.push({ from: start, to: stop, headings: over })
    from = to
    over = open.map((each) => each.heading)
  }
  for (const block of blocksOf(text, without.includes('turns') ? [] : turnsOf(text))) {
    const { heading, turn } = block
    if (turn !== undefined) {
      const isLong = turn >= LONG_TURN_CHARS * scale
      // What somebody puts over a part of an answer does not stand over what is said next.
      open.length = 0
      if (isLong || isAfterLong) end(block.from)
      isAfterLong = isLong
    }
    while (heading && open.length > 0 && open.at(-1)!.level >= heading.level) open.pop()
    if (block.from - from >= (heading ? SECTION_CHARS_MIN * scale : target)) end(block.from)
    if (!heading) continue
    open.push({ level: heading.level, heading: heading.text })
    if (block.from === from) over = open.map((each) => each.heading)
  }
  end(text.length)
  return passages
}

interface Block {
  from: number
  heading?: { level: number; text: string } | undefined
  /** How long the turn is that begins here. */
  turn?: number | undefined
}

/** Where paragraphs, headings and the turns of a talk begin. */
function* blocksOf(text: string, said: readonly TextTurn[]): Generator<Block> {
  const lines = [...linesOf(text)]
  const turns = new Map(said.map(({ at, length }) => [at, length]))
  let isFenced = false
  for (const [at, line] of lines.entries()) {
    if (FENCE.test(line.text)) isFenced = !isFenced
    const turn = turns.get(line.from)
    if (turn !== undefined) {
      isFenced = false
      yield { from: line.from, turn }
    }
    if (turn !== undefined || isFenced || line.text.trim() === '') continue
    const heading = headingOf(line, lines[at - 1]?.text, lines[at + 1]?.text)
    if (heading || isBlank(lines[at - 1]?.text)) yield { from: line.from, heading }
  }
}

function isBlank(line: string | undefined): boolean {
  return line === undefined || line.trim() === ''
}

/** Marked by signs before it or by a line under it; or a short line by itself that is no sentence. */
function headingOf({ text }: PassageLine, before: string | undefined, after: string | undefined): Block['heading'] {
  const marked = MARKED.exec(text.slice(0, HEADING_CHARS_MAX))
  if (marked) return { level: marked[1]!.length, text: plain(marked[2]!) }
  const line = text.trim()
  if (!isBlank(before) || isListed(line) || line.length > HEADING_CHARS_MAX) return undefined
  const underline = UNDERLINE.exec(after ?? '')?.[1]
  if (underline) return { level: underline.startsWith('=') ? 1 : 2, text: plain(line) }
  const isAlone = isBlank(after) && line.length <= HEADING_CHARS_MAX / 2
  return isAlone && !SENTENCE_LIKE.test(line) ? { level: UNMARKED_LEVEL, text: plain(line) } : undefined
}

function isListed(text: string): boolean {
  return /^\s*[-*+>|]/.test(text)
}

function plain(heading: string): string {
  return heading
    .replace(/[ \t]+#+[ \t]*$/, '')
    .trim()
    .slice(0, HEADING_CHARS_MAX)
}

function* linesOf(text: string): Generator<PassageLine> {
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf('\n', from)
    const to = end === -1 ? text.length : end + 1
    yield { from, to, text: text.slice(from, end === -1 ? to : end) }
    from = to
  }
}

/** Cuts what is too long at ends of sentences, or anywhere where there are none. */
function* cutLong(
  text: string,
  from: number,
  to: number,
  target: number,
  charsMax: number,
): Generator<readonly [number, number]> {
  let start = from
  while (to - start > charsMax) {
    const stretch = text.slice(start, start + charsMax)
    let cut = 0
    for (const match of stretch.matchAll(CUT_BEHIND)) {
      cut = match.index + match[0].length
      if (cut >= target) break
    }
    if (cut < target / 2) cut = stretch.lastIndexOf(' ') + 1 || charsMax
    cut = Math.floor(cut)
    // Half of a surrogate pair is no character.
    if (isFirstOfPair(text.charCodeAt(start + cut - 1))) cut += 1
    yield [start, start + cut]
    start += cut
  }
  if (to > start) yield [start, to]
}

/** A turn of a talk that is written down in one text. */
interface TextTurn {
  /** Where its line begins. */
  readonly at: number
  /** Characters until the next turn begins. */
  readonly length: number
}

/** A line that begins with who speaks: "Ana: …", "**User:** …", "[10:32] Speaker 2: …", "Ana Lima (10:32): …". */
const SPOKEN = pattern(
  'iu',
  '^ {0,3}(?:[[(]?[\\d/., -]{0,14}\\d:\\d\\d(?::\\d\\d)?(?: ?[ap]m)?[\\])]?[ -]{1,3})?[*_]{0,2}',
  "(\\p{L}[\\p{L}\\p{N} .'’_-]{0,38})[*_]{0,2}(?: ?[[(][^\\])]{1,24}[\\])])?[*_]{0,2}:",
)
/** Characters of a line that are looked at for a speaker. */
const LABEL_CHARS_MAX = 100
/** People who speak again, without which a text is no talk. */
const SPEAKERS_MIN = 2
/** The share of a text over which somebody speaks who is part of the talk; labels of a list stand close together. */
const SPREAD_MIN = 1 / 3

/** The turns of a talk that is written down with who speaks at the beginning of lines; none of any other text. */
export function turnsOf(text: string): TextTurn[] {
  const spoken = labelsOf(text)
  const [first] = spoken
  if (first === undefined || text.slice(0, first.at).trim() !== '') return []
  const since = new Map<string, number>()
  const speakers = new Set<string>()
  for (const { at, label } of spoken) {
    if (!since.has(label)) since.set(label, at)
    else if (at - since.get(label)! >= text.length * SPREAD_MIN) speakers.add(label)
  }
  if (speakers.size < SPEAKERS_MIN) return []
  const turns = spoken.filter(({ label }) => speakers.has(label))
  return turns.map(({ at }, place) => ({ at, length: (turns[place + 1]?.at ?? text.length) - at }))
}

/** The lines that begin with a label, in small letters. */
function labelsOf(text: string): { at: number; label: string }[] {
  const found: { at: number; label: string }[] = []
  for (let at = 0; at < text.length; ) {
    const label = SPOKEN.exec(text.slice(at, at + LABEL_CHARS_MAX))?.[1]
    if (label !== undefined) found.push({ at, label: label.toLowerCase() })
    const end = text.indexOf('\n', at)
    at = end < 0 ? text.length : end + 1
  }
  return found
}
