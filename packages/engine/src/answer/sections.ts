import type { Block } from '../text/block.ts'
import { plainLine } from '../text/clean-text.ts'
import { isOtherTime, type Question } from '../understand/question.ts'
import type { Material, ScoredCandidate } from './candidates.ts'
import { nameWords } from './names.ts'
import type { SelectedPassage } from './select.ts'
import type { Statement } from './statement.ts'
import { countWords } from './traits.ts'

/** A list, a table or a code block, with the heading or line that introduces it. */
export interface Section {
  readonly record: number
  readonly kind: 'item' | 'row' | 'code'
  readonly blocks: readonly Block[]
  /** The line before it if that line ends in a colon, otherwise its heading. */
  readonly head: string
  /** True if it directly follows that line or heading. */
  readonly isIntroduced: boolean
  /** UTF-16 offsets into the record's text of the introducing line and the section. */
  readonly start: number
  readonly end: number
}

/** Kinds of questions that a list may answer. */
const LISTED: ReadonlySet<Question['kind']> = new Set(['who', 'fact', 'overview', 'open', 'status'])
const COLON = /[:：]\s*$/u
/** Matches the last sentence of a line that introduces a section. */
const LAST_SENTENCE = /(?:.*[.!?]\s)?(.*)$/su
/** Maximum length, in words, of a section that is shown whole. */
const WORDS_MAX = 195

/** Weighted coverage of the question's terms. */
export interface Weighing {
  /** Returns the total weight of the terms that satisfy a condition. */
  weightOf(isHeld: (term: string) => boolean): number
  /** Returns the terms of a section's title, headings and introducing line. */
  headsOf(section: Section): ReadonlySet<string>
  /** Statements of texts, best coverage first. */
  readonly statements: readonly ScoredCandidate[]
}

/** Computes the weights of a question's terms for comparing headings with statements. */
export function createWeighing(
  { terms }: Question,
  scored: readonly ScoredCandidate[],
  { records, termsOf }: Material,
): Weighing {
  const known = new Map(scored.flatMap(({ carries }) => carries))
  // A term that no statement contains gets the weight of the rarest term that a statement contains.
  const most = known.size === 0 ? 1 : Math.max(...known.values())
  return {
    weightOf: (isHeld) => terms.reduce((sum, term) => sum + (isHeld(term) ? (known.get(term) ?? most) : 0), 0),
    headsOf: ({ record, blocks, head }) =>
      new Set([plainLine(records[record]!.title ?? ''), ...blocks[0]!.path, head].flatMap(termsOf)),
    statements: scored.filter(({ block }) => block >= 0).sort((one, other) => other.cover - one.cover),
  }
}

/**
 * Returns the section whose headings cover more of the question than any statement does. If a statement covers as much,
 * the section wins in three cases: the question contains its heading; it has open tasks and the question asks for them;
 * or it is code and the question asks how to do something.
 */
export function wholeSection(
  question: Question,
  { weightOf, headsOf, statements }: Weighing,
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
    // The terms of the title do not count, because every statement of the record has the same title.
    const title = new Set(termsOf(plainLine(records[record]!.title ?? '')))
    const rivals = statements.filter((each) => !isIn(each, section) || each.start >= blocks[0]!.start)
    const rival = Math.max(
      rivals[0]?.cover ?? 0,
      ...rivals
        .filter((each) => each.record === record)
        .map(({ terms }) => weightOf((term) => terms.has(term) || title.has(term))),
    )
    const isNamed = () =>
      kind === 'code' ||
      (isOpen && blocks.some(({ checked }) => checked === false)) ||
      (section.isIntroduced && asked.includes(` ${nameWords(head).join(' ')} `))
    if (cover === 0 || cover < rival || (cover === rival && !isNamed())) continue
    const terms = termsOf(head)
    const own = terms.filter((term) => question.terms.includes(term)).length / Math.max(1, terms.length)
    if (!best || cover > best.cover || (cover === best.cover && own > best.own)) best = { section, cover, own }
  }
  return best && toPassage(best.section, material, isOpen)
}

/** Converts a section to a passage. Omits completed tasks if the question asks for open ones. */
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

/** Returns true for a statement in a section or in its introducing line. */
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
        isIntroduced: isIntroduced || before?.kind === 'heading',
        start: isIntroduced ? before!.start : start,
        end: own.at(-1)!.end,
      })
    }
    return sections
  })
}
