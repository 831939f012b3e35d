import type { EvaluationQuestion } from '@cairnstore/contract'
import { usageFailure } from '../output.ts'

const FILE_BYTES_MAX = 16 * 1024 * 1024
const QUESTIONS_MAX = 10_000
const COLUMNS = ['question', 'expected', 'record', 'unanswerable'] as const
const TRUE = /^(?:true|yes|y|1|x)$/i
const FALSE = /^(?:false|no|n|0)?$/i
/** Apostrophe that exports add before a cell that starts like a formula, so that spreadsheets do not run it. */
const GUARDED = /^'(?=[=+\-@\t\r])/
const NEEDS_QUOTES = /[",\r\n']/
const FORMULA = /^[=+\-@\t\r]/

/** Reads questions from CSV (RFC 4180), by column name. Throws a usage Failure that names the invalid row. */
export function readQuestions(text: string): EvaluationQuestion[] {
  if (Buffer.byteLength(text) > FILE_BYTES_MAX) throw usageFailure('The file of questions is larger than 16 MiB.')
  const [header = [], ...rows] = cellsOf(text.replace(/^\uFEFF/, ''))
  const names = header.map((name) => name.trim().toLowerCase())
  if (!names.includes('question')) {
    throw usageFailure(
      `The first row must name the columns: ${COLUMNS.join(', ')}. \`cairn eval make\` writes such a file.`,
    )
  }
  const questions = rows.flatMap((cells, at): EvaluationQuestion[] => {
    const cell = (name: (typeof COLUMNS)[number]) => {
      const found = names.indexOf(name)
      return found < 0 ? '' : (cells[found] ?? '').replace(GUARDED, '').trim()
    }
    if (cells.every((each) => each.trim() === '')) return []
    const [question, expected, record, unanswerable] = COLUMNS.map(cell) as [string, string, string, string]
    if (question === '') throw usageFailure(`Row ${at + 2} has no question.`)
    if (!TRUE.test(unanswerable) && !FALSE.test(unanswerable)) {
      throw usageFailure(`Row ${at + 2}: unanswerable must be "true" or empty, not "${unanswerable.slice(0, 40)}".`)
    }
    return [
      {
        question,
        ...(expected !== '' && { expected }),
        ...(record !== '' && { record }),
        ...(TRUE.test(unanswerable) && { unanswerable: true }),
      },
    ]
  })
  if (questions.length === 0) throw usageFailure('The file has no questions below its header.')
  if (questions.length > QUESTIONS_MAX) throw usageFailure(`The file has more than ${QUESTIONS_MAX} questions.`)
  return questions
}

/** Writes questions in the same CSV format. */
export function writeQuestions(questions: readonly EvaluationQuestion[]): string {
  const rows = questions.map(({ question, expected, record, unanswerable }) => [
    question,
    expected ?? '',
    record ?? '',
    unanswerable ? 'true' : '',
  ])
  return [COLUMNS, ...rows].map((cells) => `${cells.map(quoted).join(',')}\r\n`).join('')
}

function quoted(text: string): string {
  const plain = FORMULA.test(text) ? `'${text}` : text
  return NEEDS_QUOTES.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}

/** Returns the cells of each row. An unclosed quote ends at the end of the text. */
function cellsOf(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let cell = ''
  let isQuoted = false
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]!
    if (isQuoted) {
      if (character !== '"') cell += character
      else if (text[at + 1] === '"') {
        cell += '"'
        at += 1
      } else isQuoted = false
    } else if (character === '"' && cell === '') isQuoted = true
    else if (character === ',') {
      row.push(cell)
      cell = ''
    } else if (character === '\n' || character === '\r') {
      if (character === '\r' && text[at + 1] === '\n') at += 1
      rows.push([...row, cell])
      row = []
      cell = ''
    } else cell += character
  }
  if (cell !== '' || row.length > 0) rows.push([...row, cell])
  return rows
}
