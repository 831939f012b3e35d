import { type Block, cellsOf } from '../text/block.ts'
import { plainLine } from '../text/clean-text.ts'
import { isOtherTime, type Question } from '../understand/question.ts'
import type { BriefRecord, Draft } from './brief.ts'
import type { Material } from './candidates.ts'
import { bracketOf } from './frame.ts'
import { nameWords } from './names.ts'
import type { Scored } from './select.ts'

/** A list, the rows of a table or a stretch of code, with what stands over it. */
export interface Section {
  readonly record: number
  readonly kind: 'item' | 'row' | 'code'
  readonly blocks: readonly Block[]
  /** What introduces it: the line before it that ends in a colon, else its heading. */
  readonly head: string
  /** Whether it follows that directly. */
  readonly isLed: boolean
  /** Where that line and the section lie in the text. */
  readonly start: number
  readonly end: number
}

/** The kinds of question that a list may answer: those for things, people and how something is done. */
const LISTED: ReadonlySet<Question['kind']> = new Set(['who', 'fact', 'overview', 'open', 'status'])
const COLON = /[:：]\s*$/u
/** The last sentence of a line that introduces what follows. */
const LAST_SENTENCE = /(?:.*[.!?]\s)?(.*)$/su
const ITEM_END = /[.;,]$/u

/** How much of a question texts hold, by the weights of its terms, and the statements, those that say most first. */
export interface Weighing {
  weightOf(isHeld: (term: string) => boolean): number
  /** The terms of what stands over a section: its record's title, the headings and what introduces it. */
  headsOf(section: Section): ReadonlySet<string>
  readonly said: readonly Scored[]
}

/** Weighs what stands over lists, tables and code against what statements say. */
export function openWeighing({ terms }: Question, scored: readonly Scored[], material: Material): Weighing {
  const { records, termsOf } = material
  const known = new Map(scored.flatMap(({ carries }) => carries))
  // What no statement has weighs as much as the rarest that one has.
  const most = known.size === 0 ? 1 : Math.max(...known.values())
  return {
    weightOf: (isHeld) => terms.reduce((sum, term) => sum + (isHeld(term) ? (known.get(term) ?? most) : 0), 0),
    headsOf: ({ record, blocks, head }) =>
      new Set([plainLine(records[record]!.title ?? ''), ...blocks[0]!.path, head].flatMap(termsOf)),
    said: scored.filter(({ sentence }) => sentence !== undefined).sort((one, other) => other.cover - one.cover),
  }
}

/**
 * The list, the names of a table's rows or the code over which more of the question stands than any statement says of
 * it. Where one says as much, the section answers that is called as the question calls it, boxes that are not ticked to
 * what is open, and code to how something is done.
 */
export function wholeAnswer(
  question: Question,
  { weightOf, headsOf, said }: Weighing,
  material: Material,
  weight: number,
): Draft | undefined {
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
    const rival = said.find((each) => !isIn(each, section) || each.sentence!.start >= blocks[0]!.start)?.cover ?? 0
    const isTold = () =>
      kind === 'code' ||
      (isOpen && blocks.some(({ checked }) => checked === false)) ||
      (section.isLed && asked.includes(` ${nameWords(head).join(' ')} `))
    if (cover === 0 || cover < rival || (cover === rival && !isTold())) continue
    const terms = termsOf(head)
    const own = terms.filter((term) => question.terms.includes(term)).length / Math.max(1, terms.length)
    if (!best || cover > best.cover || (cover === best.cover && own > best.own)) best = { section, cover, own }
  }
  if (!best) return undefined
  const text = tellSection(best.section, material, isOpen)
  return { role: 'answer', text, recordIds: [records[best.section.record]!.id], weight }
}

/** Whether a statement stands in a section or in what introduces it. */
export function isIn({ record, sentence }: Scored, section: Section): boolean {
  return record === section.record && sentence!.start >= section.start && sentence!.start < section.end
}

/** What of the records' texts is one list, table or stretch of code, in their order. */
export function sectionsOf({ shown, records }: Material): Section[] {
  return shown.flatMap(({ text, blocks }, record) => {
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

/** A section as it is told: its items in one line, of a table the names of its rows, code between fences. */
function tellSection(
  { kind, blocks, head, record: at }: Section,
  { shown, records }: Material,
  isOpen: boolean,
): string {
  const raw = ({ start, end }: Block) => shown[at]!.text.slice(start, end)
  if (kind === 'code') {
    const source = bracketOf(records[at]!, head)
    const code = raw(blocks[0]!).trimEnd()
    let fence = '```'
    while (code.includes(fence)) fence += '`'
    return `${head}${source === '' ? '' : ` (${source})`}:\n\n${fence}${blocks[0]!.lang ?? ''}\n${code}\n${fence}`
  }
  const told = isOpen ? blocks.filter(({ checked }) => checked !== true) : blocks
  const names = told.map((block) => plainLine(kind === 'row' ? (cellsOf(raw(block))[0] ?? '') : raw(block)))
  return listText(head, names, records[at]!)
}

/** A list in one line, after what stands over it. */
export function listText(head: string, items: readonly string[], record: BriefRecord): string {
  const source = bracketOf(record, head)
  const told = items.flatMap((item) => item.replace(ITEM_END, '') || []).join('; ')
  return `${head}: ${told}${source === '' ? '' : ` (${source})`}.`
}
