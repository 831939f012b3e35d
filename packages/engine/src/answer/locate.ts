import type { RecordContent } from '../resolve/record-content.ts'
import { type Block, blocksOf } from '../text/block.ts'
import { readSentences, type Sentence } from '../text/sentences.ts'

/** A span of a record's text, as UTF-16 offsets, with its location in the document. */
export interface TextSpan {
  readonly start: number
  readonly end: number
  /** Locator that the record declares, otherwise the headings above the span: `#limits/retries`. */
  readonly locator?: string
}

/** Fields of a record that are needed to locate a span. */
export type LocatableContent = Pick<RecordContent, 'blocks' | 'locators' | 'text' | 'title'>

/** Maximum number of blocks that are examined for one statement: those that share most words with it. */
const BLOCKS_MAX = 16
/** Matches the fenced code in a statement. */
const FENCED = /(`{3,})[^\n]*\n([\s\S]*)\n\1$/
/** Minimum share of a sentence's words in a paraphrased statement, for the sentence to count as its source. */
const SHARED_MIN = 0.6
const SHARED_WORDS_MIN = 3
const WORDS = /[\p{L}\p{M}\p{N}]+/gu

/**
 * Returns the spans of the record's text that a statement was taken from, in text order. These are its code, or each
 * sentence that it contains verbatim, or else the sentence that shares most words with it. Returns none if the
 * statement was rendered from something else, such as fields.
 */
export function locate(statement: string, content: LocatableContent): TextSpan[] {
  const { text } = content
  if (!text) return []
  const blocks = blocksOf(text, content.blocks)
  const withLocator = ({ start, end }: TextSpan): TextSpan => {
    const locator = locatorAt(content, blocks, start)
    return { start, end, ...(locator !== undefined && { locator }) }
  }
  const code = FENCED.exec(statement)?.[2] ?? ''
  const start = code === '' ? -1 : text.indexOf(code)
  if (start >= 0) return [withLocator({ start, end: start + code.length })]
  const words = wordsOf(statement)
  const known = new Set(words)
  const searched = new Set(mostSimilar(blocks, text, known))
  const sentences = readSentences(text, { keepsCode: true, blocks: blocks.filter((block) => searched.has(block)) })
  const line = ` ${words.join(' ')} `
  const whole = sentences.filter(({ text: said }) => said !== '' && line.includes(` ${wordsOf(said).join(' ')} `))
  const found = whole.length > 0 ? withoutParts(whole) : closest(sentences, known)
  return found.map(withLocator)
}

/** Adds locators to spans of a record's text. */
export function locatorsIn(
  content: LocatableContent,
  spans: readonly { readonly start: number; readonly end: number }[],
): TextSpan[] {
  const { text = '', blocks } = content
  const read = content.locators ? [] : blocksOf(text, blocks)
  return spans.map(({ start, end }) => {
    const locator = locatorAt(content, read, start)
    return { start, end, ...(locator !== undefined && { locator }) }
  })
}

/** Number of characters of a passage's beginning that are searched in the text. */
const PREFIX_CHARS = 40
const HAS_HEADING = /(?:^| )h/

/** Returns the locator of a passage, if its beginning occurs verbatim in the record's text. */
export function locatorOf(passage: string, content: LocatableContent): string | undefined {
  const { text, blocks, locators } = content
  if (!text || (!locators && !HAS_HEADING.test(blocks ?? ''))) return undefined
  const at = text.indexOf(passage.slice(0, PREFIX_CHARS))
  return at < 0 || passage === '' ? undefined : locatorAt(content, locators ? [] : blocksOf(text, blocks), at)
}

/** Returns the locator of an offset in the text. */
function locatorAt({ locators, title }: LocatableContent, blocks: readonly Block[], at: number): string | undefined {
  const declared = locators?.findLast(({ start }) => start <= at)?.locator
  if (declared !== undefined) return declared
  const path = blocks.find(({ start, end }) => start <= at && at < end)?.path ?? []
  const below = path[0]?.toLowerCase() === title?.trim().toLowerCase() ? path.slice(1) : path
  const slugs = below.map((heading) => wordsOf(heading).join('-')).filter((slug) => slug !== '')
  return slugs.length > 0 ? `#${slugs.join('/')}` : undefined
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(WORDS) ?? []
}

/** Returns the blocks that share words with a statement, most shared words first. */
function mostSimilar(blocks: readonly Block[], text: string, known: ReadonlySet<string>): Block[] {
  const shared = blocks.flatMap((block) => {
    if (block.kind === 'heading') return []
    const count = new Set(wordsOf(text.slice(block.start, block.end)).filter((word) => known.has(word))).size
    return count > 0 ? [{ block, count }] : []
  })
  shared.sort((one, other) => other.count - one.count)
  return shared.slice(0, BLOCKS_MAX).map(({ block }) => block)
}

/** Removes short sentences that a longer found sentence contains. */
function withoutParts(sentences: readonly Sentence[]): readonly Sentence[] {
  const lines = sentences.map(({ text }) => ` ${wordsOf(text).join(' ')} `)
  const long = lines.filter((_, at) => wordsOf(sentences[at]!.text).length >= SHARED_WORDS_MIN)
  if (long.length === 0) return sentences.slice(0, 1)
  return sentences.filter((_, at) => long.includes(lines[at]!) || !long.some((line) => line.includes(lines[at]!)))
}

function closest(sentences: readonly Sentence[], known: ReadonlySet<string>): readonly Sentence[] {
  let best: { sentence: Sentence; share: number } | undefined
  for (const sentence of sentences) {
    const words = new Set(wordsOf(sentence.text))
    const shared = [...words].filter((word) => known.has(word)).length
    const share = shared / Math.min(words.size, known.size)
    if (shared < SHARED_WORDS_MIN || share < SHARED_MIN || (best && best.share >= share)) continue
    best = { sentence, share }
  }
  return best ? [best.sentence] : []
}
