import { type EvaluationResult, GRADES, type Grade } from '@cairnstore/contract'
import type { Evaluated } from './run-evaluations.ts'

/** Data of a report in addition to its results. */
interface Report {
  readonly title: string
  readonly runs: readonly Evaluated[]
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const PERCENT = 100
const TENTHS = 10

export const GRADE_NAMES: Readonly<Record<Grade, string>> = {
  right: 'right',
  partly: 'partly right',
  wrong: 'wrong',
  rightly_unanswered: 'rightly not answered',
  wrongly_unanswered: 'wrongly not answered',
  ungraded: 'not graded',
}

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:75rem;padding:0 1rem;color:#1d1d1f;
background:#fff}table{border-collapse:collapse;width:100%}th,td{border-bottom:1px solid #ddd;padding:.5rem;
text-align:left;vertical-align:top}
td p{margin:.2rem 0;white-space:pre-wrap;overflow-wrap:anywhere}
.number{text-align:right}
.right,.rightly_unanswered{color:#116329}.wrong,.wrongly_unanswered{color:#b3261e}.partly{color:#8a5300}

.ungraded,small{color:#5c5c61}.grade{font-weight:600}
@media(prefers-color-scheme:dark){body{background:#17181a;color:#eee}
th,td{border-color:#444}.right,.rightly_unanswered{color:#7ee29a}.wrong,.wrongly_unanswered{color:#ff9c94}
.partly{color:#ffc26b}.ungraded,small{color:#aaa}}`

/** Returns one self-contained HTML page with every question. Questions and answers are escaped text. */
export function reportPage({ title, runs }: Report): string {
  const policy = "default-src 'none'; style-src 'unsafe-inline'"
  const rows = GRADES.map((grade) => [GRADE_NAMES[grade], ...runs.map(({ counts }) => String(counts[grade]))])
  const shares = ['right, or rightly not answered', ...runs.map(({ rightShare }) => percent(rightShare))]
  const checks = [
    'statements that their records do not support',
    ...runs.map(({ statements, unsupported }) => `${unsupported} of ${statements}`),
  ]
  const summary = [...rows, shares, checks].map(
    ([name, ...cells]) =>
      `<tr><th>${escaped(name!)}</th>${cells.map((each) => `<td class="number">${escaped(each)}</td>`).join('')}</tr>`,
  )
  const heads = runs.map((run) => `<th class="number">${escaped(nameOf(run))}</th>`).join('')
  const positions = [...new Set(runs.flatMap(({ results }) => results.map(({ position }) => position)))].sort(
    (one, other) => one - other,
  )
  const questions = positions.map((position) => questionRow(position, runs))
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="${policy}"><title>${escaped(title)}</title>
<style>${STYLE}</style></head><body>
<h1>${escaped(title)}</h1>
<table><thead><tr><th></th>${heads}</tr></thead><tbody>${summary.join('\n')}</tbody></table>
${runs.map(aboutRun).join('\n')}
<h2>Questions</h2>
<table><thead><tr><th>Question</th>${heads.replaceAll(' class="number"', '')}</tr></thead><tbody>
${questions.join('\n')}
</tbody></table></body></html>
`
}

/** Returns the settings of a run as a user would type them. */
export function nameOf({ settings }: Evaluated): string {
  const parts = Object.entries(settings).map(([name, value]) =>
    typeof value === 'boolean' ? `${name}=${value ? 'on' : 'off'}` : `${name}=${String(value)}`,
  )
  return parts.join(', ') || 'default settings'
}

/** Returns a share as text, such as `62.5 %`. */
export function percent(share: number): string {
  return `${Math.round(share * PERCENT * TENTHS) / TENTHS} %`
}

function aboutRun(run: Evaluated): string {
  const by = run.writer === null ? 'Answers are passages of records.' : `Answers may be written by ${run.writer}.`
  const grading =
    run.judge === null
      ? 'Grades are by comparison of words, numbers and dates.'
      : `Answers that do not match were graded by the model ${run.judge}.`
  return `<p><small>${escaped(`${nameOf(run)}: ${by} ${grading}`)}</small></p>`
}

function questionRow(position: number, runs: readonly Evaluated[]): string {
  const found = runs.map(({ results }) => results.find((each) => each.position === position))
  const { question = '', expected, record, unanswerable } = found.find((each) => each !== undefined) ?? {}
  const wanted = [
    unanswerable && 'unanswerable',
    expected && `expected: ${expected}`,
    record && `records: ${record}`,
  ].filter(Boolean)
  const notes = wanted.map((each) => `<p><small>${escaped(String(each))}</small></p>`).join('')
  const about = `<p>${position}. ${escaped(question)}</p>${notes}`
  return `<tr><td>${about}</td>${found.map(answerCell).join('')}</tr>`
}

function answerCell(result: EvaluationResult | undefined): string {
  if (!result) return '<td><small>deleted with a record</small></td>'
  const { grade, graded_by: by, answer = '', unsupported = [], missing_records: missing = [], warnings = [] } = result
  const graded = grade ?? 'ungraded'
  const notes = [
    by === 'model' && 'graded by the model',
    result.written_by_model && 'written by the model',
    missing.length > 0 && `not cited: ${missing.join(' ')}`,
    ...unsupported.map((statement) => `not supported: ${statement}`),
    ...warnings,
  ].filter(Boolean)
  const shown = notes.map((each) => `<p><small>${escaped(String(each))}</small></p>`).join('')
  return `<td><p class="grade ${graded}">${GRADE_NAMES[graded]}</p><p>${escaped(answer)}</p>${shown}</td>`
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character]!)
}
