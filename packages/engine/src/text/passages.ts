import { isHighSurrogate } from './characters.ts'
import { pattern } from './words.ts'

/** A part of a long text with the headings above it. */
export interface Passage {
  /** Start offset in the text. The next field is the end offset. */
  readonly from: number
  readonly to: number
  /** Headings, outermost first, including one that the passage begins with. */
  readonly headings: readonly string[]
}

/** Analysis steps for long texts that can be disabled: passages, and the turns of a transcript. */
export const ANALYSIS_STEPS = ['passages', 'turns'] as const

export type AnalysisStep = (typeof ANALYSIS_STEPS)[number]

/** Maximum length of a text that is one passage, in characters. Most long messages are shorter. */
export const WHOLE_CHARS_MAX = 8_000
/** Target characters of a passage, about three hundred English words, up to the paragraph's end. */
const PASSAGE_CHARS = 1_800

/** Maximum length of a text that is one passage, and target length of passages, in characters. */
export interface PassageSizes {
  readonly wholeCharsMax: number
  readonly chars: number
}

/** Sizes of passages for ranking by words. */
const RANKING_SIZES: PassageSizes = { wholeCharsMax: WHOLE_CHARS_MAX, chars: PASSAGE_CHARS }
/** Sizes of passages for the encoder. A passage has one topic, and most fit into the encoder's 256 tokens. */
export const ENCODER_SIZES: PassageSizes = { wholeCharsMax: 1_000, chars: 600 }
/** Minimum length in characters of a passage that ends before a heading. Shorter sections are combined. */
const SECTION_CHARS_MIN = 500
/** Maximum length of a passage. A longer paragraph is cut at the end of a sentence. */
const PASSAGE_CHARS_MAX = 3_600
/** Minimum length in characters of a speaker's turn that becomes a separate passage. */
const LONG_TURN_CHARS = 600
/** Maximum number of passages of a text. Longer texts have longer passages. */
const PASSAGES_MAX = 400
const HEADING_CHARS_MAX = 120
const LEVELS_MAX = 6
/** Level of a heading without markup: a single line that is not a sentence. It is below all marked headings. */
const UNMARKED_LEVEL = LEVELS_MAX + 1
const MARKED = /^ {0,3}(#{1,6})[ \t]+(\S.*)$/
const UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/
const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/
const SENTENCE_LIKE = /[.!?,;:。！？、，…]["”’)\]]?$/u
const SENTENCE_END = /[.!?…]["”’)\]]?\s|[。！？]|\n/gu

interface PassageLine {
  from: number
  to: number
  text: string
}

/** Returns the passages of a long text; empty for a text that is one passage. `without` names disabled steps. */
export function passagesOf(text: string, without: readonly AnalysisStep[] = [], sizes = RANKING_SIZES): Passage[] {
  if (text.length <= sizes.wholeCharsMax || without.includes('passages')) return []
  const target = Math.max(sizes.chars, Math.ceil(text.length / PASSAGES_MAX))
  const scale = target / PASSAGE_CHARS
  const passages: Passage[] = []
  const open: { level: number; heading: string }[] = []
  let headingPath: string[] = []
  let from = 0
  let isAfterLong = false
  const end = (to: number) => {
    if (to <= from) return
    for (const [start, stop] of cutLong(text, from, to, target, PASSAGE_CHARS_MAX * scale))
      passages.push({ from: start, to: stop, headings: headingPath })
    from = to
    headingPath = open.map((each) => each.heading)
  }
  for (const block of blocksOf(text, without.includes('turns') ? [] : turnsOf(text))) {
    const { heading, turn } = block
    if (turn !== undefined) {
      const isLong = turn >= LONG_TURN_CHARS * scale
      // A heading inside one turn does not apply to the next turn.
      open.length = 0
      if (isLong || isAfterLong) end(block.from)
      isAfterLong = isLong
    }
    while (heading && open.length > 0 && open.at(-1)!.level >= heading.level) open.pop()
    if (block.from - from >= (heading ? SECTION_CHARS_MIN * scale : target)) end(block.from)
    if (!heading) continue
    open.push({ level: heading.level, heading: heading.text })
    if (block.from === from) headingPath = open.map((each) => each.heading)
  }
  end(text.length)
  return passages
}

interface Block {
  from: number
  heading?: { level: number; text: string } | undefined
  /** Length of the turn that begins here. */
  turn?: number | undefined
}

/** Yields the starts of paragraphs, headings and turns. */
function* blocksOf(text: string, turnList: readonly TextTurn[]): Generator<Block> {
  const lines = [...linesOf(text)]
  const turns = new Map(turnList.map(({ at, length }) => [at, length]))
  /** Opening fence of the code block at this line. */
  let fence: string | undefined
  for (const [at, line] of lines.entries()) {
    fence = fenceAfter(line.text, fence)
    const turn = turns.get(line.from)
    if (turn !== undefined) {
      fence = undefined
      yield { from: line.from, turn }
    }
    if (turn !== undefined || fence !== undefined || line.text.trim() === '') continue
    const heading = headingOf(line, lines[at - 1]?.text, lines[at + 1]?.text)
    if (heading || isBlank(lines[at - 1]?.text)) yield { from: line.from, heading }
  }
}

/**
 * Returns the opening fence that applies after a line; undefined outside code. A closing fence has no text and is at
 * least as long as the opening one.
 */
function fenceAfter(line: string, open: string | undefined): string | undefined {
  const [, mark, rest = ''] = FENCE.exec(line) ?? []
  if (mark === undefined) return open
  if (open === undefined) return mark
  return mark.startsWith(open) && rest.trim() === '' ? undefined : open
}

function isBlank(line: string | undefined): boolean {
  return line === undefined || line.trim() === ''
}

/**
 * Returns the heading at a line. A heading has leading `#` characters or an underline, or is a short single line that
 * is not a sentence.
 */
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

/** Cuts long passages at ends of sentences, or anywhere if there are none. */
function* cutLong(
  text: string,
  from: number,
  to: number,
  target: number,
  charsMax: number,
): Generator<readonly [number, number]> {
  let start = from
  while (to - start > charsMax) {
    const part = text.slice(start, start + charsMax)
    let cut = 0
    for (const match of part.matchAll(SENTENCE_END)) {
      cut = match.index + match[0].length
      if (cut >= target) break
    }
    if (cut < target / 2) cut = part.lastIndexOf(' ') + 1 || charsMax
    cut = Math.floor(cut)
    // Does not cut inside a surrogate pair.
    if (isHighSurrogate(text.charCodeAt(start + cut - 1))) cut += 1
    yield [start, start + cut]
    start += cut
  }
  if (to > start) yield [start, to]
}

interface TextTurn {
  /** Start offset of its line. */
  readonly at: number
  /** Number of characters until the next turn. */
  readonly length: number
}

/** Matches a speaker at a line's start: "Ana: …", "**User:** …", "[10:32] Speaker 2: …", "Ana Lima (10:32): …". */
const SPOKEN = pattern(
  'iu',
  '^ {0,3}(?:[[(]?[\\d/., -]{0,14}\\d:\\d\\d(?::\\d\\d)?(?: ?[ap]m)?[\\])]?[ -]{1,3})?[*_]{0,2}',
  "(\\p{L}[\\p{L}\\p{N} .'’_-]{0,38})[*_]{0,2}(?: ?[[(][^\\])]{1,24}[\\])])?[*_]{0,2}:",
)
/** Number of characters of a line that are searched for a speaker. */
const LABEL_CHARS_MAX = 100
/** Minimum number of speakers with repeated turns in a transcript. */
const SPEAKERS_MIN = 2
/** Minimum distance between two turns of a speaker, as a share of the text. Labels of a list are closer together. */
const SPREAD_MIN = 1 / 3

/** Returns the turns of a transcript with speakers at the beginning of lines; empty for any other text. */
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
  return turns.map(({ at }, index) => ({ at, length: (turns[index + 1]?.at ?? text.length) - at }))
}

/** Returns the lines that begin with a label, with the label in lower case. */
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
