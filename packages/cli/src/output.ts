import { once } from 'node:events'

/** A row of a list, or a whole reply, by the names of its fields. */
export type OutputRow = Record<string, unknown>

/** Control and direction characters: what others named their things must not steer the terminal that shows them. */
const UNPRINTABLE = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu
const HEX = 16
const HEX_DIGITS = 4
const GAP = '  '
const JSON_INDENT = 2

/** Writes a text to standard output, waiting when its reader is slower. */
export async function print(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain')
}

/** Tells a person something beside the result, on standard error, unless only failures are wanted. */
export function note({ isQuiet }: { isQuiet: boolean }, sentence: string): void {
  if (!isQuiet) process.stderr.write(`${printable(sentence)}\n`)
}

/** A reply as programs read it. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, JSON_INDENT)}\n`
}

/** The text with each character that a terminal would act on written as its escape. */
export function printable(text: string): string {
  return text.replace(
    UNPRINTABLE,
    (character) => `\\u${character.codePointAt(0)!.toString(HEX).padStart(HEX_DIGITS, '0')}`,
  )
}

/** Rows in columns as wide as their widest cell; the last is as long as it is. */
export function tableOf(columns: readonly string[], rows: OutputRow[], withHeader: boolean): string {
  const cells = rows.map((row) => columns.map((column) => cellOf(row[column])))
  if (withHeader) cells.unshift([...columns])
  return inColumns(cells)
}

/** The fields of one thing, a line each, with those of its parts as `part.field`. */
export function fieldsTable(reply: OutputRow): string {
  return inColumns(flattened(reply).map(([name, value]) => [name, cellOf(value)]))
}

function flattened(value: OutputRow, prefix = ''): [string, unknown][] {
  return Object.entries(value).flatMap(([name, inner]): [string, unknown][] =>
    isPart(inner) ? flattened(inner, `${prefix}${name}.`) : [[printable(`${prefix}${name}`), inner]],
  )
}

function isPart(value: unknown): value is OutputRow {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function inColumns(cells: string[][]): string {
  const widths = (cells[0] ?? []).map((_, at) => Math.max(...cells.map((row) => lengthOf(row[at]!))))
  const lines = cells.map((row) => row.map((cell, at) => cell + ' '.repeat(widths[at]! - lengthOf(cell))))
  return lines.map((row) => `${row.join(GAP).trimEnd()}\n`).join('')
}

function lengthOf(text: string): number {
  return [...text].length
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-'
  return printable(typeof value === 'string' ? value : JSON.stringify(value))
}

/** What a program reads about a failure: the service's own error body, or one of the same form. */
interface FailureBody {
  error: string
  detail: string
  [more: string]: unknown
}

/** The command was asked for in a way that cannot be: nothing was sent. */
const EXIT_USAGE = 2

/** The command was carried out and failed. */
export const EXIT_FAILED = 1

/** The command was carried out, and something of what it was given was left out. */
export const EXIT_LEFT_OUT = 3

/** A command that did not succeed: its message is for people, its body for programs. */
export class Failure extends Error {
  override name = 'Failure'
  readonly body: FailureBody
  readonly exitCode: number
  /** The status of the reply that it was told by, where one was. */
  status?: number

  constructor(message: string, body: FailureBody, exitCode: number = EXIT_FAILED) {
    super(message)
    this.body = body
    this.exitCode = exitCode
  }
}

/** The failure of a command that cannot be as it was typed, or with the settings there are. */
export function usageFailure(detail: string): Failure {
  return new Failure(detail, { error: 'usage', detail }, EXIT_USAGE)
}
