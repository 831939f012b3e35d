import { createInterface } from 'node:readline'
import type { Search } from '@cairnstore/client'
import { type ChatMessage, operations, type RecordPointer, type SearchAnswer } from '@cairnstore/contract'
import { call, clientOf, sandboxOf, withFailure } from './call.ts'
import { type Conversation, openConversation, STORED_HOURS } from './conversations.ts'
import { type OperationInput, type Options, type ParsedArguments, toOperationInput } from './inputs.ts'
import { Failure, jsonText, note, type OutputRow, print, printable, tableOf, usageFailure } from './output.ts'
import type { OwnCommand } from './own-command.ts'
import { readSettings, type Settings } from './settings.ts'

const { search } = operations

/** Option that continues the last conversation. */
const CONTINUE = {
  form: 'FLAG',
  meaning: `Continue the last conversation in this sandbox, if it is less than ${STORED_HOURS} hours old.`,
} as const

/** Command that asks a question and shows the answer with its source records. */
export const ASK: OwnCommand = {
  words: ['ask'],
  operands: 'QUESTION',
  summary: 'Ask a question and print the answer with its sources',
  about:
    'The answer is printed as it arrives, followed by its sources: the supporting records with their addresses. ' +
    'With --json they are in `records`. The conversation is stored for --continue, in a file that only ' +
    'you can read. With CAIRN_ENCRYPTION_KEY nothing is stored.',
  access: search.access,
  given: { QUESTION: 'The question. Quotes are optional.' },
  options: { continue: CONTINUE },
  operation: search,
  isInside: true,
  examples: [
    'ask "Why did pump 7 stop?"',
    'ask --continue "Who cleaned it?"',
    'ask who owns the follow-ups --reference-date 2026-06-20',
  ],
  run: ask,
}

async function ask({ operands, options }: ParsedArguments): Promise<number> {
  const question = operands.join(' ').trim()
  if (question === '') throw usageFailure('QUESTION is missing. For example: cairn ask "What is still open?"')
  const { history } = toOperationInput(search, [question], options, ['sandbox_id'])
  const settings = readSettings(search.access, options)
  const sandboxId = await sandboxOf(settings)
  const given = history as ChatMessage[] | undefined
  const conversation = openConversation(settings, sandboxId, { isContinued: options.continue === true, given })
  const input = searchInputOf(question, options, sandboxId, conversation.turns)
  if (!options.json) conversation.add(question, (await printAnswer(input, options, settings)).answer)
  else {
    const answer = (await call(search, input, settings)) as SearchAnswer
    conversation.add(question, answer.answer)
    await print(jsonText(answer))
  }
  return 0
}

/** Builds the search request for a question that follows these conversation turns. */
function searchInputOf(
  question: string,
  options: Options,
  sandboxId: string,
  history: readonly ChatMessage[],
): OperationInput {
  const typed = toOperationInput(search, [question], options, ['sandbox_id'])
  return { ...typed, explain: true, ...(history.length > 0 && { history }), sandbox_id: sandboxId }
}

/** Asks and prints the answer as it streams, followed by its sources. Returns the reply. */
async function printAnswer(input: OperationInput, options: Options, settings: Settings): Promise<SearchAnswer> {
  const answer = await withFailure(search, settings, () => streamAnswer(input, settings))
  for (const warning of answer.warnings) note(settings, warning)
  if (!answer.answered && answer.nearest === undefined && options.project_id === undefined) {
    note(settings, '`cairn records` lists the records. `cairn add FILE|FOLDER` imports more.')
  }
  await print(restForPeople(answer, options.explain))
  return answer
}

/** Prints the answer as it streams, and returns the whole reply. */
async function streamAnswer(input: OperationInput, settings: Settings): Promise<SearchAnswer> {
  let lines = fillLines(WIDTH)
  let printed = ''
  const answer = clientOf(settings).streamSearch(input as unknown as Search)
  for await (const { delta, restart } of answer) {
    if (restart && printed !== '') {
      await print(`${lines.end()}\n\n`)
      note(settings, 'Ignore the text above: the service discarded it and starts the answer again.')
      lines = fillLines(WIDTH)
      printed = ''
    }
    printed += delta
    await print(lines.add(delta))
  }
  const whole = (await answer.result()) as SearchAnswer
  // A computed answer is not streamed; print it as a whole.
  const rest = printed === '' ? lines.add(whole.answer) : ''
  await print(`${rest}${lines.end()}\n`)
  return whole
}

const WIDTH = 100

/** Returns the text below the answer: nearest records, table, checked statements and sources. */
function restForPeople(
  { nearest = [], columns, rows, statements, records = [] }: SearchAnswer,
  explain: unknown,
): string {
  const parts: string[] = []
  if (columns && rows && rows.length > 0) parts.push(tableOf(columns, rowsBy(columns, rows), true).trimEnd())
  if (explain === true && statements) {
    const numbers = new Map(records.map(({ record_id: id }, at) => [id as string, at + 1]))
    const formatted = statements.map(({ text, record_ids: ids, computed }) => {
      const shown = ids.map((id) => (numbers.has(id) ? `[${numbers.get(id)}]` : id)).join(' ')
      return filled(`- ${text} ${shown}${computed ? ` (${computed})` : ''}`, WIDTH)
    })
    parts.push(`Statements:\n${formatted.join('\n')}`)
  }
  if (records.length > 0) parts.push(`Sources:\n${records.map(lineOf).join('\n')}`)
  // A reply with an answer has no nearest records. A reply without an answer has no sources.
  if (nearest.length > 0) parts.push(`Nearest:\n${nearest.map(lineOf).join('\n')}`)
  return parts.map((part) => `\n${part}\n`).join('')
}

