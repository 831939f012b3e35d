// Measures a language model that writes answers. Asks questions about folders of files, drawn by seed, with the model
// and without it. Right: an answer that matches the question's pattern. Partly: only the closest passages match. Wrong:
// an answer that does not match, or any answer to an unanswerable question. The service counts the tokens.
// Usage: CAIRN_MODEL_BASE_URL=http://127.0.0.1:8080/v1 CAIRN_MODEL_NAME=… npm run bench:writing -- [--count 40]
//   [--seed 1] [--all] [--show FILE] [DIR…]; DIR as for bench:folders. --show writes every question with its answers,
//   to be read.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { sampled } from './briefs/sampled.mjs'
import { client, makeSandbox, startCairn } from './cairn-process.mjs'
import { readLines } from './sets.mjs'

const OWN = ['folders', 'kinds'].map((name) => fileURLToPath(new URL(`../tests/questions/${name}/`, import.meta.url)))
const CLI = fileURLToPath(new URL('../packages/cli/bin/cairn.js', import.meta.url))
const QUESTIONS = 'questions.jsonl'
/** Reference date of all questions. */
const REFERENCE = '2026-11-24'
const MODEL_SECONDS = '300'
const POLL_MS = 1000
const MS_PER_SECOND = 1000
const NO_MODEL = `There is no model to measure. Set CAIRN_MODEL_BASE_URL and CAIRN_MODEL_NAME to an OpenAI-compatible
server, as docs/models.md says; CAIRN_MODEL_API_KEY where it wants a key. For example with llama.cpp:
  llama-server -m qwen2.5-coder-1.5b-instruct-q4_k_m.gguf --port 8080
  CAIRN_MODEL_BASE_URL=http://127.0.0.1:8080/v1 CAIRN_MODEL_NAME=qwen2.5-coder-1.5b npm run bench:writing`

/**
 * @typedef {{ id: string, question: string, answer_pattern: string | null, answerable: boolean,
 *   history?: string[] }} Question
 */
/** @typedef {'right' | 'partly' | 'wrong' | 'rightly unanswered' | 'wrongly unanswered'} Grade */
/**
 * @typedef {{ grade: Grade, seconds: number, answer: string, outcome: string, warnings: string[],
 *   isWritten: boolean }} Answer
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '40' },
    seed: { type: 'string', default: '1' },
    all: { type: 'boolean', default: false },
    show: { type: 'string' },
  },
})
const { CAIRN_MODEL_BASE_URL: baseUrl, CAIRN_MODEL_NAME: model, ...environment } = process.env
if (!baseUrl || !model) {
  console.error(NO_MODEL)
  process.exit(1)
}
const given =
  positionals.length > 0 ? positionals : OWN.flatMap((set) => readdirSync(set).map((name) => join(set, name)))
const folders = given.filter((folder) => existsSync(join(folder, QUESTIONS)))
const whole = folders.flatMap((folder) =>
  readLines(join(folder, QUESTIONS)).map((/** @type {Question} */ question) => ({
    id: `${basename(folder)}/${question.id}`,
    folder,
    question,
  })),
)
const asked = values.all ? whole : sampled(whole, Number(values.count), values.seed ?? '')
if (asked.length === 0) {
  console.error(`There are no questions: each DIR needs a ${QUESTIONS}.`)
  process.exit(1)
}

/** Copies a folder's files without the questions. @param {string} folder */
function filesOf(folder) {
  const files = mkdtempSync(join(tmpdir(), 'cairn-writing-'))
  const inside = join(folder, 'files')
  cpSync(existsSync(inside) ? inside : folder, files, { recursive: true })
  rmSync(join(files, QUESTIONS), { force: true })
  return files
}

