import { foldText } from '../text/words.ts'

/** A word of a question with its place in the text. */
export interface QuestionWord {
  text: string
  from: number
  to: number
}

const WORD = /[\p{L}\p{N}]+|>=|<=|[<>=%+&|]/gu
const POSSESSIVE = /['’]s\b/g

/** The words of a text, folded to lower case without accents; a sign that means something is a word. */
export function tokensOf(text: string): QuestionWord[] {
  const plain = text.replace(POSSESSIVE, '  ')
  return [...plain.matchAll(WORD)].map((found) => ({
    text: foldText(found[0]).toLowerCase(),
    from: found.index,
    to: found.index + found[0].length,
  }))
}

/** The words of a text, without their places. */
export function wordsOf(text: string): string[] {
  return tokensOf(text).map((token) => token.text)
}
