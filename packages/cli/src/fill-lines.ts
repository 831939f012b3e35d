import { printable } from './output.ts'

/** Words that come in pieces, in lines of at most so many characters; a longer word has a line of its own. */
interface FilledLines {
  /** What can be printed when these characters have come: a word only when it is whole. */
  add(text: string): string
  /** What is left to be printed. */
  end(): string
}

/** Fills lines with the words of a text while it comes; line breaks stay, and blanks between words are one. */
export function fillLines(charsMax: number): FilledLines {
  let column = 0
  let word = ''
  const take = () => {
    const shown = printable(word)
    word = ''
    if (shown === '') return ''
    const before = column === 0 ? '' : column + shown.length >= charsMax ? '\n' : ' '
    column = (before === ' ' ? column + 1 : 0) + shown.length
    return `${before}${shown}`
  }
  const add = (text: string) => {
    let out = ''
    for (const character of text) {
      if (character !== ' ' && character !== '\n') word += character
      else out += take()
      if (character === '\n') {
        out += '\n'
        column = 0
      }
    }
    return out
  }
  return { add, end: take }
}

/** A whole text in lines. */
export function filled(text: string, charsMax: number): string {
  const lines = fillLines(charsMax)
  return lines.add(text) + lines.end()
}
