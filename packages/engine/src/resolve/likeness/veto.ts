import { contains } from './name-fit.ts'
import type { Population, Prepared } from './population.ts'

/** Of two names that differ in numbers alone so much of the other words' weight is the same. */
const SAME_WORDS = 0.9

/**
 * Whether two subjects cannot be one whatever else agrees: their names are the same but for a number, as of two rooms,
 * two issues of a series or two days of one meeting.
 */
export function isVetoed({ words, idf, isNumber, isCode }: Population, one: Prepared, other: Prepared): boolean {
  const split = ({ nameTokens }: Prepared) => ({
    numbers: nameTokens.filter((token) => isNumber[token] || isCode[token]),
    words: nameTokens.filter((token) => !isNumber[token] && !isCode[token]),
  })
  const [a, b] = [split(one), split(other)]
  const isSame = (mine: number, its: number) =>
    mine === its || (isCode[mine]! + isCode[its]! === 2 && contains(words[mine]!, words[its]!))
  const differ = (ours: number[], theirs: number[]) => ours.some((mine) => !theirs.some((its) => isSame(mine, its)))
  if (!differ(a.numbers, b.numbers) || !differ(b.numbers, a.numbers)) return false
  const weight = (tokens: number[]) => tokens.reduce((sum, token) => sum + idf[token]!, 0)
  const common = weight(a.words.filter((token) => b.words.includes(token)))
  return common >= SAME_WORDS * Math.max(weight(a.words), weight(b.words))
}
