import { once } from 'node:events'

/** A row of a list, or a whole reply, by field name. */
export type OutputRow = Record<string, unknown>

/** Control and bidirectional characters. Text from other users must not control the terminal that shows it. */
const UNPRINTABLE = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu
const HEX = 16
const HEX_DIGITS = 4
const GAP = '  '
const JSON_INDENT = 2

/** Writes a text to standard output. Waits for `drain` if the consumer is slower. */
export async function print(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain')
}

/** Prints a note for the user on standard error, unless `--quiet` is set. */
export function note({ isQuiet }: { isQuiet: boolean }, sentence: string): void {
  if (!isQuiet) process.stderr.write(`${printable(sentence)}\n`)
}

/** Formats a value as indented JSON. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, JSON_INDENT)}\n`
}

/** Replaces each character that a terminal would interpret with its escape sequence. */
export function printable(text: string): string {
  return text.replace(
    UNPRINTABLE,
    (character) => `\\u${character.codePointAt(0)!.toString(HEX).padStart(HEX_DIGITS, '0')}`,
  )
}

/** Formats rows as columns as wide as their widest cell. The last column is not padded. */
export function tableOf(columns: readonly string[], rows: OutputRow[], withHeader: boolean): string {
  const cells = rows.map((row) => columns.map((column) => cellOf(row[column])))
  if (withHeader) cells.unshift([...columns])
  return inColumns(cells)
}

/** Formats the fields of one object, one per line. Nested fields are named `part.field`. */
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

/** JSON form of a failure: the service's error body, or one of the same form. */
interface FailureBody {
  error: string
  detail: string
  [more: string]: unknown
}

/** Exit code for invalid usage; nothing was sent. */
const EXIT_USAGE = 2

/** Exit code for a command that ran and failed. */
export const EXIT_FAILED = 1

/** Exit code for a command that ran but skipped some of its input. */
export const EXIT_LEFT_OUT = 3

/** A failed command: its message is for people, its body for programs. */
export class Failure extends Error {
  override name = 'Failure'
  readonly body: FailureBody
  readonly exitCode: number
  /** HTTP status of the error reply, if there was one. */
  status?: number

  constructor(message: string, body: FailureBody, exitCode: number = EXIT_FAILED) {
    super(message)
    this.body = body
    this.exitCode = exitCode
  }
}

/** Returns the Failure for an invalid command line or invalid settings. */
export function usageFailure(detail: string): Failure {
  return new Failure(detail, { error: 'usage', detail }, EXIT_USAGE)
}