/** Formats a record in one line: title, locator, date, URL or source and path, record id. */
function lineOf(
  { title, locator, occurred_at: at, url, source_name: source, path, record_id: id }: RecordPointer,
  index: number,
) {
  const place = url ?? [source, path].filter(Boolean).join('/')
  const parts = [title, locator, at?.slice(0, DAY_CHARS), place, id]
  return printable(`  [${index + 1}] ${parts.filter(Boolean).join(' — ')}`)
}

const DAY_CHARS = 10

function rowsBy(columns: readonly string[], rows: readonly (readonly unknown[])[]): OutputRow[] {
  return rows.map((row) => Object.fromEntries(columns.map((column, at) => [column, row[at]])))
}

/** Word-wraps streamed text at a maximum line length. A longer word gets its own line. */
interface FilledLines {
  /** Adds characters and returns the text that can be printed. A word is returned once it is complete. */
  add(text: string): string
  /** Returns the rest of the text. */
  end(): string
}

/** Opening or closing fence of a code block. */
const FENCE = /^`{3,}/

/** Returns a word wrapper for streamed text. Line breaks and fenced code blocks stay unchanged. */
export function fillLines(charsMax: number): FilledLines {
  let column = 0
  let word = ''
  /** Opening fence of the current code block. Undefined outside a block and on the fence line itself. */
  let fence: string | undefined
  let opening: string | undefined
  const take = () => {
    const shown = fence === undefined ? printable(word) : word.split('\t').map(printable).join('\t')
    if (fence !== undefined) {
      if (word === fence) fence = undefined
      word = ''
      return shown
    }
    if (column === 0) opening = FENCE.exec(word)?.[0]
    word = ''
    if (shown === '') return ''
    const before = column === 0 ? '' : column + shown.length >= charsMax ? '\n' : ' '
    column = (before === ' ' ? column + 1 : 0) + shown.length
    return `${before}${shown}`
  }
  const add = (text: string) => {
    let out = ''
    for (const character of text) {
      if (character !== '\n' && (character !== ' ' || fence !== undefined)) word += character
      else out += take()
      if (character === '\n') {
        out += '\n'
        column = 0
        fence ??= opening
        opening = undefined
      }
    }
    return out
  }
  return { add, end: take }
}

/** Word-wraps a whole text. */
export function filled(text: string, charsMax: number): string {
  const lines = fillLines(charsMax)
  return lines.add(text) + lines.end()
}

/** Exit code after Ctrl-C (128 + SIGINT). */
const INTERRUPTED = 130
const PROMPT = '> '

/** Command that asks one question after another. */
export const CHAT: OwnCommand = {
  words: ['chat'],
  operands: '',
  summary: 'Have a conversation: each question is understood in the context of the earlier ones',
  about:
    'Reads one question per line, typed or from a pipe, until the end of the input (Ctrl-D). With --json each reply ' +
    'is one line. `cairn ask --continue` continues the conversation later.',
  access: search.access,
  given: {},
  options: { continue: CONTINUE },
  operation: search,
  without: ['query', 'history'],
  isInside: true,
  examples: ['chat', 'chat --sandbox "Field notes" --reference-date 2026-06-20', 'chat --json < questions.txt'],
  run: chat,
}

async function chat({ operands, options }: ParsedArguments): Promise<number> {
  if (operands[0] !== undefined) {
    throw usageFailure(
      `Unexpected operand "${operands[0]}": chat reads questions from its input. Use \`cairn ask\` for a single one.`,
    )
  }
  const settings = readSettings(search.access, options)
  const sandboxId = await sandboxOf(settings)
  const conversation = openConversation(settings, sandboxId, { isContinued: options.continue === true })
  const isTyped = process.stdin.isTTY === true
  if (isTyped) note(settings, 'Type a question per line. Ctrl-D ends.')
  for await (const question of questions(isTyped)) {
    try {
      await answerQuestion(question, { options, settings, sandboxId, talk: conversation, isTyped })
    } catch (error) {
      // A user at a terminal can ask again. Questions from a pipe depend on the earlier ones, so stop there.
      if (!isTyped || !(error instanceof Failure)) throw error
      process.stderr.write(`cairn: ${error.message}\n`)
    }
  }
  return 0
}

/** Yields the lines that are not empty. Reads the next line only on demand. */
async function* questions(isTyped: boolean): AsyncGenerator<string> {
  const lines = createInterface({ input: process.stdin, ...(isTyped && { output: process.stdout }), prompt: PROMPT })
  lines.on('SIGINT', () => process.exit(INTERRUPTED))
  if (isTyped) lines.prompt()
  for await (const line of lines) {
    if (line.trim() !== '') yield line.trim()
    if (isTyped) lines.prompt()
  }
}

interface Chat {
  options: Options
  settings: Settings
  sandboxId: string
  talk: Conversation
  isTyped: boolean
}

async function answerQuestion(question: string, { options, settings, sandboxId, talk, isTyped }: Chat): Promise<void> {
  const input = searchInputOf(question, options, sandboxId, talk.turns)
  if (options.json) {
    const answer = (await call(search, input, settings)) as SearchAnswer
    talk.add(question, answer.answer)
    return print(`${JSON.stringify(answer)}\n`)
  }
  // A terminal already shows what the user typed.
  if (!isTyped) await print(`${PROMPT}${question}\n`)
  const { answer } = await printAnswer(input, options, settings)
  talk.add(question, answer)
  await print('\n')
}
