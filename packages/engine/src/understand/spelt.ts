import { plainLine } from '../text/clean-text.ts'
import { nounPhrases } from './noun-phrases.ts'
import type { Question } from './question.ts'
import { namesWritten, type WrittenName } from './written-names.ts'

/** A question as it was written, as far as a refusal repeats it. */
export interface Spelt {
  /** In one line without quotation marks of its own, cut where it is longer than may be repeated. */
  readonly echo: string
  /** What it writes as names are written; in capitals alone names look like all other words. */
  readonly names: readonly WrittenName[]
  /** What else it is about, as far as that is surely a thing. */
  readonly things: readonly string[]
}

/** Characters of a question that a refusal repeats. */
export const ECHO_CHARS_MAX = 120
const ELLIPSIS = '…'

/** What a refusal can repeat of a question as it was written, beside how it was understood. */
export function speltIn(written: string, question: Question, termsOf: (text: string) => string[]): Spelt {
  return {
    echo: echo(written),
    names: written === written.toUpperCase() ? [] : namesWritten(written, termsOf),
    things: nounPhrases(written, question, termsOf),
  }
}

function echo(question: string): string {
  const line = [...plainLine(question).replace(/[“”]/g, '"')]
  if (line.length <= ECHO_CHARS_MAX) return line.join('')
  const cut = line.slice(0, ECHO_CHARS_MAX - ELLIPSIS.length).join('')
  return `${cut.trimEnd()}${ELLIPSIS}`
}
