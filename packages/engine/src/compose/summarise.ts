import type { StoredContent } from '../resolve/record-content.ts'
import { cleanText } from '../text/clean-text.ts'
import { splitSentences } from '../text/sentences.ts'
import { terms } from '../text/terms.ts'
import { type Sought, tellingText } from '../understand/telling-text.ts'

const SUMMARY_CHARS_MAX = 280
/** Of a long text the best passage is read. */
const PASSAGE_CHARS = 1
/** Sentences looked at; what matters in a longer text is usually said early. */
const SENTENCES_MAX = 200

/** What of a question decides on a summary. */
export interface Asked {
  terms: ReadonlySet<string>
  sought: Sought
}

/** The record in a line: its title, and the sentence that says most of what the question asks for. */
export function summarise(content: StoredContent, { terms: questionTerms, sought }: Asked): string {
  const read = content.text && tellingText(content.text, sought, PASSAGE_CHARS)
  const sentence = read ? bestSentence(read, questionTerms) : ''
  const line = [content.title, sentence].filter(Boolean).join(' — ')
  return shorten(line || `${content.type} ${content.external_id}`)
}

function bestSentence(text: string, questionTerms: ReadonlySet<string>): string {
  let best = ''
  let bestCount = -1
  for (const sentence of splitSentences(cleanText(text)).slice(0, SENTENCES_MAX)) {
    const count = new Set(terms(sentence).filter((term) => questionTerms.has(term))).size
    if (count <= bestCount) continue
    best = sentence
    bestCount = count
  }
  return best
}

function shorten(line: string): string {
  const characters = [...line]
  if (characters.length <= SUMMARY_CHARS_MAX) return line
  const cut = characters.slice(0, SUMMARY_CHARS_MAX - 1).join('')
  const space = cut.lastIndexOf(' ')
  return `${space > SUMMARY_CHARS_MAX / 2 ? cut.slice(0, space) : cut}…`
}
