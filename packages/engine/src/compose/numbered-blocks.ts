import type { Block } from '../text/block.ts'

/** A block of a text in which a heading has a number that is asked about. */
interface NumberedBlock extends Pick<Block, 'start' | 'end'> {
  /** The heading over it that has the number. */
  heading?: string
  /** Whether it stands under a number of as many parts instead, and so is of another version or day. */
  isOther: boolean
}

const MARKS = /[^\p{L}\p{N}]/u

/** The numbers of several parts among terms, as versions and days are. */
export function numbersIn(terms: readonly string[]): string[] {
  return terms.filter((term) => {
    const parts = partsOf(term)
    return parts.length > 1 && parts.every((part) => part !== '' && Number.isInteger(Number(part)))
  })
}

function partsOf(term: string): string[] {
  return term.split(MARKS)
}

/** What each block of a text stands under, where a heading of the text has one of the numbers; else nothing. */
export function numberedBlocks(
  blocks: readonly Block[],
  numbers: readonly string[],
  termsOf: (heading: string) => string[],
): NumberedBlock[] {
  const isAsked = (heading: string) => termsOf(heading).some((term) => numbers.includes(term))
  if (numbers.length === 0 || !blocks.some(({ path }) => path.some(isAsked))) return []
  const lengths = new Set(numbers.map((each) => partsOf(each).length))
  return blocks.map(({ start, end, path }) => {
    const heading = path.find(isAsked)
    const others = path.flatMap((each) => numbersIn(termsOf(each)))
    const isOther = heading === undefined && others.some((each) => lengths.has(partsOf(each).length))
    return { start, end, isOther, ...(heading !== undefined && { heading }) }
  })
}
