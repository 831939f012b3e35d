import { type EvaluationQuestion, type KnowledgeRecord, operations, type RecordPage } from '@cairnstore/contract'
import { call, sandboxOf } from '../call.ts'
import type { Options, ParsedArguments } from '../inputs.ts'
import { Failure, note, print, usageFailure } from '../output.ts'
import type { OwnCommand } from '../own-command.ts'
import { openProgress } from '../progress.ts'
import { readSettings } from '../settings.ts'
import { writeQuestions } from './question-file.ts'

const { getRecord, listRecords } = operations

const COUNT = 40
const COUNT_MAX = 500
const SEED = 1
/** Number of latest records from which drafts are drawn. */
const RECORDS_MAX = 1_000
/** Every n-th draft asks for something that its record does not say. */
const UNANSWERABLE_EACH = 5
const TITLE_CHARS_MAX = 120
const VALUE_CHARS_MAX = 120
/** Names of technical fields such as ids, which no question asks for. */
const TECHNICAL = /(?:^|_)(?:id|ids|key|url|uri|hash|path|etag|sha|cursor|token|version)$|(?:_at|_ms)$/i

/** Command that drafts questions from the records of a sandbox. */
export const EVAL_MAKE: OwnCommand = {
  words: ['eval', 'make'],
  operands: '',
  summary: 'Draft questions from the records of a sandbox, for you to correct',
  about:
    'Prints a CSV file for `cairn eval`. The drafts ask for fields, authors and sentences of randomly sampled ' +
    'records. One of five has no answer in its record. Correct the drafts before you rely on them: a question ' +
    'may have an answer in another record, and people use other words.',
  access: listRecords.access,
  given: {},
  options: {
    count: { form: 'NUMBER', meaning: `Number of questions. Default: ${COUNT}.` },
    seed: { form: 'NUMBER', meaning: `Random seed of the sample. Default: ${SEED}.` },
  },
  isInside: true,
  examples: ['eval make > questions.csv', 'eval make --count 100 --seed 7 > questions.csv'],
  run: makeQuestions,
}

async function makeQuestions({ operands, options }: ParsedArguments): Promise<number> {
  if (operands[0] !== undefined)
    throw usageFailure(`Unexpected operand "${operands[0]}". eval make takes only options.`)
  const count = wholeOf(options, 'count', COUNT, COUNT_MAX)
  const chance = randomFrom(wholeOf(options, 'seed', SEED, Number.MAX_SAFE_INTEGER))
  const settings = readSettings(listRecords.access, options)
  const sandbox_id = await sandboxOf(settings)
  const page = (await call(listRecords, { sandbox_id, limit: RECORDS_MAX }, settings)) as RecordPage
  const ids = drawn(
    page.records.map(({ record_id: id }) => id),
    chance,
  )
  const progress = openProgress(settings.isQuiet)
  const drafts: EvaluationQuestion[] = []
  const fields = new Map<string, string>()
  progress.begin('Drafting', count)
  try {
    for (const record_id of ids) {
      if (drafts.length >= count) break
      const record = (await call(getRecord, { sandbox_id, record_id }, settings)) as KnowledgeRecord
      const draft = draftOf(record, drafts.length + 1, fields, chance)
      if (draft) drafts.push(draft)
      progress.setDone(drafts.length)
    }
  } finally {
    progress.end()
  }
  if (drafts.length === 0) {
    const detail = 'No question could be drafted: the sandbox has no records with a title and a text or fields.'
    throw new Failure(detail, { error: 'nothing_drafted', detail })
  }
  await print(writeQuestions(drafts))
  note(settings, `${drafts.length} drafts. Correct the questions and the expected answers, then run \`cairn eval\`.`)
  return 0
}

function wholeOf(options: Options, name: 'count' | 'seed', otherwise: number, most: number): number {
  const given = options[name]
  if (given === undefined) return otherwise
  const value = /^\d{1,16}$/.test(String(given)) ? Number(given) : 0
  if (value >= 1 && value <= most) return value
  throw usageFailure(`--${name} must be a whole number from 1 to ${most}.`)
}

/** Drafts a question that a record does or does not answer. Returns undefined for an unsuitable record. */
export function draftOf(
  record: Pick<KnowledgeRecord, 'record_id' | 'title' | 'text' | 'author' | 'properties' | 'type'>,
  number: number,
  /** Fields seen in the earlier records, each with its record type. */
  fields: Map<string, string>,
  chance: () => number,
): EvaluationQuestion | undefined {
  const title = record.title?.replace(/\s+/g, ' ').trim().slice(0, TITLE_CHARS_MAX)
  if (!title) return undefined
  const own = Object.entries(record.properties ?? {}).filter(([name, value]) => isAsked(name, value))
  const lacking = [...fields].filter(([name, type]) => type !== record.type && !(name in (record.properties ?? {})))
  const ways: EvaluationQuestion[] = []
  const about = { record: record.record_id }
  for (const [name, value] of own) {
    fields.set(name, record.type)
    ways.push({ question: `What is the ${spaced(name)} of “${title}”?`, expected: String(value), ...about })
  }
  if (number % UNANSWERABLE_EACH === 0 && lacking.length > 0) {
    const [name] = pick(lacking, chance)
    return { question: `What is the ${spaced(name)} of “${title}”?`, unanswerable: true }
  }
  const author = typeof record.author === 'string' ? record.author : record.author?.name
  if (author) ways.push({ question: `Who wrote “${title}”?`, expected: author, ...about })
  for (const { before, value, after } of gapsIn(record.text ?? '')) {
    const gap = `${before}…${after}`
    ways.push({ question: `What does “${title}” say in place of “…”: ${gap}`, expected: value, ...about })
  }
  return ways.length === 0 ? undefined : pick(ways, chance)
}

function isAsked(name: string, value: unknown): boolean {
  if (TECHNICAL.test(name) || typeof value === 'boolean') return false
  if (typeof value === 'number') return true
  return typeof value === 'string' && value.trim() !== '' && value.length <= VALUE_CHARS_MAX && !/^https?:/.test(value)
}

function spaced(name: string): string {
  return name
    .replace(/[_-]+/g, ' ')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
}

const SENTENCE = /[^.!?\n]{30,200}[.!?]/g
/** Matches a number or a date within a sentence. */
const VALUE = new RegExp(
  String.raw`(?<=\s)(?:\d{1,2} \p{Lu}\p{L}+(?: \d{4})?|\d[\d.,]*(?: ?(?:%|percent|(?:euro|hour|day|week)s?))?)` +
    String.raw`(?=[\s,.!?])`,
  'u',
)
const GAPS_MAX = 3

/** Returns sentences with a number or a date, split at that value. */
function gapsIn(text: string): { before: string; value: string; after: string }[] {
  const gaps: { before: string; value: string; after: string }[] = []
  for (const [sentence] of text.matchAll(SENTENCE)) {
    const found = VALUE.exec(sentence)
    if (!found || gaps.length >= GAPS_MAX) continue
    const [value] = found
    gaps.push({
      before: sentence.slice(0, found.index).trimStart(),
      value,
      after: sentence.slice(found.index + value.length),
    })
  }
  return gaps
}

function pick<T>(list: readonly T[], chance: () => number): T {
  return list[Math.floor(chance() * list.length)]!
}

function drawn<T>(list: readonly T[], chance: () => number): T[] {
  return list
    .map((value) => ({ value, at: chance() }))
    .sort((one, other) => one.at - other.at)
    .map(({ value }) => value)
}

/** Returns a seeded random number generator (mulberry32) with values from 0 to 1. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
