// Adds folders of files by `cairn add`, as a new user would, and asks questions about each with `search`, with the
// encoder and without it. Reports how often the first statement, or one of the first two, answers; the share of
// unanswerable and of answerable questions without an answer; and the median length in words. Nothing is fitted on the
// project's folders.
// Usage: npm run bench:folders -- [DIR…]; a DIR has `questions.jsonl` {question, answer_pattern | null, answerable,
// history?} and the files next to it, or in `files`. The default is tests/questions/folders. The questions of
// tests/questions/kinds ask for lists, code, rows, sums and current values.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { client, makeSandbox, startCairn } from './cairn-process.mjs'
import { readLines } from './sets.mjs'

const OWN = fileURLToPath(new URL('../tests/questions/folders/', import.meta.url))
const CLI = fileURLToPath(new URL('../packages/cli/bin/cairn.js', import.meta.url))
const QUESTIONS = 'questions.jsonl'
/** Reference date of all questions. */
const REFERENCE = '2026-11-24'
const TOLD = 2
const POLL_MS = 1000
const WAYS = /** @type {const} */ (['on', 'off'])

/**
 * @typedef {{ question: string, answer_pattern: string | null, answerable: boolean,
 *   history?: string[] }} Question
 */
/** @typedef {{ right: boolean[], refused: boolean, isAnswerable: boolean, words: number }} Answer */

const folders = process.argv.length > 2 ? process.argv.slice(2) : readdirSync(OWN).map((name) => join(OWN, name))
for (const folder of folders) {
  if (existsSync(join(folder, QUESTIONS))) continue
  console.error(`Usage: npm run bench:folders -- [DIR…]; ${folder} has no ${QUESTIONS}.`)
  process.exit(1)
}

/** Copies a folder's files without the questions. @param {string} folder */
function filesOf(folder) {
  const files = mkdtempSync(join(tmpdir(), 'cairn-folder-'))
  const inside = join(folder, 'files')
  cpSync(existsSync(inside) ? inside : folder, files, { recursive: true })
  rmSync(join(files, QUESTIONS), { force: true })
  return files
}

/** @param {string} text */
function countWords(text) {
  return text.split(/\s+/).filter(Boolean).length
}

/**
 * @param {ReturnType<typeof client>} call
 * @param {string} query
 * @param {Question} question
 * @returns {Promise<Answer>}
 */
async function ask(call, query, { question, answer_pattern: pattern, answerable: isAnswerable, history = [] }) {
  const turns = history.map((content) => ({ role: 'user', content }))
  const asked = { query: question, history: turns, statements: true, reference_date: REFERENCE }
  const { answered, answer, statements = [] } = await call('POST', `${query}/search`, asked)
  const says = new RegExp(pattern ?? '(?!)', 'i')
  const texts = statements.map((/** @type {{ text: string }} */ { text }) => text)
  const right = [1, TOLD].map((count) => answered && says.test(texts.slice(0, count).join(' ')))
  return { right, refused: !answered, isAnswerable, words: countWords(answer) }
}

/** @param {readonly Answer[]} answers */
function show(answers) {
  const [some, none] = [answers.filter((each) => each.isAnswerable), answers.filter((each) => !each.isAnswerable)]
  const count = (/** @type {readonly Answer[]} */ of, /** @type {(each: Answer) => boolean} */ is) =>
    `${of.filter(is).length} of ${of.length}`
  const words = some.filter((each) => !each.refused).map((each) => each.words)
  const median = words.toSorted((one, other) => one - other)[words.length >> 1] ?? 0
  return [
    `first ${count(some, ({ right }) => right[0] === true)}`,
    `first two ${count(some, ({ right }) => right[1] === true)}`,
    `refused wrongly ${count(some, ({ refused }) => refused)}`,
    `refused rightly ${count(none, ({ refused }) => refused)}`,
    `${median} words`,
  ].join(', ')
}

for (const way of WAYS) {
  const cairn = await startCairn({ env: { CAIRN_ENCODER: way } })
  const call = client(cairn)
  /** @type {Answer[]} */
  const all = []
  for (const folder of folders) {
    const { id, storage, query } = await makeSandbox(call, basename(folder))
    const files = filesOf(folder)
    const env = { ...process.env, CAIRN_URL: cairn.url, CAIRN_API_KEY: cairn.apiKey }
    execFileSync(process.execPath, [CLI, 'add', files, '--sandbox', id], { env, stdio: 'ignore' })
    rmSync(files, { recursive: true })
    while ((await call('GET', `${storage}/usage`)).reading.waiting > 0)
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    /** @type {Answer[]} */
    const answers = []
    for (const question of readLines(join(folder, QUESTIONS))) answers.push(await ask(call, query, question))
    console.log(`reader ${way}, ${basename(folder)}: ${show(answers)}`)
    all.push(...answers)
  }
  console.log(`reader ${way}, all: ${show(all)}`)
  await cairn.stop()
}
