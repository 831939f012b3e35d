import type { StoredContent } from '../resolve/record-content.ts'
import { plainLine } from '../text/clean-text.ts'
import type { TermWeights } from '../understand/analyse-question.ts'
import { type QueryStems, selectPassages } from '../understand/select-passages.ts'
import { bestRun, cutSentence, type ScoredSentence, scoreSentences, sumOf, textOf } from './score-sentences.ts'

const SUMMARY_CHARS_MAX = 280
const SNIPPET_CHARS_MAX = 300
/** Passage length in characters. With 1, only the best passage of a long text is read. */
const PASSAGE_CHARS = 1

/** Data of a question that a record's summary depends on. */
export interface SummaryQuestion {
  terms: ReadonlySet<string>
  stems: QueryStems
  weights: TermWeights
}

/** A record's summary and snippet. */
export interface RecordSummary {
  /** One line: the title and the sentence that contains most of the query terms. */
  summary: string
  /**
   * The passage of at most 300 characters with the greatest weight of query terms. For a record without text it is the
   * title or the type.
   */
  snippet: string
}

/** Returns the summary and snippet of a found record. */
export function summarizeRecord(content: StoredContent, asked: SummaryQuestion): RecordSummary {
  const read = content.text ? selectPassages(content.text, asked.stems, PASSAGE_CHARS) : ''
  const sentences = scoreSentences(read, asked.weights)
  const line = [content.title, bestSentence(sentences, asked.terms)].filter(Boolean).join(' — ')
  const named = line || `${content.type} ${content.external_id}`
  return {
    summary: shorten(named, SUMMARY_CHARS_MAX),
    snippet: bestPassage(sentences, asked.weights) || shorten(plainLine(content.text || named), SNIPPET_CHARS_MAX / 2),
  }
}

function bestPassage(sentences: readonly ScoredSentence[], weights: TermWeights): string {
  const run = bestRun(sentences, SNIPPET_CHARS_MAX, (text) => text.length)
  let cut: ScoredSentence | undefined
  let most = run?.held ?? -1
  for (const sentence of sentences) {
    if (sentence.text.length <= SNIPPET_CHARS_MAX || sumOf(sentence) <= most) continue
    cut = sentence
    most = sumOf(sentence)
  }
  if (cut) return cutSentence(cut, weights, SNIPPET_CHARS_MAX)
  return run ? textOf(sentences, run) : ''
}

function bestSentence(sentences: readonly ScoredSentence[], questionTerms: ReadonlySet<string>): string {
  let best = ''
  let bestCount = -1
  for (const { text, terms } of sentences) {
    const count = [...terms].filter((term) => questionTerms.has(term)).length
    if (count <= bestCount) continue
    best = text
    bestCount = count
  }
  return best
}

function shorten(line: string, charsMax: number): string {
  const characters = [...line]
  if (characters.length <= charsMax) return line
  const cut = characters.slice(0, charsMax - 1).join('')
  const space = cut.lastIndexOf(' ')
  return `${space > charsMax / 2 ? cut.slice(0, space) : cut}…`
}
