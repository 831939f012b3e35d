import type { EvaluationQuestion } from '@cairnstore/client'
import { t } from '../language/language.ts'

/** The columns of a file of questions. */
const COLUMNS = ['question', 'expected', 'record', 'unanswerable'] as const

/** The questions of a text, or the reason why it has none. */
export type ReadQuestions = { questions: EvaluationQuestion[] } | { error: string }

/** Maximum number of questions of one evaluation, as in the API. */
const QUESTIONS_MAX = 500

/**
 * Returns the questions of a text. The text has one question per line or is CSV. In CSV, the first row names the
 * columns `question`, `expected`, `record` and `unanswerable`.
 */
export function questionsOf(text: string): ReadQuestions {
  const rows = rowsOf(text).filter((row) => row.some((cell) => cell.trim() !== ''))
  const names = (rows[0] ?? []).map((name) => name.trim().toLowerCase())
  const questions = names.includes('question')
    ? rows.slice(1).map((row) => questionOf(row, names))
    : text.split('\n').map((line) => ({ question: line.trim() }))
  const asked = questions.filter(({ question }) => question !== '')
  if (asked.length === 0) return { error: t('There is no question.') }
  if (asked.length > QUESTIONS_MAX)
    return {
      error: t('There are {many} questions. One evaluation has at most {most}.', {
        many: asked.length,
        most: QUESTIONS_MAX,
      }),
    }
  return { questions: asked }
}

function questionOf(row: readonly string[], names: readonly string[]): EvaluationQuestion {
  const [question, expected, record, unanswerable] = COLUMNS.map((name) => (row[names.indexOf(name)] ?? '').trim())
  return {
    question: question ?? '',
    ...(expected && { expected }),
    ...(record && { record }),
    ...(/^(?:true|yes|1)$/i.test(unanswerable ?? '') && { unanswerable: true }),
  }
}

/** Parses CSV (RFC 4180). */
function rowsOf(text: string): string[][] {
  const rows: string[][] = [[]]
  // Matches a cell, with or without quotation marks, and the separator after it.
  for (const [whole, quoted, bare = '', end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    if (whole === '' && end === '') break
    rows.at(-1)!.push(quoted === undefined ? bare : quoted.replaceAll('""', '"'))
    if (end?.endsWith('\n')) rows.push([])
  }
  return rows
}
