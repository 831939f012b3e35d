import type { Discovery } from '@cairnstore/contract'
import { fieldsTable, type OutputRow, tableOf } from './output.ts'

/** Decimals of scores, and characters of a record's summary, as people are shown them. */
const SCORE_DIGITS = 3
const SUMMARY_CHARS = 60

/** How a question was understood, and what each signal of the ranking gave to each record found, best first. */
export function showQuestion(reply: OutputRow): string {
  const { intent, items, header } = reply as unknown as Discovery
  const { text, parts = [], times = [], notes = [], ...rest } = intent ?? {}
  const read = fieldsTable({
    question: text,
    ...Object.fromEntries(
      parts.map(({ terms, names, people, ...part }, at) => [
        `part_${at + 1}`,
        { ...part, terms: terms.join(', '), names: names.join(', '), people: people.join(', ') },
      ]),
    ),
    times: times.map(({ from, until }) => `${from ?? ''} … ${until ?? ''}`).join(', '),
    ...rest,
    notes: notes.join(' '),
  })
  const signals = [...new Set(items.flatMap(({ why = {} }) => Object.keys(why)))]
  const rows = items.map(({ score, why = {}, external_id, summary }) => ({
    score: score.toFixed(SCORE_DIGITS),
    ...Object.fromEntries(Object.entries(why).map(([name, given]) => [name, given.toFixed(SCORE_DIGITS)])),
    external_id,
    summary: [...summary].slice(0, SUMMARY_CHARS).join(''),
  }))
  const table = rows.length > 0 ? tableOf(['score', ...signals, 'external_id', 'summary'], rows, true) : ''
  return [read, fieldsTable({ found: header }), table].join('\n')
}
