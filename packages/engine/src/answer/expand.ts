import type { SegmentedRecord, Statement } from './statement.ts'
import { countWords } from './traits.ts'

/** A self-contained span of a record: a statement with the neighboring statements that it needs. */
export interface Passage {
  readonly record: number
  readonly statements: readonly Statement[]
  /** UTF-16 offsets into the record's text. */
  readonly start: number
  readonly end: number
}

/** Maximum length of a passage, in words, after neighbors from the same paragraph or list are added. */
const WORDS_MAX = 70
/** Maximum length, in words, of a list that a sentence introduces. */
const INTRODUCED_WORDS_MAX = 150

/**
 * Expands a statement to a passage. A sentence gets neighbors from its paragraph, up to a word limit. A list gets the
 * sentence that introduces it, and code the sentence before it. A table row gets the rows that are as likely to answer.
 * @param isLikely returns true if another statement is about as likely to answer as this one
 * @param wordsMax maximum length, in words, after neighbors are added
 */
export function expand(
  chosen: Statement,
  { statements, blocks }: SegmentedRecord,
  isLikely: (other: Statement) => boolean = () => false,
  wordsMax = WORDS_MAX,
): Passage {
  if (chosen.kind === 'field' || chosen.kind === 'relation') return passageOf([chosen])
  const at = statements.findIndex(
    ({ start, end, block }) => start === chosen.start && end === chosen.end && block === chosen.block,
  )
  const own = statements[at]!
  const pathOf = ({ block }: Statement) => blocks[block]!.path.join('\n')
  const isUnderSame = (other: Statement | undefined): other is Statement =>
    other !== undefined && pathOf(other) === pathOf(own)
  if (own.kind === 'row') return rows()
  const [from, to] = own.kind === 'item' ? withinList() : own.kind === 'code' ? [at, at + 1] : withinParagraph()
  return passage(includeIntroduction(from), includeIntroduced(to))

  function rows(): Passage {
    const [first, last] = run(at, (other) => other.kind === 'row')
    const taken = statements.slice(first, last).filter((row) => row === own || isLikely(row))
    return passageOf(taken)
  }
  /** Returns the whole list if it is short, otherwise the item with its further sentences. */
  function withinList(): [number, number] {
    const list = run(at, (other) => other.kind === 'item')
    return wordsOf(...list) <= wordsMax || isLikelyList(...list) ? list : run(at, ({ block }) => block === own.block)
  }
  function isLikelyList(first: number, last: number): boolean {
    const others = statements.slice(first, last).filter((item) => item.block !== own.block && isLikely(item))
    return others.length > 0 && wordsOf(first, last) <= INTRODUCED_WORDS_MAX
  }
  function withinParagraph(): [number, number] {
    let [first, last] = [at, at + 1]
    const fits = (from: number, to: number, other: Statement | undefined) =>
      other?.block === own.block && wordsOf(from, to) <= wordsMax
    for (;;) {
      const grown = [first, last]
      if (fits(first, last + 1, statements[last])) last += 1
      if (fits(first - 1, last, statements[first - 1])) first -= 1
      if (grown[0] === first && grown[1] === last) return [first, last]
    }
  }
  /** Returns the index of the previous statement if it introduces a list or code, otherwise the same index. */
  function includeIntroduction(first: number): number {
    const [lead, next] = [statements[first - 1], statements[first]!]
    if (!isUnderSame(lead) || lead.kind === next.kind || lead.kind === 'row') return first
    const introduces = next.kind === 'code' ? lead.kind !== 'code' : next.kind === 'item' && lead.text.endsWith(':')
    return introduces ? first - 1 : first
  }
  /** Returns the end of the list or code that the last sentence introduces, otherwise the same end. */
  function includeIntroduced(last: number): number {
    const [lead, next] = [statements[last - 1]!, statements[last]]
    if (!lead.text.endsWith(':') || !isUnderSame(next) || next.kind === 'sentence') return last
    const end = next.kind === 'code' ? last + 1 : run(last, ({ kind }) => kind === next.kind)[1]
    return next.kind === 'code' || wordsOf(last, end) <= INTRODUCED_WORDS_MAX ? end : last
  }
  /** Returns the range of adjacent statements under the same headings that satisfy `isOf`. */
  function run(index: number, isOf: (other: Statement) => boolean): [number, number] {
    const belongs = (other: Statement | undefined) => isUnderSame(other) && isOf(other)
    let [first, last] = [index, index + 1]
    while (belongs(statements[first - 1])) first -= 1
    while (belongs(statements[last])) last += 1
    return [first, last]
  }
  function wordsOf(first: number, last: number): number {
    return statements.slice(first, last).reduce((sum, { text }) => sum + countWords(text), 0)
  }
  function passage(first: number, last: number): Passage {
    return passageOf(statements.slice(first, last))
  }
}

function passageOf(statements: readonly Statement[]): Passage {
  const [{ record, start }] = statements as [Statement]
  return { record, statements, start, end: Math.max(...statements.map(({ end }) => end)) }
}
