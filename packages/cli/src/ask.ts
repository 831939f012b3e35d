import { operations, type SearchAnswer } from '@cairn/contract'
import { call } from './call.ts'
import { usageFailure } from './failure.ts'
import { toInputs, withSegment } from './inputs.ts'
import { jsonText, note, print, printable, type Row, tableOf } from './output.ts'
import type { OwnCommand } from './own-command.ts'
import { sandboxOf } from './sandbox-of.ts'
import { readSettings } from './settings.ts'
import { type Origin, originsOf } from './sources-of.ts'
import type { Typed } from './typed.ts'

const { search } = operations

/** The command that asks a question and shows the answer with the records that it rests on. */
export const ASK: OwnCommand = {
  words: ['ask'],
  operands: 'QUESTION',
  summary: 'Ask a question, and see the answer with its sources',
  about: 'The sources are the records that the statements of the answer rest on, with where each can be opened.',
  access: search.access,
  given: { QUESTION: 'What you want to know; quotes may be left out.' },
  options: {},
  operation: search,
  isInside: true,
  examples: ['ask "Why did pump 7 stop?"', 'ask who owns the follow-ups --reference-date 2026-06-20'],
  run: ask,
}

async function ask({ operands, options }: Typed): Promise<number> {
  const question = operands.join(' ').trim()
  if (question === '') throw usageFailure('QUESTION is missing. For example: cairn ask "What is still open?"')
  const typed = toInputs(search, [question], options, ['sandbox_id'])
  const settings = readSettings(search.access, options)
  const sandboxId = await sandboxOf(settings)
  const inputs = withSegment({ ...typed, body: { ...typed.body, explain: true } }, 'sandbox_id', sandboxId)
  const answer = (await call(search, inputs, settings)) as SearchAnswer
  const origins = await originsOf(answer, sandboxId, settings)
  for (const warning of options.json ? [] : answer.warnings) note(settings, warning)
  await print(options.json ? jsonText({ ...answer, sources: origins }) : forPeople(answer, origins, options.explain))
  return 0
}

const WIDTH = 100

function forPeople(
  { answer, nearest = [], columns, rows, statements }: SearchAnswer,
  origins: Origin[],
  explain: unknown,
): string {
  const parts = [answer.split('\n').map(wrapped).join('\n')]
  if (columns && rows && rows.length > 0) parts.push(tableOf(columns, rowsBy(columns, rows), true).trimEnd())
  if (explain === true && statements) {
    const numbers = new Map(origins.map(({ record_id: id }, at) => [id, at + 1]))
    const told = statements.map(({ text, record_ids: ids, computed }) => {
      const shown = ids.map((id) => (numbers.has(id) ? `[${numbers.get(id)}]` : id)).join(' ')
      return wrapped(`- ${text} ${shown}${computed ? ` (${computed})` : ''}`)
    })
    parts.push(`Statements:\n${told.join('\n')}`)
  }
  if (origins.length > 0) parts.push(`Sources:\n${origins.map((origin, at) => lineOf(origin, at + 1)).join('\n')}`)
  // An answer has no nearest records, and a refusal no sources.
  if (nearest.length > 0) parts.push(`Nearest:\n${nearest.map((record, at) => lineOf(record, at + 1)).join('\n')}`)
  return `${parts.join('\n\n')}\n`
}

/** What a record is shown by. */
type Shown = Pick<Origin, 'record_id'> & {
  [K in 'title' | 'occurred_at' | 'url' | 'place']?: string | null | undefined
}

/** A source in a line: what it is called, its day, and where it is. */
function lineOf({ title, occurred_at: at, url, place, record_id: id }: Shown, number: number): string {
  const parts = [title, at?.slice(0, DAY_CHARS), url ?? place, id]
  return printable(`  [${number}] ${parts.filter(Boolean).join(' — ')}`)
}

const DAY_CHARS = 10

function rowsBy(columns: readonly string[], rows: readonly (readonly unknown[])[]): Row[] {
  return rows.map((row) => Object.fromEntries(columns.map((column, at) => [column, row[at]])))
}

/** A paragraph in lines of words. */
function wrapped(paragraph: string): string {
  const lines = ['']
  for (const word of printable(paragraph).split(' ')) {
    const last = lines.at(-1)!
    if (last !== '' && last.length + word.length >= WIDTH) lines.push(word)
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`
  }
  return lines.join('\n')
}
