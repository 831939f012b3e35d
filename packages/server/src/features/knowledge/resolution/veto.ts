import { WORD_LIKENESS_MIN } from './compare.ts'
import { wordLikeness } from './likeness.ts'
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
    mine === its || (isCode[mine]! + isCode[its]! === 2 && contains(words, mine, its))
  const differ = (ours: number[], theirs: number[]) => ours.some((mine) => !theirs.some((its) => isSame(mine, its)))
  if (!differ(a.numbers, b.numbers) || !differ(b.numbers, a.numbers)) return false
  const weight = (tokens: number[]) => tokens.reduce((sum, token) => sum + idf[token]!, 0)
  const common = weight(a.words.filter((token) => b.words.includes(token)))
  return common >= SAME_WORDS * Math.max(weight(a.words), weight(b.words))
}

/**
 * Whether each name has a word that the other thing says nowhere, nor anything like it: two of one household, or two
 * firms of one group, share everything else. Where nothing was learnt, nothing shows that such words mean little.
 */
export function haveOwnWords({ words, isNumber, isCode }: Population, one: Prepared, other: Prepared): boolean {
  const isFamiliar = (word: string, to: Prepared) =>
    to.tokens.some((token) => {
      const its = words[token]!
      return its.startsWith(word) || word.startsWith(its) || wordLikeness(its, word) >= WORD_LIKENESS_MIN
    })
  const hasOwn = ({ nameTokens }: Prepared, beside: Prepared) =>
    nameTokens.some((token) => !isNumber[token] && !isCode[token] && !isFamiliar(words[token]!, beside))
  return hasOwn(one, other) && hasOwn(other, one)
}

/** A model's number is often written with what comes before or after it: `fs105` and `fs105na`. */
function contains(words: readonly string[], one: number, other: number): boolean {
  return words[one]!.includes(words[other]!) || words[other]!.includes(words[one]!)
}
