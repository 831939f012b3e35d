import type { Block } from '../text/block.ts'
import { plainLine } from '../text/clean-text.ts'
import { isOtherTime, type Question } from '../understand/question.ts'
import type { Material, ScoredCandidate } from './candidates.ts'
import { countWords } from './expand.ts'
import { nameWords } from './names.ts'
import type { SelectedPassage } from './select.ts'
import type { Statement } from './statement.ts'

/** A list, the rows of a table or a code block, with what stands over it. */
export interface Section {
  readonly record: number
  readonly kind: 'item' | 'row' | 'code'
  readonly blocks: readonly Block[]
  /** What introduces it: the line before it that ends in a colon, else its heading. */
  readonly head: string
  /** Whether it directly follows that line or heading. */
  readonly isLed: boolean
  /** UTF-16 offsets into the record's text of the introducing line and the section. */
  readonly start: number
  readonly end: number
}

/** Kinds of questions that a list may answer: those for things, people and how something is done. */
const LISTED: ReadonlySet<Question['kind']> = new Set(['who', 'fact', 'overview', 'open', 'status'])
const COLON = /[:：]\s*$/u
/** The last sentence of a line that introduces what follows. */
const LAST_SENTENCE = /(?:.*[.!?]\s)?(.*)$/su
/** A longer section is shown by the statements that answer. */
const WORDS_MAX = 195

/** How much of a question texts contain, by the weights of its terms, and the statements of texts, best cover first. */
export interface Weighing {
  weightOf(isHeld: (term: string) => boolean): number
  /** Returns the terms of what stands over a section: its record's title, the headings and what introduces it. */
  headsOf(section: Section): ReadonlySet<string>
  readonly said: readonly ScoredCandidate[]
}

/** Opens the comparison of what stands over sections with what statements say. */
export function openWeighing(
  { terms }: Question,
  scored: readonly ScoredCandidate[],
  { records, termsOf }: Material,
): Weighing {
  const known = new Map(scored.flatMap(({ carries }) => carries))
  // A term that no statement contains weighs as much as the rarest one that a statement contains.
  const most = known.size === 0 ? 1 : Math.max(...known.values())
  return {
    weightOf: (isHeld) => terms.reduce((sum, term) => sum + (isHeld(term) ? (known.get(term) ?? most) : 0), 0),
    headsOf: ({ record, blocks, head }) =>
      new Set([plainLine(records[record]!.title ?? ''), ...blocks[0]!.path, head].flatMap(termsOf)),
    said: scored.filter(({ block }) => block >= 0).sort((one, other) => other.cover - one.cover),
  }
}

/**
 * Returns the list, the rows or the code over which more of the question stands than any statement says of it. If a
 * statement says as much, a section answers that is called as the question calls it, unticked boxes answer what is
 * open, and code answers how something is done.
 */
export function wholeSection(
  question: Question,
  { weightOf, headsOf, said }: Weighing,
  material: Material,
): SelectedPassage | undefined {
  const { records, termsOf } = material
  const asked = ` ${question.words.map(({ text }) => text).join(' ')} `
  const isOpen = question.kind === 'open' || question.ways.phase === 'open' || question.ways.isOfNow
  let best: { section: Section; cover: number; own: number } | undefined
  for (const section of sectionsOf(material)) {
    const { kind, record, blocks, head } = section
    if (kind === 'code' ? !question.ways.isOfManner : blocks.length < 2 || !LISTED.has(question.kind)) continue
    const { occurredAtMs } = records[record]!
    if (occurredAtMs !== undefined && isOtherTime(question, occurredAtMs)) continue
    const heads = headsOf(section)
    const cover = weightOf((term) => heads.has(term))
    const rival = said.find((each) => !isIn(each, section) || each.start >= blocks[0]!.start)?.cover ?? 0
    const isNamed = () =>
      kind === 'code' ||
      (isOpen && blocks.some(({ checked }) => checked === false)) ||
      (section.isLed && asked.includes(` ${nameWords(head).join(' ')} `))
    if (cover === 0 || cover < rival || (cover === rival && !isNamed())) continue
    const terms = termsOf(head)
    const own = terms.filter((term) => question.terms.includes(term)).length / Math.max(1, terms.length)
    if (!best || cover > best.cover || (cover === best.cover && own > best.own)) best = { section, cover, own }
  }
  return best && toPassage(best.section, material, isOpen)
}

/** Returns a section as a passage, without ticked boxes if the question asks for what is open. */
function toPassage(section: Section, { segmented }: Material, isOpen: boolean): SelectedPassage | undefined {
  const { statements, blocks } = segmented[section.record]!
  const isShown = (statement: Statement) =>
    statement.start >= section.start &&
    statement.end <= section.end &&
    !(isOpen && blocks[statement.block]!.checked === true)
  const own = statements.filter(isShown)
  const [first] = own
  if (!first || own.reduce((sum, { text }) => sum + countWords(text), 0) > WORDS_MAX) return undefined
  return { record: section.record, statements: own, start: first.start, end: own.at(-1)!.end, best: first, p: 1 }
}

/** Returns whether a statement is in a section or in what introduces it. */
export function isIn({ record, start }: Statement, section: Section): boolean {
  return record === section.record && start >= section.start && start < section.end
}

/** Returns the lists, tables and code blocks of the records' texts, in their order. */
export function sectionsOf({ segmented, records }: Material): Section[] {
  return segmented.flatMap(({ text, blocks }, record) => {
    const sections: Section[] = []
    for (let at = 0; at < blocks.length; at += 1) {
      const { kind, path, header, start } = blocks[at]!
      if (kind !== 'item' && kind !== 'row' && kind !== 'code') continue
      const before = blocks[at - 1]
      const own = [blocks[at]!]
      const isSame = (next: Block | undefined) => next?.kind === kind && next.header === header && next.path === path
      while (kind !== 'code' && isSame(blocks[at + 1])) own.push(blocks[++at]!)
      const line = before?.kind === 'paragraph' ? plainLine(text.slice(before.start, before.end)) : ''
      const isIntroduced = COLON.test(line)
      sections.push({
        record,
        kind,
        blocks: own,
        head: isIntroduced
          ? LAST_SENTENCE.exec(line)![1]!.replace(COLON, '')
          : (path.at(-1) ?? plainLine(records[record]!.title ?? '')),
        isLed: isIntroduced || before?.kind === 'heading',
        start: isIntroduced ? before!.start : start,
        end: own.at(-1)!.end,
      })
    }
    return sections
  })
}
