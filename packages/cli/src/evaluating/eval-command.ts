import { readFile, writeFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { GRADES, operations } from '@cairnstore/contract'
import { sandboxOf } from '../call.ts'
import type { Options, ParsedArguments } from '../inputs.ts'
import { EXIT_FAILED, jsonText, note, type OutputRow, print, tableOf, usageFailure } from '../output.ts'
import type { OwnCommand } from '../own-command.ts'
import { openProgress } from '../progress.ts'
import { readSettings } from '../settings.ts'
import { readQuestions } from './question-file.ts'
import { GRADE_NAMES, nameOf, percent, reportPage } from './report-page.ts'
import { type Evaluated, readEvaluationSettings, runEvaluations } from './run-evaluations.ts'

const { evaluate } = operations
const EXAMPLE = 'For example: cairn eval questions.csv --min-right 0.8'

/** Command that asks the questions of a file and grades the answers. */
export const EVAL: OwnCommand = {
  words: ['eval'],
  operands: 'QUESTIONS_CSV',
  summary: 'Ask the questions of a file and grade the answers',
  about:
    'The file has the columns question, expected (alternatives separated by |), record (ids of the records to cite) ' +
    'and unanswerable (true). `cairn eval make` drafts one, and the export of feedback is one. An answer is right if ' +
    'it contains the expected words, numbers and dates in any usual form. Every question counts against the ' +
    'sandbox’s queries per minute. With --min-right, the exit code is 1 if fewer are right.',
  access: evaluate.access,
  given: { QUESTIONS_CSV: 'The file of questions; - reads standard input.' },
  options: {
    settings: { form: 'TEXT', meaning: 'How to ask: preset=fast,writer=off, detail_level, reference_date, time_zone.' },
    against: { form: 'TEXT', meaning: 'Other settings to compare with, in the same form.' },
    judge: { form: 'FLAG', meaning: 'Let the configured language model grade answers that do not match literally.' },
    'min-right': {
      form: 'NUMBER',
      meaning: 'The share, from 0 to 1, of questions that must be right or rightly not answered.',
    },
    html: { form: 'TEXT', meaning: 'Write a page with every question and answer to this file.' },
  },
  isInside: true,
  examples: [
    'eval questions.csv',
    'eval questions.csv --min-right 0.8 --html report.html',
    'eval questions.csv --settings preset=auto --against preset=auto,writer=off',
  ],
  run: evaluateFile,
}

async function evaluateFile({ operands, options }: ParsedArguments): Promise<number> {
  const [path, extra] = operands
  if (path === undefined) throw usageFailure(`QUESTIONS_CSV is missing. ${EXAMPLE}`)
  if (extra !== undefined) throw usageFailure(`Unexpected operand "${extra}". ${EXAMPLE}`)
  const least = leastOf(options)
  const isJudged = options.judge === true
  const runs = [options.settings ?? '', ...(options.against === undefined ? [] : [options.against])].map((typed) => ({
    ...readEvaluationSettings(String(typed)),
    ...(isJudged && { judge: true }),
  }))
  const questions = readQuestions(await textOf(path))
  const settings = readSettings(evaluate.access, options)
  const sandboxId = await sandboxOf(settings)
  const progress = openProgress(settings.isQuiet)
  const done: Evaluated[] = []
  try {
    for (const run of runs) done.push(await runEvaluations(questions, run, sandboxId, settings, progress))
  } finally {
    progress.end()
  }
  if (typeof options.html === 'string') {
    await writeFile(options.html, reportPage({ title: `Evaluation of ${path}`, runs: done }))
    note(settings, `Every question with its answer is in ${options.html}.`)
  }
  await print(options.json === true ? jsonText({ runs: done }) : forPeople(done))
  const [{ rightShare }] = done as [Evaluated]
  if (least === undefined || rightShare >= least) return 0
  note(settings, `${percent(rightShare)} are right, but --min-right requires ${percent(least)}.`)
  return EXIT_FAILED
}

function leastOf({ 'min-right': given }: Options): number | undefined {
  if (given === undefined) return undefined
  const least = Number(given)
  if (String(given).trim() !== '' && least >= 0 && least <= 1) return least
  throw usageFailure('--min-right must be a share from 0 to 1, such as 0.8.')
}

async function textOf(path: string): Promise<string> {
  try {
    return await (path === '-' ? text(process.stdin) : readFile(path, 'utf8'))
  } catch (cause) {
    throw Object.assign(usageFailure(`"${path}" cannot be read. Give the path of a CSV file of questions.`), { cause })
  }
}

function forPeople(runs: readonly Evaluated[]): string {
  const row = (name: string, of: (run: Evaluated) => string): OutputRow =>
    Object.fromEntries([['', name], ...runs.map((run, at) => [columnOf(run, at), of(run)])])
  const rows = [
    ...GRADES.map((grade) => row(GRADE_NAMES[grade], ({ counts }) => String(counts[grade]))),
    row('right, or rightly not answered', ({ rightShare }) => percent(rightShare)),
    row('statements that records do not support', ({ statements, unsupported }) => `${unsupported} of ${statements}`),
    row('written by', ({ writer }) => writer ?? 'no model'),
    row('graded by', ({ judge }) => (judge === null ? 'comparison' : `comparison, else ${judge}`)),
    ...(runs.some(({ erased }) => erased > 0) ? [row('deleted meanwhile', ({ erased }) => String(erased))] : []),
  ]
  return tableOf(['', ...runs.map(columnOf)], rows, true)
}

function columnOf(run: Evaluated, at: number): string {
  return `${at + 1}: ${nameOf(run)}`
}