/** @param {Question} question @param {string} outcome @param {string} answer @returns {Grade} */
function gradeOf({ answer_pattern: pattern, answerable: isAnswerable }, outcome, answer) {
  const isAnswered = outcome === 'answered'
  if (!isAnswerable) return isAnswered ? 'wrong' : 'rightly unanswered'
  const holds = new RegExp(pattern ?? '(?!)', 'i').test(answer)
  if (isAnswered) return holds ? 'right' : 'wrong'
  return holds ? 'partly' : 'wrongly unanswered'
}

/** @param {boolean} isWriting @returns {Promise<{ answers: Answer[], tokens: { input: number, output: number } }>} */
async function askAll(isWriting) {
  const settings = { CAIRN_MODEL_BASE_URL: baseUrl ?? '', CAIRN_MODEL_NAME: model ?? '' }
  const env = isWriting ? { ...settings, CAIRN_MODEL_TIMEOUT_SECONDS: MODEL_SECONDS } : {}
  if (!isWriting) for (const name of Object.keys(settings)) delete process.env[name]
  const cairn = await startCairn({ env })
  const call = client(cairn)
  /** @type {Map<string, string>} */
  const queries = new Map()
  for (const folder of new Set(asked.map((each) => each.folder))) {
    const { id, storage, query } = await makeSandbox(call, basename(folder))
    const files = filesOf(folder)
    const settled = { ...environment, CAIRN_URL: cairn.url, CAIRN_API_KEY: cairn.apiKey }
    execFileSync(process.execPath, [CLI, 'add', files, '--sandbox', id], { env: settled, stdio: 'ignore' })
    rmSync(files, { recursive: true })
    while ((await call('GET', `${storage}/usage`)).reading.waiting > 0)
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    queries.set(folder, query)
  }
  /** @type {Answer[]} */
  const answers = []
  for (const { folder, question } of asked) {
    const history = (question.history ?? []).map((content) => ({ role: 'user', content }))
    const body = { query: question.question, history, reference_date: REFERENCE, store: false, statements: true }
    const from = performance.now()
    const { answer, outcome, warnings } = await call('POST', `${queries.get(folder)}/search`, body)
    const seconds = (performance.now() - from) / MS_PER_SECOND
    const isWritten = isWriting && warnings.every((/** @type {string} */ each) => !each.startsWith('The writing model'))
    answers.push({ grade: gradeOf(question, outcome, answer), seconds, answer, outcome, warnings, isWritten })
    if (isWriting)
      console.error(`${answers.length} of ${asked.length}: ${answers.at(-1)?.grade}, ${seconds.toFixed(1)} s`)
  }
  const { model: used } = await call('GET', '/api/v1/usage')
  await cairn.stop()
  return { answers, tokens: { input: used.input_tokens, output: used.output_tokens } }
}

/** @param {readonly Answer[]} answers */
function show(answers) {
  const grades = /** @type {const} */ (['right', 'partly', 'wrong', 'wrongly unanswered', 'rightly unanswered'])
  const counted = grades.map((grade) => `${grade} ${answers.filter((each) => each.grade === grade).length}`)
  const seconds = answers.map((each) => each.seconds).toSorted((one, other) => one - other)
  return `${counted.join(', ')}; ${(seconds[seconds.length >> 1] ?? 0).toFixed(2)} s at the median`
}

const open = asked.filter(({ question }) => !question.answerable).length
console.log(`${asked.length} questions, ${open} of them unanswerable, seed ${values.seed}`)
const written = await askAll(true)
const { input, output } = written.tokens
console.log(`with ${model}: ${show(written.answers)}; ${input} tokens read, ${output} written;`)
console.log(`  the model was of use in ${written.answers.filter(({ isWritten }) => isWritten).length} answers`)
const plain = await askAll(false)
console.log(`without a model: ${show(plain.answers)}`)
if (values.show) {
  const lines = asked.map(({ folder, question }, at) =>
    JSON.stringify({ folder: basename(folder), ...question, written: written.answers[at], plain: plain.answers[at] }),
  )
  writeFileSync(values.show, `${lines.join('\n')}\n`)
}
